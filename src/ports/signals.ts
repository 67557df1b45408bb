/** Signals: conditions that are looked at, never carried out, such as a person's approval. */
import type { TaskSpec, TaskState } from '../domain/task.ts'
import type { FindingText } from '../domain/verdict.ts'

export type SignalReading =
  | { status: 'approved'; message: string; by: string }
  | { status: 'rejected'; message: string; by: string; findings: readonly FindingText[] }
  | { status: 'pending'; message: string }

export interface Signal {
  read(state: TaskState, spec: Pick<TaskSpec, 'parent'>): Promise<SignalReading>
}

export type Signals = Readonly<Record<string, Signal>>
