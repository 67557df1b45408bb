/** The probe: events for everybody who listens (logs, progress in a terminal, followers on the socket). */

export type ProbeEvent = { type: string; task?: string | undefined } & Record<string, unknown>

export interface Probe {
  /** Never throws and never waits: telling must not disturb the work. */
  emit(event: ProbeEvent): void
}
