/**
 * Tasks and stories as Muster shows them: one documented JSON shape for every surface, computed only from the store.
 */
import { findDeadlocks } from '../../domain/task/deadlock.ts'
import type { Deadlock } from '../../domain/task/reasons.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import type { Cost } from '../../domain/cost.ts'
import { costOf, spentBy } from '../../domain/cost.ts'
import type { Waiver } from '../../domain/verdict/evidence.ts'
import { nextCommands } from '../../domain/task/next.ts'
import { caveatsOf, needsPerson, reasonFor, stageOf } from '../../domain/task/stage.ts'
import type { Stage } from '../../domain/task/stage.ts'
import { plansShownMax } from '../../domain/limits.ts'
import type { StoryState, StoryWork } from '../../domain/story/story.ts'
import { checkedTask } from '../../domain/task/purpose.ts'
import type { Story, TaskState, TaskStatus } from '../../domain/task/task.ts'
import { taskBranch } from '../../domain/task/task.ts'
import type { ShownFinding } from '../../domain/task/recurring.ts'
import { withFirstRound } from '../../domain/task/recurring.ts'
import type { Limited } from '../loop/rate-limits.ts'
import { plansOf, type PlanView } from '../steps/planning.ts'
import { isStuck } from './story-lists.ts'
import { answered, lastResults, type ShownResults } from './results.ts'
import { failureOf, standingOf, turnOf, whyView, type ReasonView } from './why.ts'
import type { ListedTask, RunRecord, Store, StoredTask } from '../../ports/store.ts'

export interface TaskView {
  id: string
  title: string
  instructions: string
  acceptanceCriteria: string
  status: TaskStatus
  phase: string | null
  stage: Stage
  round: number
  attempt: number
  story: string | null
  parent: string | null
  dependsOn: readonly string[]
  checks: readonly string[]
  branch: string
  target: string
  pr: string | null
  agent: string | null
  /** Where its specification is, if somebody said so. */
  specRef: string | null
  /** Of a checker: the task it checks. */
  checkerFor: string | null
  /** The one in force. */
  contract: Contract | null
  /** What its planner wrote, the newest last; of many only the last ones. */
  plans: PlanView[]
  /** What the last verification of the present attempt found. */
  results: ShownResults | null
  findings: ShownFinding[]
  checker: CheckerView
  /** What the checker has against the work; null after PASS and WARN, and while there is nothing to tell. */
  checkerReport: CheckerReport | null
  warnings: string[]
  /** The same, each with who said it and when. */
  remarks: ShownFinding[]
  /** What a person took over for the present snapshot. */
  waiver: Waiver | null
  /** Why it stands where it stands, also once it failed; null: nothing is to be said. */
  reason: ReasonView | null
  failureReason: string | null
  /** What keeps a good result from being a plain one. */
  caveats: readonly string[]
  waitingFor: string | null
  /** What a person can type about it now. */
  next: readonly string[]
  /** Of all its runs; unknown (null) for agents that do not say what they cost. */
  cost: Cost
  commit: string | null
  createdAt: string
  updatedAt: string
}

export interface CheckerView {
  status: 'none' | 'pending' | 'running' | 'passed' | 'warned' | 'failed' | 'error'
  /** The checker's own task. */
  taskId?: string
}

/** `failed`: the work is not done. `error`: the checker could not tell. */
interface CheckerReport {
  kind: 'failed' | 'error'
  text: string
}

export interface StoryView {
  id: string
  name: string
  state: StoryState
  /** What a person should know of how it stands. */
  message: string | null
  /** Left out of lists unless all are asked for. */
  archived: boolean
  /** The task that works for it as a whole, or did last. */
  work: { id: string; kind: StoryWork; stage: Stage; reason: ReasonView | null; waitingFor: string | null } | null
  /** What Ship made of the base. */
  landed: string | null
  /** Of one that is REVIEW_READY: whether something has looked at what was deployed. */
  validated: boolean | null
  branch: string
  base: string
  tasks: Record<TaskStatus, number>
  /** Of all its tasks. */
  cost: Cost
  createdAt: string
}

/** A task in a list: the long texts and the history are left to `taskView`. */
export type TaskLine = Pick<
  TaskView,
  | 'id'
  | 'title'
  | 'status'
  | 'phase'
  | 'stage'
  | 'round'
  | 'attempt'
  | 'story'
  | 'agent'
  | 'dependsOn'
  | 'parent'
  | 'reason'
  | 'waitingFor'
  | 'failureReason'
  | 'caveats'
  | 'updatedAt'
> & {
  needsPerson: boolean
  /** Of one that failed or waits for a person: what they can type. */
  next: readonly string[]
}

/**
 * `limited`: the programs that start nothing now. `deadlock`: why it can never start, where somebody has found that out
 * already; undefined: to be found out.
 */
export async function taskView(
  store: Store,
  task: StoredTask,
  limited: readonly Limited[] = [],
  deadlock?: Deadlock | null,
): Promise<TaskView> {
  const { spec, state } = task
  const findings = withFirstRound(await store.findings(spec.id))
  const remarks = findings.filter((finding) => finding.severity === 'WARN')
  const runs = await store.runs(spec.id)
  const checks = await store.checkRuns(spec.id)
  const contract = (await store.contracts(spec.id)).at(-1) ?? null
  const judged = [...runs, ...checks].filter(({ attempt }) => attempt === state.attempt)
  const standing = await standingOf(store, task, limited, deadlock)
  return {
    id: spec.id,
    title: spec.title,
    instructions: spec.instructions,
    acceptanceCriteria: spec.acceptanceCriteria,
    status: state.status,
    phase: state.phase,
    stage: standing.stage,
    round: state.round,
    attempt: state.attempt,
    story: spec.story,
    parent: spec.parent,
    dependsOn: spec.dependsOn,
    checks: spec.checks,
    branch: taskBranch(spec.id),
    target: spec.target,
    pr: state.pr?.url ?? null,
    agent: spec.agent,
    specRef: spec.specRef,
    checkerFor: checkedTask(spec),
    contract,
    plans: plansOf(runs, state).slice(-plansShownMax),
    results: answered(task, lastResults(runs, state.attempt), contract, judged),
    findings: findings.filter((finding) => finding.severity === 'FAIL'),
    checker: checkerView(state, checks),
    checkerReport: checkerReport(state),
    warnings: remarks.map((finding) => finding.message),
    remarks,
    waiver: state.waiver,
    failureReason: failureOf(state),
    caveats: caveatsOf(state),
    reason: standing.reason,
    waitingFor: standing.waitingFor,
    next: nextCommands(state, spec.phases),
    cost: costOf([...runs, ...checks].map(({ end }) => spentBy(end?.facts ?? {}))),
    commit: state.commit,
    createdAt: iso(spec.createdAt),
    updatedAt: iso(task.updatedAt),
  }
}

const STATUS = { PASS: 'passed', WARN: 'warned', FAIL: 'failed', ERROR: 'error' } as const

function checkerView({ check, attempt }: TaskState, runs: readonly RunRecord[]): CheckerView {
  if (check === null || check.attempt !== attempt) return { status: 'none' }
  const status =
    check.verdict === null
      ? runs.some(({ taskId, end }) => taskId === check.id && end === null)
        ? 'running'
        : 'pending'
      : STATUS[check.verdict]
  return { status, taskId: check.id }
}

function checkerReport({ check, attempt }: TaskState): CheckerReport | null {
  if (check?.attempt !== attempt || (check.verdict !== 'FAIL' && check.verdict !== 'ERROR')) return null
  return { kind: check.verdict === 'FAIL' ? 'failed' : 'error', text: check.report }
}

/** Views of all tasks of a story. Who blocks whom is found out once for all of them. */
export async function storyTaskViews(store: Store, story: string, limited?: readonly Limited[]): Promise<TaskView[]> {
  const ids: string[] = []
  for await (const { spec } of eachTask(store, { story })) ids.push(spec.id)
  return taskViews(store, ids, limited)
}

export async function taskViews(
  store: Store,
  ids: Iterable<string>,
  limited?: readonly Limited[],
): Promise<TaskView[]> {
  const tasks: StoredTask[] = []
  for (const id of ids) {
    const task = await store.task(id)
    if (task !== null) tasks.push(task)
  }
  const among = new Set(tasks.map(({ spec }) => spec.id))
  const outside = [...new Set(tasks.flatMap(({ spec }) => [...spec.dependsOn]))].filter((id) => !among.has(id))
  const nodes = [
    ...tasks.map(({ spec, state }) => ({ id: spec.id, status: state.status, dependsOn: spec.dependsOn })),
    ...[...(await store.statuses(outside))].map(([id, status]) => ({ id, status, dependsOn: [] })),
  ]
  const stuck = new Map(findDeadlocks(nodes).map((deadlock) => [deadlock.task, deadlock]))
  const views: TaskView[] = []
  for (const task of tasks) views.push(await taskView(store, task, limited, stuck.get(task.spec.id) ?? null))
  return views
}

export async function* eachTask(store: Store, query: { story?: string; open?: boolean }): AsyncGenerator<ListedTask> {
  const limit = 500
  for (let after: string | undefined; ;) {
    const page = await store.listTasks({ ...query, after, limit })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)?.spec.id
  }
}

export async function taskLines(
  store: Store,
  tasks: readonly ListedTask[],
  limited: readonly Limited[],
): Promise<TaskLine[]> {
  const statuses = await store.statuses([...new Set(tasks.flatMap((task) => [...task.spec.dependsOn]))])
  const lines = tasks.map(async (task): Promise<TaskLine> => {
    const { spec, state, updatedAt } = task
    const blockedBy = spec.dependsOn.filter((id) => statuses.get(id) !== 'completed')
    return {
      id: spec.id,
      title: spec.title,
      status: state.status,
      phase: state.phase,
      stage: stageOf(state, spec.phases, blockedBy),
      round: state.round,
      attempt: state.attempt,
      story: spec.story,
      agent: spec.agent,
      dependsOn: spec.dependsOn,
      parent: spec.parent,
      ...whyView(task, await turnOf(store, task, limited, reasonFor(state, spec.phases, blockedBy))),
      needsPerson: needsPerson(state, spec.phases),
      next: isStuck(task) ? nextCommands(state, spec.phases) : [],
      failureReason: failureOf(state),
      caveats: caveatsOf(state),
      updatedAt: iso(updatedAt),
    }
  })
  return Promise.all(lines)
}

export async function storyView(store: Store, story: Story): Promise<StoryView> {
  const { id, name, branch, base, createdAt } = story
  const tasks = await store.countByStatus(id)
  const cost = costOf(await store.spent({ story: id }))
  const stored = await store.standing(id)
  const { state = 'OPEN', message = null, work = null, landed = null } = stored?.standing ?? {}
  const task = work === null ? null : await store.task(work.id)
  const working =
    work === null || task === null
      ? null
      : {
          ...work,
          stage: stageOf(task.state, task.spec.phases, []),
          ...whyView(task, reasonFor(task.state, task.spec.phases, [])),
        }
  const validated = state === 'REVIEW_READY' ? (stored?.standing.validated ?? null) : null
  const archived = stored?.standing.archived === true
  const stands = { state, message, archived, work: working, landed, validated }
  return { id, name, ...stands, branch, base, tasks, cost, createdAt: iso(createdAt) }
}

export const iso = (at: number): string => new Date(at).toISOString()
