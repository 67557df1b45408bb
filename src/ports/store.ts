/**
 * The store: tasks, stories, runs, findings, the event log and the intents. One writer process at a time (see Lock);
 * any number of readers. Every write is one `commit`, all or nothing.
 */
import type { Intent, NewIntent } from './intent.ts'
import type { Contract } from '../domain/contract/contract.ts'
import type { Spent } from '../domain/cost.ts'
import type { RunFacts } from '../domain/run.ts'
import type { EvidenceCache } from './verifier.ts'
import type { StoryStanding } from '../domain/story/story.ts'
import type { Story, TaskSpec, TaskState, TaskStatus } from '../domain/task/task.ts'
import type { Duty } from '../domain/role.ts'
import type { Finding, Outcome, Verdict } from '../domain/verdict/verdict.ts'

export interface RunRecord {
  id: string
  taskId: string
  kind: 'agent' | 'check' | 'action'
  name: string
  /** Of an agent: what its role did then. */
  does: Duty | null
  phase: string
  attempt: number
  round: number
  /** Must come back in a judge's verdict. */
  nonce: string
  /** The hash of the contract it works under. */
  contract: string | null
  startedAt: number
  end: RunEnd | null
}

export interface RunEnd {
  at: number
  outcome: Outcome
  verdict: Verdict | null
  detail: string
  commit: string | null
  /** How the process ended, for people: "exit 0", "SIGKILL", "timed out after 30m". */
  exit: string | null
  facts: RunFacts
}

/** A run beside where its task stands now. */
export interface RunStanding {
  run: RunRecord
  task: TaskState
  /** When the task last moved; of a task that is over, its end. */
  movedAt: number
}

/** What runs of one day, story, role and program have used together. */
export interface SpentLine extends Spent {
  /** On which they ended: see domain/cost.ts. */
  day: number
  story: string | null
  role: string
  program: string
  /** How long the runs took together. */
  workMs: number
}

/** How often runs of one role and program have ended with one verdict. */
export interface VerdictLine {
  kind: 'agent' | 'check'
  role: string
  /** Of an agent: what its role did then. */
  does: Duty | null
  /** Null: a check, or an agent that never ran. */
  program: string | null
  verdict: Verdict
  runs: number
}

export interface SpentQuery {
  /** null: tasks without a story. */
  story?: string | null | undefined
  /** Only runs that ended at this time or later. */
  since?: number | undefined
}

/** A new story stands where nothing has happened yet, unless its tasks come with it. */
export type NewStory = Story & { standing?: StoryStanding }

/** Where a story stands, and the version to change it by. */
export interface StoredStanding {
  standing: StoryStanding
  version: number
}

/** A chain is a task's or a story's history: `task:<id>` or `story:<id>`. Each event is hashed over the one before. */
export type ChainId = `task:${string}` | `story:${string}`

export interface NewEvent {
  chain: ChainId
  type: string
  /** Who caused it: `muster`, or a person. */
  actor: string
  data: Record<string, unknown>
}

export interface StoredEvent extends NewEvent {
  /** Grows over the whole store. */
  seq: number
  /** Place in its chain, from 1. */
  n: number
  at: number
  hash: string
}

export interface NewTask {
  spec: TaskSpec
  state: TaskState
  /** Of what the plan said, to notice a changed plan. */
  definitionHash: string
}

/**
 * Everything that changes together. `updates` are compare-and-set on the version; one that lost rejects the whole change
 * with `conflict`. A new task has version 1 and each update adds one. A task that is updated or redefined needs an event
 * that says so, and a `run-ended` event tells the same outcome and verdict as the run's end.
 */
export interface Change {
  at: number
  /** Full text of configuration snapshots by hash; storing one again is no error. */
  configs?: readonly { hash: string; body: string }[]
  stories?: readonly NewStory[]
  /** Compare-and-set on the version, like `updates`. */
  standings?: readonly { standing: StoryStanding; version: number }[]
  tasks?: readonly NewTask[]
  /** A task that has not started, written anew from a changed plan. Compare-and-set as well. */
  redefined?: readonly (NewTask & { version: number })[]
  /** `spec`: the task works under another configuration from now on; its texts stay. */
  updates?: readonly { state: TaskState; version: number; spec?: TaskSummary | undefined }[]
  /** Each needs a `contract-sealed` event of its task that names its hash. */
  contracts?: readonly { taskId: string; contract: Contract }[]
  runs?: readonly RunRecord[]
  ended?: readonly { id: string; end: RunEnd }[]
  findings?: readonly { taskId: string; finding: Finding }[]
  events?: readonly NewEvent[]
  intents?: readonly NewIntent[]
  /** Keys of intents that are carried out. */
  settled?: readonly string[]
}

/** What the scheduler needs of a task, without its texts. */
export interface OpenTask {
  spec: TaskSummary
  state: TaskState
  version: number
}

/** A task without its long texts. */
export type TaskSummary = Omit<TaskSpec, 'instructions' | 'acceptanceCriteria'>

export interface StoredTask {
  spec: TaskSpec
  state: TaskState
  version: number
  definitionHash: string
  updatedAt: number
}

export interface ListedTask extends OpenTask {
  updatedAt: number
}

export interface ListQuery {
  story?: string | undefined
  /** Only tasks that are not over. */
  open?: boolean | undefined
  /** Only tasks of this status. */
  status?: TaskStatus | undefined
  /** The id after which the page starts, in natural order. */
  after?: string | undefined
  limit: number
}

/** Which events: of all chains, unless it names a task, or a story with all that belongs to it. */
export interface EventQuery {
  /** Only events with a greater `seq`. */
  after: number
  /** And none with a greater one than this. */
  upTo?: number | undefined
  task?: string | undefined
  /** The story's own events and those of its tasks and of their checkers. */
  story?: string | undefined
  limit: number
}

/** The first thing that is wrong with the history, or null. */
export interface BadEvent {
  chain: ChainId
  n: number
  what: string
}

export interface Store extends EvidenceCache {
  /**
   * Writes the change in one transaction and returns its events as stored. Rejects with `conflict` when a version has
   * moved on or an id is taken, with `storage` when the disk is full, the file is damaged or stays locked; then nothing
   * was written.
   */
  commit(change: Change): Promise<StoredEvent[]>
  /** Fixes data on a pending intent before its effect, so that recovery knows exactly what was about to happen. */
  pin(key: string, data: Record<string, unknown>): Promise<void>
  pendingIntents(): Promise<Intent[]>
  /** False as well for one that was queued again after it had been settled: a key is carried out once, ever. */
  isPending(key: string): Promise<boolean>

  /** Every task that is not over, in natural id order, page by page: a hundred thousand are never in memory twice. */
  openTasks(): AsyncIterable<OpenTask[]>
  task(id: string): Promise<StoredTask | null>
  /** In natural id order. */
  listTasks(query: ListQuery): Promise<ListedTask[]>
  /**
   * Tasks on which nobody works though they have begun, that are held, or that failed in a story, the longest standing
   * first: all that need a person are among them. Neither checkers nor what works for a story as a whole.
   */
  idleTasks(limit: number, story?: string): Promise<ListedTask[]>
  /** The standing of each of these ids that exists. */
  statuses(ids: readonly string[]): Promise<Map<string, TaskStatus>>
  countByStatus(story?: string): Promise<Record<TaskStatus, number>>
  /**
   * Tasks that have not started and wait for one that failed or was cancelled (`behind`), the longest standing of those
   * first. Whoever waits for them in turn is not among them.
   */
  deadlocked(limit: number): Promise<{ id: string; title: string; behind: string }[]>
  /** Ids that end with this text, at most `limit`. */
  taskIdsEndingWith(suffix: string, limit: number): Promise<string[]>

  story(id: string): Promise<Story | null>
  stories(): Promise<Story[]>
  standing(id: string): Promise<StoredStanding | null>
  /** Of all stories, oldest first. */
  standings(): Promise<StoryStanding[]>
  /** In the order they were sealed; the last one is in force. */
  contracts(taskId: string): Promise<Contract[]>
  /** In the order they started. */
  runs(taskId: string): Promise<RunRecord[]>
  /** The runs of all that checked the task, in the order they started. */
  checkRuns(taskId: string): Promise<RunRecord[]>
  run(id: string): Promise<RunRecord | null>
  /** Those of these runs that exist, by id. */
  runStandings(ids: readonly string[]): Promise<Map<string, RunStanding>>
  /** What agents have used, by day, story, role and program, in that order. */
  spent(query: SpentQuery): Promise<SpentLine[]>
  /** What agents and checks said, of all tasks or of those of a story, by role, program and verdict. */
  verdicts(story?: string): Promise<VerdictLine[]>
  /** Every `checked` and `decision` of all tasks, in the order they happened. */
  judgements(): Promise<StoredEvent[]>
  findings(taskId: string): Promise<Finding[]>
  events(chain: ChainId): Promise<StoredEvent[]>
  /** The last one of this type. Others are not read: a chain may be long. */
  lastEvent(chain: ChainId, type: string): Promise<StoredEvent | null>
  /** Events of many chains, in the order of their `seq`. */
  eventsSince(query: EventQuery): Promise<StoredEvent[]>
  /** The `seq` of the last event, 0 before the first. */
  lastSeq(): Promise<number>
  config(hash: string): Promise<string | null>

  /** Small facts about the project itself, such as whether it is paused. */
  setting(name: string): Promise<string | null>
  setSetting(name: string, value: string | null): Promise<void>

  /** Recomputes every chain and compares it with the rows it speaks of. */
  verifyHistory(): Promise<{ events: number; sealed: number; bad: BadEvent | null }>
  /** What is wrong with what holds the rows, or null. `whole`: its indexes against their tables too, which takes longer. */
  damage(whole: boolean): Promise<string | null>
  close(): Promise<void>
}
