/** Signals: conditions that are looked at, never carried out, such as a person's approval. */
import type { TaskState } from '../domain/task.ts'

export type SignalReading =
  | { status: 'approved'; message: string; by: string }
  | { status: 'rejected'; message: string; by: string }
  | { status: 'pending'; message: string }

export interface Signal {
  read(state: TaskState): Promise<SignalReading>
}

export type Signals = Readonly<Record<string, Signal>>
