/** Signals: conditions that are looked at, never carried out, such as a person's approval. */
import type { TaskState } from '../domain/task.ts'
import type { FindingText } from '../domain/verdict.ts'
import type { TaskSummary } from './store.ts'

export type SignalReading =
  /**
   * `lands`: it is also the word of somebody who may let it land on a protected branch. `merged`: they have merged it
   * themselves, whatever was still to be answered.
   */
  | { status: 'approved'; message: string; by: string; lands?: boolean; merged?: boolean }
  /** `machine`: a program says so, not a person. */
  | { status: 'rejected'; message: string; by: string; findings?: readonly FindingText[]; machine?: boolean }
  /** `byItself`: what it waits for comes without a person. */
  | { status: 'pending'; message: string; byItself?: boolean }
  /** Nothing in Muster can go on from this. */
  | { status: 'failed'; message: string }

export interface Signal {
  read(state: TaskState, spec: Pick<TaskSummary, 'parent' | 'phases'>): Promise<SignalReading>
}

export type Signals = Readonly<Record<string, Signal>>
