/** Where a story stands, with a version to change it by; and tasks that work for a story as a whole, which no list shows. */
import type { Migration } from './migration.ts'

export const stories: Migration = {
  version: 7,
  statements: [
    `alter table stories add column state text`,
    `alter table stories add column version integer not null default 1`,
    `alter table tasks add column works_for text references stories (id)`,
    `create index tasks_works on tasks (works_for) where works_for is not null`,
  ],
}
