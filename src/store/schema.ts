/** The tables as the queries see them. The migrations define them on disk. */
import type { Generated, GeneratedAlways, Kysely } from 'kysely'
import type { TaskStatus } from '../domain/task/task.ts'
import type { Outcome, Severity, Verdict } from '../domain/verdict/verdict.ts'
import type { ChainId, RunRecord } from '../ports/store.ts'
import type { Intent } from '../ports/intent.ts'

/** A database or one of its transactions. */
export type Db = Kysely<Schema>

export interface Schema {
  /** Facts about the file itself: its schema version. */
  meta: { name: string; value: string }
  settings: { name: string; value: string }
  configs: { hash: string; body: string }
  /** Tasks of one configuration share their phase map, so it is kept once, under its hash. */
  phase_maps: { hash: string; body: string }
  stories: StoryRow
  tasks: TaskRow
  /** Apart from `tasks`, so that neither a list nor a state change drags the long texts along. */
  task_texts: { task_id: string; instructions: string; acceptance_criteria: string }
  /** Who waits for whom; the database keeps it beside what tasks are. */
  dependencies: { depends_on: string; task_id: string }
  contracts: ContractRow
  evidence: { key: string; body: string }
  runs: RunRow
  findings: FindingRow
  events: EventRow
  intents: IntentRow
}

/** Where a chain ends: the rows of tasks and stories carry it, so a removed last event is noticed. */
interface HeadColumns {
  chain_n: number
  chain_hash: string
}

interface StoryRow extends HeadColumns {
  id: string
  name: string
  branch: string
  base: string
  created_at: number
  /** JSON of its standing; null in what an older Muster stored. */
  state: string | null
  version: Generated<number>
}

interface TaskRow extends HeadColumns {
  id: string
  /** `naturalKey(id)`: plain string order on it is the natural order. */
  sort_key: string
  story_id: string | null
  status: TaskStatus
  /** 1 until the task is over; the database derives it from the status. */
  open: GeneratedAlways<number>
  /** 1 while nobody works on it though it has begun, is held, or failed in a story. */
  idle: GeneratedAlways<number>
  version: number
  title: string
  /** JSON: what has no column of its own (see task-row.ts). */
  spec: string
  state: string
  phases_hash: string
  definition_hash: string
  created_at: number
  updated_at: number
  /** Of a checker: the task it checks, and which attempt of it. */
  checker_for: string | null
  checked_attempt: number | null
  /** Of a task that works for a story as a whole: that story. */
  works_for: string | null
}

export interface ContractRow {
  task_id: string
  /** Place among the task's contracts, from 1; the last is in force. */
  n: number
  at: number
  hash: string
  body: string
}

export interface RunRow {
  /** Order of starting. */
  seq: Generated<number>
  id: string
  task_id: string
  kind: RunRecord['kind']
  name: string
  /** Of an agent: what its role did. null also where an older Muster wrote it. */
  does: RunRecord['does']
  phase: string
  attempt: number
  round: number
  nonce: string
  started_at: number
  /** The hash of the contract it worked under. */
  contract: string | null
  /** null while it runs, and so is everything below. */
  ended_at: number | null
  outcome: Outcome | null
  verdict: Verdict | null
  detail: string | null
  commit_id: string | null
  exit: string | null
  /** JSON. */
  facts: string | null
  /** Of an agent that ran, from its facts: what did the work, and what it used as far as that is known. */
  program: string | null
  usd: number | null
  input_tokens: number | null
  output_tokens: number | null
}

export interface FindingRow {
  task_id: string
  /** Place among the task's findings, from 1. */
  n: number
  round: number
  source: string
  severity: Severity
  message: string
  file: string | null
  line: number | null
  /** JSON of what it rests on; null if there is nothing. */
  basis: string | null
}

export interface EventRow {
  seq: Generated<number>
  chain: ChainId
  n: number
  type: string
  actor: string
  at: number
  /** JSON `{ data, state? }`: see chain.ts. */
  body: string
  hash: string
}

interface IntentRow {
  seq: Generated<number>
  key: string
  kind: Intent['kind']
  task_id: string | null
  data: string
  pinned: string | null
  /** 1 once carried out. The row stays, so that the same key is never queued again. */
  settled: number
}
