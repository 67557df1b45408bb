/** Counting all tasks by where they stand reads one index, in its order: everybody who looks at the project asks for it. */
import type { Migration } from './migration.ts'

export const counts: Migration = {
  version: 8,
  statements: [
    `create index tasks_status on tasks (status, checker_for, works_for)
      where checker_for is null and works_for is null`,
    `drop index tasks_count`,
    `create index tasks_count on tasks (story_id, status, checker_for, works_for)`,
  ],
}
