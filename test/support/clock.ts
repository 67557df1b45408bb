/** A clock that a test turns forward. What waits less than a minute of it, such as the engine's own tick, waits really. */
import { systemClock } from '../../src/app.ts'
import type { Clock } from '../../src/ports/clock.ts'

export class TurnedClock implements Clock {
  #turnedMs = 0
  readonly #waiting = new Set<{ at: number; callback: () => void }>()

  now(): number {
    return systemClock.now() + this.#turnedMs
  }

  soon(callback: () => void): void {
    systemClock.soon(callback)
  }

  after(ms: number, callback: () => void): () => void {
    if (ms < 60_000) return systemClock.after(ms, callback)
    const waiting = { at: this.now() + ms, callback }
    this.#waiting.add(waiting)
    return () => void this.#waiting.delete(waiting)
  }

  /** Calls back whatever comes due. */
  turn(ms: number): void {
    this.#turnedMs += ms
    for (const waiting of this.#waiting) {
      if (waiting.at > this.now() || !this.#waiting.delete(waiting)) continue
      waiting.callback()
    }
  }
}
