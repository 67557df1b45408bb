/** Contracts: each as it was sealed, the newest one of a task is in force. Runs name the one they worked under. */
import type { Migration } from './migration.ts'

export const contracts: Migration = {
  version: 3,
  statements: [
    `create table contracts (
      task_id text not null references tasks (id),
      n integer not null,
      at integer not null,
      hash text not null,
      body text not null,
      primary key (task_id, n)
    ) strict`,
    `alter table runs add column contract text`,
  ],
}
