/**
 * Everything that people and programs can ask Muster to change: the application's interface. The command line and the
 * local socket both use it; requests and answers are plain JSON.
 */
import { because, type Reason } from '../domain/task/reasons.ts'
import type { Comment } from '../domain/task/comment.ts'
import type { Plan } from '../domain/story/plan.ts'
import type { ProjectConfig, Retention } from '../domain/config.ts'
import type { Contract } from '../domain/contract/contract.ts'
import { MusterError } from '../domain/errors.ts'
import { taskBranch } from '../domain/task/task.ts'
import type { NewTerms } from '../domain/task/terms.ts'
import type { Asking, AskingResult } from './asking.ts'
import { ask } from './asking.ts'
import type { CleanReport, Discarded } from './jobs/clean.ts'
import { clean, discard } from './jobs/clean.ts'
import type { Decider } from './decider.ts'
import { agreeOn, type AgreeRequest, confirmCommit } from './loop/agreed.ts'
import { elaborate } from './steps/elaborate.ts'
import type { Engine } from './loop/engine.ts'
import { findStory, findTask } from './meant.ts'
import { Mutex } from './loop/mutex.ts'
import type { AddedTask, NewTaskRequest } from './loop/new-task.ts'
import { addTask } from './loop/new-task.ts'
import type { StoryStanding, StoryState } from '../domain/story/story.ts'
import { isValidation, servedStory, shippedStory, subjectId } from '../domain/task/purpose.ts'
import { addFixes, movedOn } from './loop/stories.ts'
import type { SubmitResult } from './loop/submit.ts'
import { submitPlan } from './loop/submit.ts'
import { newTerms } from './loop/terms.ts'
import { eachTask } from './views/views.ts'

/** Of the task as the asker saw it: if it has moved on since, the command is refused with `conflict` (F-11). */
type Version = number | undefined

export interface Commands {
  /**
   * Creates the plan's story, or resumes it. New tasks are created under the configuration that comes with the request.
   * `fresh`: a story of that name that has other tasks is somebody else's, and `conflict`. `decides`: a decision comes with
   * it, so that both need the same proof.
   */
  submit(request: { plan: Plan; config: ProjectConfig; fresh?: boolean; decides?: true }): Promise<SubmitResult>
  add(request: { task: NewTaskRequest; config: ProjectConfig }): Promise<AddedTask>
  decide(
    request: Decider & {
      kind: 'accept' | 'reject' | 'approve'
      task: string
      message: string
      /** With a rejection: what is said about single lines. */
      comments?: readonly Comment[] | undefined
      version?: Version
    },
  ): Promise<{ id: string }>
  /** A person's choice of the contract, before the task starts. */
  contract(request: AgreeRequest): Promise<{ id: string; contract: Contract }>
  /** Takes a person's commit as an attempt; without a revision, the head of the task's branch. */
  take(request: Decider & { task: string; revision: string | null }): Promise<{ id: string; commit: string }>
  /**
   * `config`: muster.yaml as it is now. If that asks something else of the task than what it works under, the task gets it,
   * with a contract sealed anew; `terms` says what changed.
   */
  retry(
    request: Decider & { task: string; version?: Version; config?: ProjectConfig | undefined },
  ): Promise<{ id: string; terms?: NewTerms }>
  cancel(request: Decider & { task: string; reason: string; version?: Version }): Promise<{ id: string }>
  /**
   * Ships a story. `resume` goes on with a Ship that stopped half-way; `deployed` is a person's word that a deploy whose
   * end nobody saw has done its work. `expect`: the heads of its branch and its base as the asker saw them; if one has
   * moved on, the Ship is refused with `conflict`.
   */
  ship(
    request: Decider & {
      story: string
      how: 'ship' | 'resume' | 'deployed'
      message: string
      expect?: { head: string; base?: string | undefined } | undefined
    },
  ): Promise<{ id: string; state: StoryState }>
  /** Gives a story up: all its open tasks are cancelled with it, in one commit. */
  cancelStory(request: Decider & { story: string; reason: string }): Promise<{ id: string; tasks: string[] }>
  /** Leaves a story out of lists, or shows it again. */
  archiveStory(request: Decider & { story: string; archived: boolean }): Promise<{ id: string }>
  /** Asks a person to decide, and decides nothing. See asking.ts. */
  ask(request: Asking): Promise<AskingResult>
  /** Has a goal broken down into a draft of a story; the task that does it. */
  elaborate(request: { goal: string; config: ProjectConfig }): Promise<{ id: string }>
  /** Tasks of the story from what its validation found. */
  fix(request: { story: string; by: string }): Promise<{ id: string; tasks: string[] }>
  pause(request: { paused: boolean }): Promise<{ paused: boolean }>
  /** Something happened at the forge: whatever waits for it is looked at now. */
  look(request: object): Promise<{ looked: true }>
  /** Removes what may go, see clean.ts. */
  clean(request: { retention: Retention }): Promise<CleanReport>
  /** Removes one workspace whose work is saved nowhere, by the id of its run or by its task. */
  discard(request: Decider & { workspace: string }): Promise<Discarded>
}

export function engineCommands(engine: Engine): Commands {
  const find = (wanted: string) => findTask(engine.parts.store, wanted)
  const story = (wanted: string) => findStory(engine.parts.store, wanted)
  // What looks whether something exists before it creates it must not be overtaken by another that does the same.
  const creating = new Mutex()
  const cleaning = new Mutex()
  const asking = new Mutex()
  return {
    submit: ({ plan, config, fresh }) => creating.run(() => submitPlan(engine, plan, config, fresh)),
    add: ({ task, config }) => creating.run(() => addTask(engine, task, config)),
    async decide({ kind, task, message, comments, by, proof, version }) {
      const id = await find(task)
      await refuseShip(engine, id, kind)
      await engine.transactor.apply(id, { type: 'decided', kind, message, comments, by }, { actor: by, proof, version })
      return { id }
    },
    async contract(request) {
      const id = await find(request.task)
      return { id, contract: await agreeOn(engine, { ...request, task: id }) }
    },
    take: async (request) => take(engine, { ...request, task: await find(request.task) }),
    retry: async (request) => retry(engine, { ...request, task: await find(request.task) }),
    cancel: async (request) => cancel(engine, { ...request, task: await find(request.task) }),
    ship: async (request) => ship(engine, { ...request, story: await story(request.story) }),
    cancelStory: (request) =>
      creating.run(async () => cancelStory(engine, { ...request, story: await story(request.story) })),
    async archiveStory({ story: wanted, archived, by, proof }) {
      const id = await story(wanted)
      await engine.transactor.applyStory(id, { type: 'archive', by, archived }, { actor: by, proof })
      return { id }
    },
    ask: (request) =>
      asking.run(async () => {
        return ask(engine, { ...request, id: request.what === 'ship' ? request.id : await find(request.id) })
      }),
    elaborate: ({ goal, config }) => creating.run(() => elaborate(engine, goal, config)),
    fix: ({ story: wanted, by }) => creating.run(async () => addFixes(engine, await story(wanted), by)),
    async pause({ paused }) {
      await engine.setPaused(paused)
      return { paused }
    },
    async look() {
      engine.look()
      return { looked: true }
    },
    clean: ({ retention }) => cleaning.run(() => clean(engine, retention)),
    discard: ({ workspace, ...decider }) => cleaning.run(() => discard(engine, workspace, decider)),
  }
}

async function take(engine: Engine, { task: id, revision, by, proof }: Parameters<Commands['take']>[0]) {
  const { workspaces, store } = engine.parts
  const wanted = revision ?? taskBranch(id)
  const found = await workspaces.find(wanted)
  if (found === null) {
    throw new MusterError('not_found', `there is no commit "${wanted}" in the repository`, {
      hint: `commit your work, then: muster submit ${id} <commit>`,
    })
  }
  const stored = await store.task(id)
  const statuses = await store.statuses(stored?.spec.dependsOn ?? [])
  const open = [...statuses].filter(([, status]) => status !== 'completed').map(([other]) => other)
  if (open.length > 0) {
    throw new MusterError('gate_closed', `${id} waits for ${open.join(', ')}`, { hint: `muster explain ${id}` })
  }
  await workspaces.adopt(found.commit)
  const contract = stored === null ? null : await confirmCommit(engine, stored.spec, found.commit)
  await engine.transactor.apply(id, { type: 'submitted', commit: found.commit, by }, { actor: by, proof, contract })
  return { id, commit: found.commit }
}

async function retry(
  engine: Engine,
  { task: found, by, proof, version, config }: Parameters<Commands['retry']>[0],
): ReturnType<Commands['retry']> {
  const spec = (await engine.parts.store.task(found))?.spec ?? null
  const served = spec === null || isValidation(spec) ? null : servedStory(spec)
  if (served !== null) {
    // Its story says what there is to do again.
    await ship(engine, { story: served, how: 'resume', message: '', by, proof })
    return { id: found }
  }
  // A checker works for its task: that is asked whether it wants to know.
  const id = spec === null ? found : subjectId(spec)
  const asks = await askedBefore(engine, id)
  const stored = await engine.parts.store.task(id)
  const anew = config === undefined || stored === null ? null : await newTerms(engine, stored, config)
  if (anew === null || stored === null) {
    await engine.transactor.apply(id, { type: 'retried', by, asks }, { actor: by, proof, version })
    return { id }
  }
  const { under, contract } = anew
  const beside = { actor: by, proof, contract, under, version: version ?? stored.version }
  await engine.transactor.apply(id, { type: 'retried', by, asks, under: under.terms }, beside)
  return { id, terms: under.terms }
}

async function cancel(engine: Engine, { task: id, reason, by, proof, version }: Parameters<Commands['cancel']>[0]) {
  // Who depends on it is told: that needs all open tasks, also without a running engine.
  await engine.load()
  await engine.effects.besideActions(id, async () => {
    await refuseIfDone(engine, id)
    await engine.transactor.apply(id, { type: 'cancelled', reason, by }, { actor: by, proof, version })
  })
  return { id }
}

async function ship(engine: Engine, { story, how, message, by, proof, expect }: Parameters<Commands['ship']>[0]) {
  const { transactor, parts } = engine
  if (how !== 'deployed') {
    if (how === 'ship' && expect !== undefined) await refuseMoved(engine, story, expect)
    const event = how === 'ship' ? { type: how, by, commit: expect?.head } : { type: how, by }
    const { id, state } = await transactor.applyStory(story, event, { actor: by, proof })
    engine.include(story)
    return { id, state }
  }
  const standing = await standingOf(engine, story)
  if (standing.state !== 'SHIPPING' || standing.message === null || standing.work === null) {
    throw new MusterError('gate_closed', `no deploy of ${story} has an unknown outcome`, {
      hint: `muster story show ${story}`,
    })
  }
  await transactor.apply(standing.work.id, { type: 'decided', kind: 'accept', message, by }, { actor: by, proof })
  engine.include(story)
  return { id: story, state: (await parts.store.standing(story))?.standing.state ?? 'SHIPPING' }
}

async function cancelStory(engine: Engine, { story, reason, by, proof }: Parameters<Commands['cancelStory']>[0]) {
  await standingOf(engine, story)
  await engine.load()
  const tasks: string[] = []
  for await (const { spec } of eachTask(engine.parts.store, { story, open: true })) tasks.push(spec.id)
  // No landing of theirs is torn apart: each is waited for, as when one task is cancelled.
  const beside = tasks.reduceRight<() => Promise<void>>(
    (inner, id) => () =>
      engine.effects.besideActions(id, async () => {
        await refuseIfDone(engine, id)
        await inner()
      }),
    async () => {
      await engine.transactor.applyStory(
        story,
        { type: 'cancel', by, reason },
        { actor: by, proof, ends: { tasks, by, reason } },
      )
    },
  )
  await beside()
  return { id: story, tasks }
}

/** Nobody ships something else than what they were shown. A story that cannot be shipped says why by itself. */
async function refuseMoved(engine: Engine, id: string, expect: { head: string; base?: string | undefined }) {
  const { store, workspaces } = engine.parts
  const story = await store.story(id)
  if (story === null || (await standingOf(engine, id)).state !== 'SHIPPABLE') return
  const moved =
    movedOn(story.branch, await workspaces.head(story.branch), expect.head) ??
    (expect.base === undefined ? null : movedOn(story.base, await workspaces.head(story.base), expect.base))
  if (moved === null) return
  throw new MusterError('conflict', moved, { hint: 'check what Ship would do now, then press it again' })
}

async function standingOf({ parts: { store } }: Engine, id: string): Promise<StoryStanding> {
  const stored = await store.standing(id)
  if (stored === null) throw new MusterError('not_found', `there is no story ${id}`, { hint: 'muster story list' })
  return stored.standing
}

/** A Ship goes on as its story says; only what nobody saw the end of is for a person to tell. */
async function refuseShip(engine: Engine, id: string, kind: 'accept' | 'reject' | 'approve'): Promise<void> {
  const spec = (await engine.parts.store.task(id))?.spec ?? null
  const story = spec === null ? null : shippedStory(spec)
  if (story === null) return
  const { state, message } = await standingOf(engine, story)
  if (kind === 'accept' && state === 'SHIPPING' && message !== null) return
  throw new MusterError('gate_closed', `${id} ships ${story}, which is ${state}, so you cannot ${kind} it`, {
    hint: `muster story show ${story} shows the next step`,
  })
}

/** What a person had not said yet when the task was cancelled before its first run (S3.19): it is still to be said. */
async function askedBefore({ parts: { store } }: Engine, id: string): Promise<Reason | null> {
  const state = (await store.task(id))?.state
  if (state?.status !== 'cancelled' || state.runs > 0) return null
  const last = (await store.events(`task:${id}`)).findLast(({ type }) => type === 'task-cancelled')
  const { asks = null } = (last?.data ?? {}) as { asks?: Reason | string | null }
  return typeof asks === 'string' ? because('older', { text: asks, as: 'contract-question', byItself: false }) : asks
}

/** What an action did before Muster died under it is done, though nobody has written that down yet. */
async function refuseIfDone({ parts: { store, actions } }: Engine, id: string): Promise<void> {
  const task = await store.task(id)
  const run = task?.state.run
  if (task === null || run?.kind !== 'action') return
  const pinned = (await store.pendingIntents()).find(({ key }) => key === `start:${run.id}`)?.pinned ?? null
  if (pinned === null || (await actions[run.name]?.happened(task.spec, pinned)) !== true) return
  throw new MusterError(
    'gate_closed',
    `${id} cannot be cancelled: it landed on ${task.spec.target} before Muster ended`,
    {
      hint: 'muster run records that',
    },
  )
}
