/** What exactly Ship would do with a story, and the results of past work for it as a whole. */
import type { ProjectConfig } from '../../domain/config.ts'
import type { Criterion } from '../../domain/contract/contract.ts'
import { deferredOf } from '../../domain/contract/contract.ts'
import type { CriterionResult, Results } from '../../domain/verdict/evidence.ts'
import { currentPhase } from '../../domain/task/task.ts'
import { reasonFor, stageOf, waitingFor } from '../../domain/task/stage.ts'
import type { Stage } from '../../domain/task/stage.ts'
import type { StoryCounts, StoryState, StoryWork } from '../../domain/story/story.ts'
import { initialStory, isHalfway } from '../../domain/story/story.ts'
import { POST_DEPLOY, workId } from '../../domain/story/story-work.ts'
import type { Story, TaskStatus } from '../../domain/task/task.ts'
import type { Store, StoredTask } from '../../ports/store.ts'
import type { Workspaces } from '../../ports/workspaces.ts'
import type { RunView } from './run-view.ts'
import { lastResults } from './results.ts'
import { runView } from './run-view.ts'
import { eachTask, iso } from './views.ts'

export interface ShipView {
  id: string
  state: StoryState
  /** What would be shipped; null: its branch is gone. */
  head: string | null
  /** What is to be deployed is on the base already: going on lands nothing more. */
  landed: string | null
  /** Where the base is. */
  base: string | null
  /** The base has commits that the story does not. */
  baseMoved: boolean
  /** Of its top-level tasks. */
  tasks: Omit<StoryCounts, 'deferred'>
  deferred: { open: boolean; work: string | null; at: string | null; criteria: DeferredLine[] }
  /** The last verification of the story together with its base. `current`: of both as they are now. */
  merge: {
    work: string
    overall: Results['overall']
    activities: string[]
    tests: number
    at: string
    current: boolean
  } | null
  deploy: Command | null
  postDeploy: Command | null
  /** An agent looks at what was deployed. */
  judged: boolean
  /** What was done for it as a whole, the newest first. */
  works: WorkView[]
  /** The task that brings it together with its base, while that is not done. */
  sync: string | null
  movedAt: string
}

/** As configured: what its environment holds is nobody's business. */
interface Command {
  run: string
  timeoutMs: number
}

interface DeferredLine {
  description: string
  activity: string
  /** Where it can be read, with its evidence. */
  task: string
  status: CriterionResult['status']
  error: string | null
}

interface WorkView {
  id: string
  kind: StoryWork
  status: TaskStatus
  stage: Stage
  phase: string | null
  waitingFor: string | null
  phases: string[]
  runs: Pick<RunView, 'id' | 'phase' | 'startedAt' | 'endedAt' | 'verdict' | 'detail'>[]
  findings: string[]
  createdAt: string
  updatedAt: string
}

/** Older ones are in the history. */
const worksMax = 6

export async function shipView(
  store: Store,
  workspaces: Pick<Workspaces, 'head' | 'mergeBase'>,
  config: Pick<ProjectConfig, 'deploy' | 'postDeploy' | 'agents'>,
  story: Story,
): Promise<ShipView> {
  const { id } = story
  const standing = (await store.standing(id))?.standing ?? initialStory(id)
  const { deferred, ...tasks } = standing.tasks
  const [head, base] = [await workspaces.head(story.branch), await workspaces.head(story.base)]
  const works = await worksOf(store, id, standing.works)
  const merged = works.find(({ view, results }) => view.kind === 'ship' && results !== null)
  const checked = works.find(({ view }) => view.kind === 'deferred')
  const events = await store.events(`story:${id}`)
  return {
    id,
    state: standing.state,
    head,
    landed: isHalfway(standing) ? standing.landed : null,
    base,
    baseMoved: head !== null && base !== null && (await workspaces.mergeBase(base, head)) !== base,
    tasks,
    deferred: {
      open: deferred > 0 && !standing.deferredMet,
      work: checked?.view.id ?? null,
      at: checked?.results?.completedAt ?? null,
      criteria: deferred === 0 ? [] : await deferredLines(store, id, checked),
    },
    merge: merged === undefined ? null : mergeOf(merged, head, base),
    deploy: command(config.deploy),
    postDeploy: command(config.postDeploy),
    judged: Object.hasOwn(config.agents, POST_DEPLOY),
    works: works.map(({ view }) => view),
    sync: await syncOf(store, id, standing.works),
    movedAt: iso(events.at(-1)?.at ?? story.createdAt),
  }
}

function mergeOf({ task, results }: Work, head: string | null, base: string | null): ShipView['merge'] {
  if (results === null) return null
  const { overall, criteria, completedAt } = results
  return {
    work: task.spec.id,
    overall,
    activities: [...new Set(criteria.map(({ activity }) => activity))],
    tests: Math.max(0, ...criteria.map(({ evidence }) => evidence?.counts?.executed ?? 0)),
    at: completedAt,
    current: overall === 'pass' && task.state.commit === head && results.base === base,
  }
}

function command(config: ProjectConfig['deploy']): Command | null {
  return config == null ? null : { run: config.run, timeoutMs: config.timeoutMs }
}

interface Work {
  task: StoredTask
  view: WorkView
  results: Results | null
}

/** The newest first. Their numbers have gaps: bringing a story together with its base takes one, too. */
async function worksOf(store: Store, story: string, last: number): Promise<Work[]> {
  const found: Work[] = []
  for (let n = last; n > 0 && found.length < worksMax; n--) {
    for (const kind of ['ship', 'validation', 'deferred'] as const) {
      const task = await store.task(workId(story, kind, n))
      if (task !== null) found.push(await workOf(store, task, kind))
    }
  }
  return found
}

async function workOf(store: Store, task: StoredTask, kind: StoryWork): Promise<Work> {
  const { spec, state } = task
  const runs = await store.runs(spec.id)
  const view: WorkView = {
    id: spec.id,
    kind,
    status: state.status,
    stage: stageOf(state, spec.phases, []),
    phase: currentPhase(state, spec.phases)?.name ?? null,
    waitingFor: waitingFor(state, reasonFor(state, spec.phases, [])),
    phases: spec.phases.map(({ name }) => name),
    runs: runs.map(runView).map(({ id, phase, startedAt, endedAt, verdict, detail }) => {
      return { id, phase, startedAt, endedAt, verdict, detail }
    }),
    findings: (await store.findings(spec.id))
      .filter(({ severity }) => severity === 'FAIL')
      .map(({ message, file }) => (file === undefined ? message : `${file}: ${message}`)),
    createdAt: iso(spec.createdAt),
    updatedAt: iso(task.updatedAt),
  }
  return { task, view, results: lastResults(runs, state.attempt) }
}

/** As they were answered on the story as a whole; before that, as its tasks left them. */
async function deferredLines(store: Store, story: string, work: Work | undefined): Promise<DeferredLine[]> {
  const line = ({ id, description, activity }: Criterion, task: string, results: Results | null): DeferredLine => {
    const result = results?.criteria.find((one) => one.id === id)
    return { description, activity, task, status: result?.status ?? 'pending', error: result?.error ?? null }
  }
  if (work !== undefined) {
    const { spec, state } = work.task
    // What a person took over is not hidden, and not open any more.
    const waived = state.status === 'completed' ? (state.waiver?.criteria ?? []) : []
    const contract = (await store.contracts(spec.id)).at(-1)
    return (contract?.criteria ?? []).map((criterion) => {
      const found = line(criterion, spec.id, work.results)
      return waived.includes(criterion.id) ? { ...found, status: 'waived' as const } : found
    })
  }
  const lines: DeferredLine[] = []
  for await (const { spec, state } of eachTask(store, { story })) {
    const contract = state.status === 'completed' ? (await store.contracts(spec.id)).at(-1) : undefined
    if (contract !== undefined) lines.push(...deferredOf(contract).map((criterion) => line(criterion, spec.id, null)))
  }
  return lines
}

async function syncOf(store: Store, story: string, last: number): Promise<string | null> {
  for (let n = last; n > 0; n--) {
    const id = `${story}-sync-${n}`
    const status = (await store.statuses([id])).get(id)
    if (status !== undefined) return status === 'completed' || status === 'cancelled' ? null : id
  }
  return null
}
