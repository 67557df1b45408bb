/** Actions: quick, mechanical steps such as `merge`. */
import type { ProjectConfig } from '../domain/config.ts'
import type { StepResult } from '../domain/task/event.ts'
import type { Reason } from '../domain/task/reasons.ts'
import type { TaskState } from '../domain/task/task.ts'
import type { TaskSummary } from './store.ts'

export interface ActionContext {
  spec: TaskSummary
  state: TaskState
  config: ProjectConfig
  /** The branch that its story ships to; of a task without a story, the project's base. */
  base: string
  /** The tree that was verified under the contract in force; no other may land (H-1). Null: none. */
  verified: string | null
  /** What was verified and who answered for it, in sentences for the message of its commit. */
  said(): Promise<readonly string[]>
  /** Pinned by an earlier, interrupted execution of this step. */
  pinned: Record<string, unknown> | null
  /** Stores data durably before an effect, so that a repetition uses the same data. */
  pin(data: Record<string, unknown>): Promise<void>
}

export interface Action {
  /** Why it cannot run now, or null. Writes nothing. */
  notYet(spec: TaskSummary, state: TaskState, config: ProjectConfig): Promise<Reason | null>
  /** Carries the step out. Must be safe to repeat with the same pins after a crash anywhere inside. */
  execute(context: ActionContext): Promise<StepResult>
  /** Whether an interrupted execution reached the effect that cannot be undone. */
  happened(spec: TaskSummary, pinned: Record<string, unknown>): Promise<boolean>
}

export type Actions = Readonly<Record<string, Action>>
