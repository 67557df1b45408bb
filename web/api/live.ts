/**
 * What happens, as it happens: one stream for the whole page. It goes on behind the last event it had, waits longer after
 * each failure, and says whether what is on the screen may be old.
 */
import type { StoredEvent } from './types.ts'

export type Connection = 'connecting' | 'live' | 'stale'

const firstWaitMs = 250
const longestWaitMs = 10_000
/** Events that come together are told together. */
const gatherMs = 40

interface Listeners {
  /** `fresh`: it is the first stream, so whatever was asked before may be older than it. */
  onLive(fresh: boolean): void
  onEvents(events: readonly StoredEvent[]): void
  /** Something that is stored nowhere, such as a pause, or a program at its limit. */
  onNews(): void
}

class Watched<T> {
  #value: T
  readonly #listeners = new Set<() => void>()
  constructor(value: T) {
    this.#value = value
  }
  get = (): T => this.#value
  set(value: T): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

export const connection = new Watched<Connection>('connecting')

const lastLines = new Map<string, Watched<string>>()

/** What a checker prints and does is about the task it checks. */
export const aboutTask = (id: string): string => id.replace(/\.check\.\d+$/, '')

/** The last line that a task's agent printed, as far as this page has heard. */
export function lastLineOf(task: string): Watched<string> {
  const known = lastLines.get(task) ?? new Watched('')
  lastLines.set(task, known)
  return known
}

/** Listens until the returned function is called. */
export function listen({ onLive, onEvents, onNews }: Listeners): () => void {
  let source: EventSource | null = null
  let last: number | null = null
  let waitMs = firstWaitMs
  let timer: number | undefined
  let gathered: StoredEvent[] = []
  let ended = false

  const flush = (): void => {
    const events = gathered
    gathered = []
    onEvents(events)
  }
  const begin = (): void => {
    source?.close()
    source = new EventSource(`/api/events?output=1${last === null ? '' : `&after=${last}`}`)
    source.addEventListener('ready', (message) => {
      const fresh = last === null
      last ??= Number(message.lastEventId)
      waitMs = firstWaitMs
      connection.set('live')
      onLive(fresh)
    })
    source.addEventListener('message', (message) => {
      last = Number(message.lastEventId)
      if (gathered.push(JSON.parse(message.data as string) as StoredEvent) === 1) setTimeout(flush, gatherMs)
    })
    source.addEventListener('news', (message) => {
      const news = JSON.parse(message.data as string) as { type: string; task?: string; line?: string }
      if (news.type === 'output' && news.task !== undefined) lastLineOf(aboutTask(news.task)).set(news.line ?? '')
      else onNews()
    })
    source.addEventListener('error', again)
  }
  const again = (): void => {
    source?.close()
    if (ended) return
    connection.set('stale')
    clearTimeout(timer)
    timer = window.setTimeout(begin, waitMs)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
  /** Who comes back to the page does not want to wait. */
  const hurry = (): void => {
    if (connection.get() !== 'stale' || document.hidden) return
    clearTimeout(timer)
    begin()
  }
  document.addEventListener('visibilitychange', hurry)
  begin()
  return () => {
    ended = true
    source?.close()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', hurry)
  }
}
