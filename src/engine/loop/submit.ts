/**
 * Turns a plan into a story, or finds its story again: adds new tasks, rewrites changed tasks that have not started,
 * refuses changes of started ones with the difference, and reports and keeps removed ones.
 */
import { createHash } from 'node:crypto'
import { checksOf } from '../../tools/checks.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Plan, PlannedTask } from '../../domain/story/plan.ts'
import { MusterError } from '../../domain/errors.ts'
import { asWritten } from '../../domain/task/phase-map.ts'
import { WORK } from '../../domain/task/purpose.ts'
import type { Story } from '../../domain/task/task.ts'
import { initialState, isOver, storyBranch, taskBranch } from '../../domain/task/task.ts'
import { phasesOf } from '../../domain/validation.ts'
import type { ListedTask, NewEvent, NewTask, StoredTask } from '../../ports/store.ts'
import { keepBudgets } from './budget.ts'
import { configHash, snapshotText } from '../config-snapshot.ts'
import type { Sealed } from './contracts.ts'
import { sealTask, wordsOn } from './contracts.ts'
import type { EngineTurns } from './core.ts'

export interface SubmitResult {
  story: string
  created: boolean
  added: string[]
  changed: string[]
  /** In the story, but no longer in the plan. */
  removed: string[]
  /** What people should know about how the new tasks will be judged. */
  notices: { id: string; notice: string }[]
  /** New tasks that go on without verification. */
  advisory: { id: string; title: string }[]
  /** Nothing is left to do: every task is over and the plan adds none. */
  over: boolean
}

export async function submitPlan(
  engine: EngineTurns,
  plan: Plan,
  config: ProjectConfig,
  fresh = false,
): Promise<SubmitResult> {
  const story = await engine.parts.store.story(plan.key)
  const result =
    story === null ? await createStory(engine, plan, config) : await resumeStory(engine, plan, config, story, fresh)
  // Only now: what the plan changed must not start as it was, and the first cycle must see all its tasks at once.
  engine.include(plan.key)
  return result
}

async function createStory(engine: EngineTurns, plan: Plan, config: ProjectConfig): Promise<SubmitResult> {
  const { store, workspaces, clock } = engine.parts
  const { key } = plan
  const head = await syncBase(engine, config)
  const story: Story = { id: key, name: plan.name, branch: storyBranch(key), base: config.base, createdAt: clock.now() }
  await workspaces.ensureBranch(story.branch, head)
  const tasks: Sealed[] = []
  for (const task of plan.tasks)
    tasks.push(await seal(engine, config, newTask(engine, config, story, task), task, head, plan))
  for (const { spec } of tasks) {
    const taken = await store.task(spec.id)
    if (taken !== null) {
      throw new MusterError('conflict', `the plan's task ${spec.id} has the id of an existing task`, {
        hint: 'give the plan another meta.id',
      })
    }
  }
  await ensureParentBranches(engine, plan, story, head)
  await keepBudgets(engine.parts, plan)
  const created: NewEvent = {
    chain: `story:${key}`,
    type: 'story-created',
    actor: 'muster',
    data: { name: plan.name, tasks: tasks.length },
  }
  await storeTasks(engine, config, { stories: [story], tasks, events: [created] })
  const added = tasks.map((task) => task.spec.id)
  return { story: key, created: true, added, changed: [], removed: [], ...wordsOn(tasks), over: false }
}

/** The head of the base, after a look at whether Muster can work on it. */
export async function syncBase({ parts: { workspaces } }: EngineTurns, config: ProjectConfig): Promise<string> {
  await workspaces.sync()
  const head = await workspaces.head(config.base)
  if (head === null) {
    throw new MusterError('config', `the base branch "${config.base}" does not exist`, {
      hint: 'set "base:" in muster.yaml',
    })
  }
  const filters = await workspaces.filters(head)
  if (filters.length === 0) return head
  throw new MusterError(
    'config',
    `${config.base} has files behind git filters, which Muster does not run: ${filters.join(', ')}`,
    {
      hint: 'agents would see and commit the pointers instead of the files: remove the files from the filter first',
    },
  )
}

async function resumeStory(
  engine: EngineTurns,
  plan: Plan,
  config: ProjectConfig,
  story: Story,
  fresh: boolean,
): Promise<SubmitResult> {
  const { store } = engine.parts
  const known = new Map<string, ListedTask>()
  for (let after: string | undefined; ;) {
    const page = await store.listTasks({ story: story.id, after, limit: 1000 })
    for (const task of page) known.set(task.spec.id, task)
    if (page.length < 1000) break
    after = page.at(-1)?.spec.id
  }
  const head = await storyHead(engine, config, story)
  // A parent whose subtasks have begun has its branch, with their work: were it gone, a new one would hide that.
  const started = new Set(
    [...known.values()].filter(({ state }) => state.runs > 0).flatMap(({ spec }) => spec.parent ?? []),
  )
  const added: Sealed[] = []
  const redefined: Sealed<NewTask & { version: number }>[] = []
  const refused: string[] = []
  for (const planned of plan.tasks) {
    const task = newTask(engine, config, story, planned)
    if (!known.delete(task.spec.id)) {
      added.push(await seal(engine, config, task, planned, head, plan))
      continue
    }
    const stored = await store.task(task.spec.id)
    if (stored === null || stored.definitionHash === task.definitionHash) continue
    if (stored.state.status === 'not-started' && stored.state.runs === 0)
      redefined.push(await seal(engine, config, { ...task, version: stored.version }, planned, head, plan))
    else refused.push(...differences(stored, task))
  }
  // A subtask that left the plan stays, with its work and with what it could not answer: its parent still waits for it.
  for (const task of redefined) {
    const kept = [...known.values()].filter(({ spec }) => spec.parent === task.spec.id).map(({ spec }) => spec.id)
    task.spec = { ...task.spec, dependsOn: [...new Set([...task.spec.dependsOn, ...kept])] }
  }
  if (fresh && added.length + redefined.length + refused.length > 0) {
    throw new MusterError('conflict', `there is already a story "${story.id}" with other tasks`, {
      hint: 'give this one another "name" or its own "id"',
    })
  }
  if (refused.length > 0) {
    const hint = 'restore the old text, give the changed task a new id, or start over with --new'
    throw new MusterError(
      'config',
      `the plan changed tasks of "${story.id}" that have already started:\n${refused.join('\n')}`,
      { hint },
    )
  }
  const unbegun = plan.tasks.filter((task) => task.parent === null || !started.has(`${story.id}-${task.parent}`))
  await ensureParentBranches(engine, { ...plan, tasks: unbegun }, story, head)
  await keepBudgets(engine.parts, plan)
  if (added.length + redefined.length > 0) await storeTasks(engine, config, { tasks: added, redefined })
  const open = await store.listTasks({ story: story.id, open: true, limit: 1 })
  return {
    story: story.id,
    created: false,
    added: added.map((task) => task.spec.id),
    changed: redefined.map((task) => task.spec.id),
    removed: [...known.keys()].filter((id) => !isExtra(story.id, id)),
    ...wordsOn([...added, ...redefined]),
    over: open.length === 0,
  }
}

/** What the story's work starts from now; a story whose branch is gone is told so when a task needs it. */
async function storyHead(engine: EngineTurns, config: ProjectConfig, story: Story): Promise<string> {
  const { workspaces } = engine.parts
  await workspaces.sync()
  return (await workspaces.head(story.branch)) ?? syncBase(engine, config)
}

function seal<T extends NewTask>(
  { parts }: EngineTurns,
  config: ProjectConfig,
  task: T,
  { contract }: PlannedTask,
  commit: string,
  { adHoc = false }: Plan,
): Promise<Sealed<T>> {
  return sealTask(parts, config, task, commit, { type: null, written: contract, planned: !adHoc })
}

/** Subtasks land on their parent's branch, so it must be there before they start. */
async function ensureParentBranches(engine: EngineTurns, plan: Plan, story: Story, head: string): Promise<void> {
  const parents = new Set(plan.tasks.flatMap((task) => task.parent ?? []))
  for (const parent of parents) await engine.parts.workspaces.ensureBranch(taskBranch(`${story.id}-${parent}`), head)
}

function newTask(engine: EngineTurns, config: ProjectConfig, story: Story, planned: PlannedTask): NewTask {
  const { clock } = engine.parts
  // A person may raise what it may cost at any time.
  const { budgetUsd: _, ...defined } = planned
  const idOf = (id: string) => `${story.id}-${id}`
  const { title, instructions, acceptanceCriteria, agent, checks, expectedFiles } = planned
  const id = idOf(planned.id)
  const target = planned.parent === null ? story.branch : taskBranch(idOf(planned.parent))
  return {
    spec: {
      id,
      title,
      instructions,
      acceptanceCriteria,
      agent,
      purpose: WORK,
      defect: planned.defect ?? null,
      specRef: planned.specRef ?? null,
      maxRounds: planned.maxRounds ?? null,
      checks: checksOf(config, agent, checks),
      expectedFiles,
      story: story.id,
      parent: planned.parent === null ? null : idOf(planned.parent),
      dependsOn: planned.dependsOn.map(idOf),
      target,
      phases: phasesOf(planned, config),
      configHash: configHash(config),
      createdAt: clock.now(),
    },
    state: initialState(id, planned.maxRounds ?? config.limits.maxTaskRounds),
    definitionHash: sha256(JSON.stringify({ ...defined, phases: planned.phases && asWritten(planned.phases) })),
  }
}

/** Tasks that were added to a story by hand are numbered apart, so that they never take an id of the plan. */
export const extraPrefix = (story: string): string => `${story}-extra`
const isExtra = (story: string, id: string): boolean => id.startsWith(`${extraPrefix(story)}-`)

const FIELDS = [
  'title',
  'instructions',
  'acceptanceCriteria',
  'agent',
  'parent',
  'dependsOn',
  'checks',
  'expectedFiles',
  'phases',
  'defect',
  'specRef',
  'maxRounds',
] as const

function differences(stored: StoredTask, task: NewTask): string[] {
  const lines = FIELDS.flatMap((field) => {
    const [was, is] = [JSON.stringify(stored.spec[field]), JSON.stringify(task.spec[field])]
    return was === is ? [] : [`    ${field}: ${short(was)} → ${short(is)}`]
  })
  const standing = isOver(stored.state.status) ? stored.state.status : `at ${stored.state.phase}`
  return [`  ${stored.spec.id} (${standing})`, ...lines]
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** Stores new tasks with their beginnings and puts them on the engine's table. */
export async function storeTasks(
  engine: EngineTurns,
  config: ProjectConfig,
  change: {
    stories?: Story[]
    tasks: Sealed[]
    redefined?: Sealed<NewTask & { version: number }>[]
    events?: NewEvent[]
  },
): Promise<void> {
  const { probe } = engine.parts
  const { tasks, redefined = [], stories = [], events = [] } = change
  const written = [...tasks, ...redefined]
  await engine.transactor.add({
    configs: [{ hash: configHash(config), body: snapshotText(config) }],
    stories,
    tasks,
    redefined,
    events,
  })
  const ids = written.map(({ spec }) => spec.id)
  probe.emit({ type: 'tasks-added', ids })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
