/**
 * Converts a task to a row and back. The id, the status and the sort keys of lists are columns; the rest is two JSON
 * texts.
 */
import type { PhaseMap } from '../domain/task/phase-map.ts'
import { naturalKey } from '../domain/ids.ts'
import { dutyByName } from '../domain/role.ts'
import { askedFor } from '../domain/task/elaboration.ts'
import { purposeOf, servingOf, type Serving } from '../domain/task/purpose.ts'
import { because, type Code, type Reason } from '../domain/task/reasons.ts'
import type { TaskSpec, TaskState, TaskStatus } from '../domain/task/task.ts'
import type { ListedTask, NewTask, TaskSummary } from '../ports/store.ts'
import type { ChainHead } from './chain.ts'

/** What is stored of a task's definition apart from its state, texts and phase map. */
type SpecJson = Omit<TaskSummary, 'id' | 'title' | 'story' | 'phases' | 'createdAt' | 'purpose'> & Serving
type StateJson = Omit<TaskState, 'id' | 'status'>

/** What states that an older Muster stored do not have. */
const NEWER = {
  check: null,
  landed: null,
  panel: [],
  recurring: {},
  pr: null,
  verifyThen: null,
  answers: null,
  validated: false,
  plan: null,
} satisfies Partial<StateJson>

/** How an older Muster worded what is a value now. Its states are sealed in the history, so they are read and not rewritten. */
const WORDED: readonly (readonly [Code, RegExp])[] = [
  ['contract-question', /--type advisory lets it go on without verification, --type verifiable with$/],
  ['deploy-unknown', /^nobody saw how the deploy ended/],
  ['budget', /^the budget .* is used up/],
  ['approval', /^a person's approval to land on /],
]

/** What stood beside those sentences for a while, where it is called otherwise now. */
const CAUSES: Readonly<Record<string, Code>> = { question: 'contract-question' }

/** `cause`, `byItself`, `failureReason`: how a state was stored before reasons were values. */
type StoredJson = Omit<StateJson, 'failure'> & {
  failure?: Reason | null
  cause?: string | null
  byItself?: boolean
  failureReason?: string | null
}

function stateFrom({ cause, byItself = false, failureReason = null, ...json }: StoredJson): StateJson {
  const valueOf = (reason: Reason | string | null): Reason | null => {
    if (typeof reason !== 'string') return reason
    const known = cause == null ? null : (CAUSES[cause] ?? (cause as Code))
    const as = cause === undefined ? (WORDED.find(([, words]) => words.test(reason))?.[0] ?? null) : known
    return because('older', { text: reason, as, byItself })
  }
  const { held, wait, run, failure = valueOf(failureReason) } = json
  const waited = run?.waited === undefined ? {} : { waited: valueOf(run.waited) ?? undefined }
  const played = run?.kind === 'agent' && run.does === undefined ? { does: dutyByName(run.name) } : {}
  return {
    ...NEWER,
    ...json,
    held: valueOf(held),
    wait: valueOf(wait),
    failure,
    run: run === null ? null : { ...run, ...played, ...waited },
  }
}

/** Texts kept for comparing while rows are read. */
const rememberedMax = 1000

/** The columns a list needs, in the order of the port. */
export const LISTED_COLUMNS = [
  'id',
  'story_id',
  'status',
  'version',
  'title',
  'spec',
  'state',
  'phases_hash',
  'created_at',
  'updated_at',
] as const

export interface ListedRow {
  id: string
  story_id: string | null
  status: TaskStatus
  version: number
  title: string
  spec: string
  state: string
  created_at: number
  updated_at: number
}

/** The columns that say what the task is. */
export function specColumns({ spec, definitionHash }: NewTask, phasesHash: string) {
  const { id, title, story, createdAt, instructions: _i, acceptanceCriteria: _a, ...rest } = spec
  return {
    id,
    sort_key: naturalKey(id),
    story_id: story,
    title,
    spec: specText({ id, title, story, createdAt, ...rest }),
    phases_hash: phasesHash,
    definition_hash: definitionHash,
    created_at: createdAt,
  }
}

export function specText(spec: TaskSummary): string {
  const { id: _id, title: _t, story: _s, createdAt: _c, phases: _p, purpose: _w, ...json } = spec
  return JSON.stringify({ ...json, ...servingOf(spec) } satisfies SpecJson)
}

/** What it serves, if it is no task that somebody asked for: an attempt of a task, or a story. */
export function servingColumns({ spec, state: { attempt } }: NewTask) {
  const { checkerFor, worksFor } = servingOf(spec)
  const checked_attempt = checkerFor === null ? null : attempt
  return { checker_for: checkerFor, checked_attempt, works_for: worksFor?.story ?? null }
}

/** The columns that say where it stands. */
export function stateColumns(state: TaskState) {
  return { status: state.status, state: stateText(state) }
}

export function stateText(state: TaskState): string {
  const { id: _id, status: _status, ...json } = state
  return JSON.stringify(json satisfies StateJson)
}

export function headColumns(head: ChainHead) {
  return { chain_n: head.n, chain_hash: head.hash }
}

export function textColumns(spec: TaskSpec) {
  return { task_id: spec.id, instructions: spec.instructions, acceptance_criteria: spec.acceptanceCriteria }
}

export function stateOf(row: Pick<ListedRow, 'id' | 'status' | 'state'>): TaskState {
  return { id: row.id, status: row.status, ...stateFrom(JSON.parse(row.state) as StoredJson) }
}

/**
 * Makes tasks of rows. Equal texts become the same objects, which nobody may change: a hundred thousand open tasks differ
 * in little more than their ids and titles, and so they fit in memory.
 */
export class TaskReader {
  readonly #specs = new Map<string, SpecJson>()
  readonly #states = new Map<string, StateJson>()
  readonly #words = new Map<string, string>()

  task(row: ListedRow, phases: PhaseMap): ListedTask {
    const json = remembered(this.#specs, row.spec, JSON.parse)
    const spec: TaskSummary = {
      id: row.id,
      title: row.title,
      story: row.story_id === null ? null : this.#word(row.story_id),
      parent: json.parent,
      dependsOn: json.dependsOn,
      checks: json.checks,
      expectedFiles: json.expectedFiles,
      agent: json.agent,
      purpose: purposeOf(json) ?? askedFor(phases),
      // What an older Muster stored does not have these.
      defect: json.defect ?? null,
      specRef: json.specRef ?? null,
      maxRounds: json.maxRounds ?? null,
      target: this.#word(json.target),
      phases,
      configHash: this.#word(json.configHash),
      createdAt: row.created_at,
    }
    const standing = remembered(this.#states, row.state, (text) => stateFrom(JSON.parse(text) as StoredJson))
    const state: TaskState = { id: row.id, status: row.status, ...standing }
    return { spec, state, version: row.version, updatedAt: row.updated_at }
  }

  #word(text: string): string {
    return remembered(this.#words, text, (same) => same)
  }
}

function remembered<T>(memory: Map<string, T>, text: string, make: (text: string) => T): T {
  const known = memory.get(text)
  if (known !== undefined) return known
  if (memory.size >= rememberedMax) memory.clear()
  const made = make(text)
  memory.set(text, made)
  return made
}
