/** What runs have used of a model, in columns that can be added up: `program` is null for what uses none. */
import type { Migration } from './migration.ts'

export const spent: Migration = {
  version: 5,
  statements: [
    `alter table runs add column program text`,
    `alter table runs add column usd real`,
    `alter table runs add column input_tokens integer`,
    `alter table runs add column output_tokens integer`,
    `create index runs_spent on runs (ended_at) where program is not null`,
  ],
}
