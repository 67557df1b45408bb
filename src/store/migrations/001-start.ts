/** The first schema. Never edited: a change of the tables is a new migration. */
import type { Migration } from './migration.ts'

export const start: Migration = {
  version: 1,
  statements: [
    `create table settings (name text primary key, value text not null) strict`,
    `create table configs (hash text primary key, body text not null) strict`,
    `create table phase_maps (hash text primary key, body text not null) strict`,
    `create table stories (
      id text primary key,
      name text not null,
      branch text not null,
      base text not null,
      chain_n integer not null,
      chain_hash text not null,
      created_at integer not null
    ) strict`,
    `create table tasks (
      id text primary key,
      sort_key text not null,
      story_id text references stories (id),
      status text not null,
      open integer generated always as (status in ('not-started', 'in-progress')) virtual,
      version integer not null,
      chain_n integer not null,
      chain_hash text not null,
      phases_hash text not null references phase_maps (hash),
      definition_hash text not null,
      created_at integer not null,
      updated_at integer not null,
      title text not null,
      state text not null,
      spec text not null
    ) strict`,
    // One index for each way a list is asked for, in the order it is shown; the id makes finding by its end cheap too.
    `create index tasks_all on tasks (sort_key, id)`,
    `create index tasks_open on tasks (open, sort_key)`,
    `create index tasks_story on tasks (story_id, sort_key)`,
    `create index tasks_story_open on tasks (story_id, open, sort_key)`,
    `create index tasks_count on tasks (story_id, status)`,
    `create table task_texts (
      task_id text primary key references tasks (id),
      instructions text not null,
      acceptance_criteria text not null
    ) strict`,
    `create table runs (
      seq integer primary key,
      id text not null unique,
      task_id text not null references tasks (id),
      kind text not null,
      name text not null,
      phase text not null,
      attempt integer not null,
      round integer not null,
      nonce text not null,
      started_at integer not null,
      ended_at integer,
      outcome text,
      verdict text,
      detail text,
      commit_id text,
      exit text
    ) strict`,
    `create index runs_task on runs (task_id, seq)`,
    `create table findings (
      task_id text not null references tasks (id),
      n integer not null,
      round integer not null,
      source text not null,
      severity text not null,
      message text not null,
      file text,
      line integer,
      primary key (task_id, n)
    ) strict`,
    `create table events (
      seq integer primary key,
      chain text not null,
      n integer not null,
      type text not null,
      actor text not null,
      at integer not null,
      body text not null,
      hash text not null,
      unique (chain, n)
    ) strict`,
    `create table intents (
      seq integer primary key,
      key text not null unique,
      kind text not null,
      task_id text,
      data text not null,
      pinned text,
      settled integer not null default 0
    ) strict`,
    // Settled intents stay for ever, pending ones are few.
    `create index intents_pending on intents (seq) where settled = 0`,
  ],
}
