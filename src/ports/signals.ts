/** Signals: conditions that Muster reads and never carries out, such as a person's approval. */
import type { Reason } from '../domain/task/reasons.ts'
import type { TaskState } from '../domain/task/task.ts'
import type { FindingText } from '../domain/verdict/verdict.ts'
import type { TaskSummary } from './store.ts'

export type SignalReading =
  /**
   * `lands`: it is also the word of somebody who may let it land on a protected branch. `merged`: they have merged it
   * themselves, whatever was still to be answered.
   */
  | { status: 'approved'; message: string; by: string; lands?: boolean; merged?: boolean }
  /** `machine`: a program says so, not a person. */
  | { status: 'rejected'; message: string; by: string; findings?: readonly FindingText[]; machine?: boolean }
  | { status: 'pending'; reason: Reason }
  /** Nothing in Muster can go on from this. */
  | { status: 'failed'; reason: Reason }

export interface Signal {
  read(state: TaskState, spec: Pick<TaskSummary, 'parent' | 'phases'>): Promise<SignalReading>
}

export type Signals = Readonly<Record<string, Signal>>
