/** A run's log as it arrives: collected in one buffer, and shown at most a few times a second. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { at } from '../api/client.ts'
import { openStream, type Message } from '../api/stream.ts'
import type { Entry } from './search.ts'

/** Older entries go: the terminal has them all. */
const entriesMax = 50_000
const tellMs = 60

export type LogState = 'open' | 'over' | 'broken'

export interface Log {
  entries: readonly Entry[]
  /** How many went before the first. */
  gone: number
  state: LogState
}

class LogBuffer {
  #log: Log = { entries: [], gone: 0, state: 'open' }
  #next: Entry[] = []
  #rest = ''
  #timer: number | undefined
  readonly #listeners = new Set<() => void>()

  get = (): Log => this.#log

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  addText(text: string): void {
    const parts = (this.#rest + text).split('\n')
    this.#rest = parts.pop() ?? ''
    this.add(parts.map((part) => ({ kind: 'output', text: part })))
  }

  add(entries: readonly Entry[]): void {
    for (const entry of entries) this.#next.push(entry)
    this.#timer ??= window.setTimeout(() => this.#tell(this.#log.state), tellMs)
  }

  end(state: LogState): void {
    if (this.#rest !== '') this.#next.push({ kind: 'output', text: this.#rest })
    this.#rest = ''
    this.#tell(state)
  }

  clear(): void {
    this.#next = []
    this.#rest = ''
    this.#log = { entries: [], gone: 0, state: 'open' }
    this.#tell('open')
  }

  #tell(state: LogState): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const all = this.#next.length === 0 ? this.#log.entries : [...this.#log.entries, ...this.#next]
    this.#next = []
    const over = Math.max(0, all.length - entriesMax)
    this.#log = { entries: over === 0 ? all : all.slice(over), gone: this.#log.gone + over, state }
    for (const listener of this.#listeners) listener()
  }
}

/** `raw`: the bytes as they came; otherwise what an agent program did, or what was printed made safe to show. */
export function useLog(id: string, raw: boolean): Log & { again(): void } {
  const [buffer] = useState(() => new LogBuffer())
  const [turn, setTurn] = useState(0)
  const log = useSyncExternalStore(buffer.subscribe, buffer.get)
  useEffect(() => {
    buffer.clear()
    const path = `${at`/api/attempts/${id}/log`}${raw ? '?raw=1' : '?timeline=1'}`
    const onMessage = ({ event, data }: Message): void => {
      if (event === 'end') {
        close()
        buffer.end('over')
        return
      }
      const { text, entries } = JSON.parse(data) as { text?: string; entries?: Entry[] }
      if (entries !== undefined) buffer.add(entries)
      else buffer.addText(text ?? '')
    }
    const close = openStream(path, onMessage, () => buffer.end('broken'))
    return close
  }, [buffer, id, raw, turn])
  return { ...log, again: () => setTurn((before) => before + 1) }
}
