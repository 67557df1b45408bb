/**
 * Checkers are tasks of their own, found by the task they check and never shown in its story: one for each attempt. And
 * what a finding rests on.
 */
import type { Migration } from './migration.ts'

export const checks: Migration = {
  version: 6,
  statements: [
    `alter table tasks add column checker_for text references tasks (id)`,
    `alter table tasks add column checked_attempt integer`,
    `create unique index tasks_check on tasks (checker_for, checked_attempt) where checker_for is not null`,
    `drop index tasks_count`,
    `create index tasks_count on tasks (story_id, status, checker_for)`,
    `create index events_judged on events (seq) where type in ('checked', 'decision')`,
    `alter table findings add column basis text`,
  ],
}
