/**
 * Live events: one stream for the whole page. After a disconnect it resumes after the last event that it had, waits
 * longer after each failure, and says whether the page may be out of date.
 */
import { openStream, type Message } from './stream.ts'
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

const setups = new Map<string, Watched<string | null>>()

/** When the setup began that a task waits for; null: none is under way. */
export function setupOf(task: string): Watched<string | null> {
  const known = setups.get(task) ?? new Watched<string | null>(null)
  setups.set(task, known)
  return known
}

/** Listens until the returned function is called. */
export function listen({ onLive, onEvents, onNews }: Listeners): () => void {
  let close = (): void => undefined
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
    close()
    const path = `/api/events?output=1${last === null ? '' : `&after=${last}`}`
    close = openStream(path, onMessage, again)
  }
  const onMessage = ({ event, id, data }: Message): void => {
    if (event === 'ready') {
      const fresh = last === null
      last ??= Number(id)
      waitMs = firstWaitMs
      connection.set('live')
      onLive(fresh)
    } else if (event === 'message') {
      last = Number(id)
      if (gathered.push(JSON.parse(data) as StoredEvent) === 1) setTimeout(flush, gatherMs)
    } else if (event === 'news') {
      const news = JSON.parse(data) as { type: string; task?: string; line?: string; setup?: number | null }
      if (news.type === 'output' && news.task !== undefined) {
        const { setup = null } = news
        setupOf(aboutTask(news.task)).set(setup === null ? null : new Date(setup).toISOString())
        lastLineOf(aboutTask(news.task)).set(news.line ?? '')
      } else if (!news.type.startsWith('setup-')) onNews()
    }
  }
  const again = (): void => {
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
    close()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', hurry)
  }
}
