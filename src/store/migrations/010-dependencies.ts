/** Who waits for whom, so that those that wait for what failed or was cancelled are found without looking at all tasks. */
import type { Migration } from './migration.ts'

const fill = (from: string) =>
  `insert into dependencies (depends_on, task_id)
    select distinct named.value, ${from}.id from json_each(${from}.spec, '$.dependsOn') as named`

export const dependencies: Migration = {
  version: 10,
  statements: [
    `create table dependencies (depends_on text not null, task_id text not null, primary key (depends_on, task_id)) without rowid`,
    `create index dependencies_task on dependencies (task_id)`,
    `insert into dependencies (depends_on, task_id)
      select distinct named.value, tasks.id from tasks, json_each(tasks.spec, '$.dependsOn') as named`,
    `create trigger tasks_dependencies after insert on tasks begin ${fill('new')}; end`,
    `create trigger tasks_dependencies_again after update of spec on tasks begin
      delete from dependencies where task_id = new.id; ${fill('new')}; end`,
  ],
}
