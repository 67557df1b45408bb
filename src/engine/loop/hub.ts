/**
 * The probe's stream inside this process: every listener gets every event, and none can disturb the work or another
 * listener.
 */
import type { Probe, ProbeEvent } from '../../ports/probe.ts'

export class Hub implements Probe {
  readonly #listeners = new Set<(event: ProbeEvent) => void>()

  emit(event: ProbeEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch {
        // Telling must not disturb the work: a listener that fails is told nothing more.
        this.#listeners.delete(listener)
      }
    }
  }

  /** Returns what ends the subscription. */
  subscribe(listener: (event: ProbeEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
