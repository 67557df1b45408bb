/** Tasks on which nobody works and that are not just waiting for their turn: among them are those that need a person. */
import type { Migration } from './migration.ts'

export const idle: Migration = {
  version: 9,
  statements: [
    `alter table tasks add column idle integer generated always as (
      case status
        when 'not-started' then json_extract(state, '$.held') is not null
        when 'in-progress' then json_extract(state, '$.held') is not null or json_extract(state, '$.run') is null
        when 'failed' then story_id is not null
        else 0
      end
    ) virtual`,
    `create index tasks_idle on tasks (updated_at, id) where idle = 1`,
  ],
}
