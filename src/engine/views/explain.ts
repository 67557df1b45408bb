/** `muster explain`: why a task is where it is, what it waits for, and what would move it on. */
import type { EntryType } from '../../domain/task/history.ts'
import { nextCommands } from '../../domain/task/next.ts'
import { wordsOf } from '../../domain/task/reasons.ts'
import { PROOF_WORDS, type Proof } from '../../domain/proof.ts'
import type { Stage } from '../../domain/task/stage.ts'
import { CONTRACT } from '../../domain/task/task.ts'
import type { Store, StoredEvent, StoredTask } from '../../ports/store.ts'
import { ASKED } from '../asking.ts'
import type { Limited } from '../loop/rate-limits.ts'
import type { PlanView } from '../steps/planning.ts'
import { iso, taskView } from './views.ts'
import { deadlockOf } from './why.ts'

export interface Explanation {
  id: string
  stage: Stage
  phase: string | null
  round: number
  attempt: number
  why: string
  waitingFor: string | null
  /** What keeps a good result from being a plain one. */
  caveats: readonly string[]
  /** Commands that would move it on. */
  next: string[]
  /** The newest of its plan, where it has one. */
  plan: PlanView | null
  /** The map it walks through. */
  phases: { name: string; run: string }[]
  history: { at: string; type: string; actor: string; text: string }[]
}

export async function explain(store: Store, task: StoredTask, limited: readonly Limited[] = []): Promise<Explanation> {
  const view = await taskView(store, task, limited)
  const events = await store.events(`task:${view.id}`)
  const { id, stage, phase, round, attempt, waitingFor, caveats } = view
  return {
    id,
    stage,
    phase,
    round,
    attempt,
    why: why(task, events),
    waitingFor,
    caveats,
    next: await nextOf(store, task),
    plan: view.plans.at(-1) ?? null,
    phases: task.spec.phases.map(({ name, step }) => ({ name, run: `${step.type} ${step.name}` })),
    history: events.map(({ at, type, actor, data }) => ({
      at: iso(at),
      type,
      actor,
      text: `${sentence(type, data)}${provenBy(data['proof'])}`,
    })),
  }
}

/** Events that tell of a task's work and did not move it. */
const BESIDE = new Set(['result-saved', 'work-discarded', ASKED])

/** The last thing that moved it, in words. */
function why({ state }: StoredTask, events: readonly StoredEvent[]): string {
  if (state.held !== null) return `held until a person decides: ${wordsOf(state.held)}`
  if (state.failure !== null) return wordsOf(state.failure)
  const last = events.findLast(({ type }) => !BESIDE.has(type))
  return last === undefined ? 'it was just created' : sentence(last.type, last.data)
}

async function nextOf(store: Store, { spec, state }: StoredTask): Promise<string[]> {
  const { id, dependsOn } = spec
  const waits = state.status === 'not-started' && state.held === null
  const deadlock = waits ? await deadlockOf(store, id) : null
  if (deadlock !== null) return [...dependsOn.map((other) => `muster explain ${other}`), `muster cancel ${id}`]
  return nextCommands(state, spec.phases)
}

/** What the engine writes down beside the transition. */
type Beside =
  | 'task-created'
  | 'task-redefined'
  | 'contract-sealed'
  | 'asked'
  | 'pushed'
  | 'push-refused'
  | 'result-saved'
  | 'work-discarded'

/** What is in them was stored by some Muster: it may lack fields. */
type Sentence = (data: Record<string, unknown>) => string

const SENTENCES: Readonly<Record<EntryType | Beside, Sentence>> = {
  'task-created': () => 'created',
  'task-redefined': () => 'rewritten from the changed plan',
  'contract-sealed': (data) =>
    `contract sealed: ${text(data['type'])}, ${text(data['criteria'])} criteria (${text(data['why'])})`,
  'contract-agreed': () => 'a person chose its contract',
  'task-started': (data) => `started at ${text(data['phase'])}`,
  'run-started': (data) =>
    `${runName(data)} started (run ${text(data['run'])}, attempt ${text(data['attempt'])}, round ${text(data['round'])})`,
  'run-ended': (data) =>
    `${runName(data)} ended: ${text(data['verdict'] ?? data['outcome'])}${colon(data['detail'])}${planOf(data['plan'])}`,
  'phase-entered': (data) =>
    `${data['from'] === data['to'] ? 'again at' : `${text(data['from'])} →`} ${text(data['to'])}, round ${text(data['round'])}`,
  'signal-read': (data) => `${text(data['name'])}: ${text(data['outcome'])}${colon(data['detail'])}`,
  'check-started': (data) => `its checker ${text(data['check'])} began (attempt ${text(data['attempt'])})`,
  'check-called-off': (data) => `${text(data['check'])} was cancelled`,
  checked: (data) => `its checker said ${text(data['verdict'])}${colon(data['detail'])}`,
  'verification-needed': () => 'its contract must be verified first',
  'merged-unanswered': (data) =>
    `${text(data['by'])} merged it before ${text(data['waived'])} was answered, which waives it`,
  waiting: (data) => `waiting: ${text(data['reason'])}`,
  decision: (data) =>
    `${text(data['by'])} said ${text(data['kind'])}${toPlan(data['plan'])}${colon(data['message'])}${commented(data['comments'])}${data['over'] === undefined ? '' : ` (over: ${text(data['over'])})`}${data['approves'] === undefined ? '' : ` (and approved landing on ${text(data['approves'])})`}`,
  asked: (data) => `an agent asked to ${text(data['what'])} it${colon(data['reason'])}`,
  'task-held': (data) => `held until a person decides: ${text(data['reason'])}`,
  submitted: (data) => `${text(data['by'])} submitted a commit (attempt ${text(data['attempt'])})`,
  'task-retried': (data) => `${text(data['by'])} retried it${newTermsOf(data)}`,
  'task-cancelled': (data) => `cancelled by ${text(data['by'])}${colon(data['reason'])}`,
  'task-failed': (data) => `failed: ${text(data['reason'])}`,
  'task-completed': () => 'completed',
  'landing-found': (data) =>
    `its work is already on ${text(data['target'])}, as ${text(data['commit']).slice(0, 12)}: the database is older than that landing`,
  pushed: (data) =>
    `${text(data['branch'])} was pushed at ${text(data['commit']).slice(0, 12)}${data['by'] === 'muster' ? '' : ': its remote already had it'}`,
  'push-refused': (data) => `${text(data['branch'])} was not pushed${colon(data['why'])}. Next: ${text(data['next'])}`,
  'result-saved': (data) =>
    `the unsaved work of ${text(data['run'])} could be saved after all${data['branch'] === null ? '' : `: ${text(data['branch'])}`}`,
  'work-discarded': (data) => `${text(data['by'])} discarded the unsaved work of ${text(data['run'])}`,
  'late-result-ignored': (data) =>
    `the late result of ${text(data['run'] ?? data['check'])} was ignored${colon(data['detail'])}`,
}

export function sentence(type: string, data: Record<string, unknown>): string {
  return Object.hasOwn(SENTENCES, type) ? SENTENCES[type as EntryType | Beside](data) : type
}

/** How it was shown that it was a person. */
function provenBy(proof: unknown): string {
  const words = typeof proof === 'string' && proof in PROOF_WORDS ? PROOF_WORDS[proof as Proof] : null
  return words === null ? '' : ` (${words})`
}

/** `check contract` is the verification: nobody wrote "contract" anywhere. */
function runName(data: Record<string, unknown>): string {
  if (data['kind'] !== 'check') return text(data['name'])
  return data['name'] === CONTRACT ? 'verification' : `check ${text(data['name'])}`
}

function colon(value: unknown): string {
  const said = text(value)
  return said === '' ? '' : `: ${said}`
}

/** Which plan, as far as people compare digests. */
const planOf = (digest: unknown): string => (typeof digest === 'string' ? ` (${digest.slice(0, 12)})` : '')
const toPlan = (digest: unknown): string => (typeof digest === 'string' ? ` to the plan${planOf(digest)}` : '')

function commented(comments: unknown): string {
  if (!Array.isArray(comments)) return ''
  return comments.length === 1 ? ' (and a comment on a line)' : ` (and ${comments.length} comments on lines)`
}

/** A retry that took the present muster.yaml says what that changed. */
function newTermsOf({ changes, contract, criteria }: Record<string, unknown>): string {
  if (!Array.isArray(changes) || changes.length === 0) return ''
  const counts = Object.entries((criteria ?? {}) as Record<string, unknown[]>)
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${list.length} ${what}`)
  const sealed = contract === null ? '' : `; new contract${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
  return ` under the changed muster.yaml (${changes.join('; ')})${sealed}`
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}
