/** The engine as its parts see it. They import this file instead of the engine, which imports all of them. */
import type { EngineParts } from './parts.ts'
import type { TaskTable } from './task-table.ts'
import type { Transactor } from './transactor.ts'

/** What most of its work needs: its parts, and who writes. */
export interface EngineCore {
  readonly parts: EngineParts
  readonly transactor: Transactor
}

/** What those need who make tasks or give them their turns. */
export interface EngineTurns extends EngineCore {
  readonly table: TaskTable
  /** Whether it gives turns: without that, it only stores what it is told. */
  readonly running: boolean
  /** These tasks may have something to do. */
  touch(ids: readonly string[]): void
  /** Lets the tasks of a story, or all tasks (undefined), have their turns. Until asked, open tasks are left alone. */
  include(story: string | null | undefined): void
  /** Something that nobody can mend went wrong beside the loop. */
  broke(error: unknown): void
}
