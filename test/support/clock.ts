/** A clock that a test turns forward. What waits less than a minute of it, such as the engine's own tick, waits really. */
import { systemClock } from '../../src/app.ts'
import { pollTickMs } from '../../src/domain/limits.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import type { Clock } from '../../src/ports/clock.ts'

export class TurnedClock implements Clock {
  #turnedMs = 0
  #wrongMs = 0
  readonly #waiting = new Set<{ at: number; callback: () => void }>()

  now(): number {
    return systemClock.now() + this.#turnedMs + this.#wrongMs
  }

  steady(): number {
    return systemClock.steady() + this.#turnedMs
  }

  soon(callback: () => void): void {
    systemClock.soon(callback)
  }

  after(ms: number, callback: () => void): () => void {
    if (ms < 60_000) return systemClock.after(ms, callback)
    const waiting = { at: this.steady() + ms, callback }
    this.#waiting.add(waiting)
    return () => void this.#waiting.delete(waiting)
  }

  /** Somebody sets it: no time passes. */
  set(ms: number): void {
    this.#wrongMs += ms
  }

  /** Calls back whatever comes due. */
  turn(ms: number): void {
    this.#turnedMs += ms
    for (const waiting of this.#waiting) {
      if (waiting.at > this.steady() || !this.#waiting.delete(waiting)) continue
      waiting.callback()
    }
  }
}

/** The engine looks at what waits when the test says so, and not by itself. */
export function tickedByHand(): { wrap(parts: EngineParts): EngineParts; tick(): void } {
  let tick = () => {}
  const wrap = (parts: EngineParts): EngineParts => {
    const after: Clock['after'] = (ms, callback) => {
      if (ms !== pollTickMs) return parts.clock.after(ms, callback)
      tick = callback
      return () => {}
    }
    return { ...parts, clock: { ...parts.clock, after } }
  }
  return { wrap, tick: () => tick() }
}
