/** A run's log for readers: of an agent program as lines of what it did, of others made safe to show, or raw. */
import type { TimelineEntry } from '../../domain/agent-event.ts'
import { forDisplay } from '../../domain/display.ts'
import type { ProbeEvent } from '../../ports/probe.ts'
import type { RunRecord, Store } from '../../ports/store.ts'

/** Whole, or as it grows until the run has `ended` or the signal aborts. */
export interface RunLog {
  exists(): boolean
  read(): Promise<Buffer>
  follow(signal: AbortSignal, onChunk: (chunk: Buffer) => void | Promise<void>, ended: AbortSignal): Promise<void>
  /** How to read what an agent program printed; null for what prints whatever it likes. */
  timeline(): { add(chunk: Buffer): TimelineEntry[]; rest(): TimelineEntry[] } | null
  /** The end of what one command of a verification printed, made safe to show; empty where it is gone. */
  tail(part: string, chars: number): Promise<string>
}

/**
 * Tells a follower of a run's log when the run is over: `ended` aborts once its end is stored. Pass all events to
 * `onEvent`, then call `check` once; each event of its task makes it check again. If the store cannot be read, it stops.
 */
export function endOf({ id, taskId }: RunRecord, store: Store) {
  const over = new AbortController()
  const check = async (): Promise<void> => {
    const run = await store.run(id).catch(() => null)
    if (run?.end !== null) over.abort()
  }
  const onEvent = ({ type, task }: ProbeEvent): void => {
    if (task === taskId && type !== 'output') void check()
  }
  return { ended: over.signal, onEvent, check }
}

/** Of a task's runs the one that somebody wants to read: the last, unless that is a verification that ran no command. */
export function toRead(runs: readonly RunRecord[]): RunRecord | undefined {
  const hasWords = ({ end }: RunRecord): boolean => {
    const criteria = end?.facts.results?.criteria
    return criteria === undefined || criteria.some(({ evidence }) => evidence !== null)
  }
  return runs.findLast(hasWords) ?? runs.at(-1)
}

/** Takes the bytes in pieces and gives text; `rest` is what waited for more. `raw`: as it came. */
export function logReader(log: RunLog, raw = false): { add(chunk: Buffer): string; rest(): string } {
  const timeline = raw ? null : log.timeline()
  const decoder = new TextDecoder()
  const safe = (text: string) => (raw ? text : forDisplay(text, { colours: false }))
  const lines = (of: readonly TimelineEntry[]) => safe(of.map(({ text }) => `${text}\n`).join(''))
  if (timeline !== null) return { add: (chunk) => lines(timeline.add(chunk)), rest: () => lines(timeline.rest()) }
  return { add: (chunk) => safe(decoder.decode(chunk, { stream: true })), rest: () => safe(decoder.decode()) }
}
