/**
 * Makes the tasks that work for a story as a whole, from its branches and contracts at that moment. Safe to repeat: a
 * story that no longer wants one gets none.
 */
import type { Contract, Criterion } from '../../domain/contract/contract.ts'
import { deferredOf } from '../../domain/contract/contract.ts'
import { MusterError, assert } from '../../domain/errors.ts'
import { PROTECTED } from '../../domain/verdict/evidence.ts'
import { failureTitle, foundText } from '../../domain/verdict/gist.ts'
import type { StoryStanding, StoryWork } from '../../domain/story/story.ts'
import { DEFERRED_MAP, POST_DEPLOY, shipMap, validationMap, workId } from '../../domain/story/story-work.ts'
import { WORK } from '../../domain/task/purpose.ts'
import { initialState, type Story, type TaskSpec, type TaskState } from '../../domain/task/task.ts'
import type { ListedTask, NewTask } from '../../ports/store.ts'
import { sealTask } from './contracts.ts'
import type { EngineTurns } from './core.ts'
import { addTask } from './new-task.ts'
import { configHash, snapshotText } from '../config-snapshot.ts'
import { eachTask } from '../views/views.ts'

export class Stories {
  readonly #engine: EngineTurns
  readonly #busy = new Map<string, Promise<void>>()
  /** Those that wanted something once more while they were served. */
  readonly #again = new Set<string>()

  constructor(engine: EngineTurns) {
    this.#engine = engine
  }

  /** Those that want something get it; one thing at a time for each. */
  moved(standings: readonly StoryStanding[]): void {
    for (const { id, wants } of standings) {
      if (wants === null) continue
      if (this.#busy.has(id)) this.#again.add(id)
      else this.#busy.set(id, this.#serve(id))
    }
  }

  async #serve(id: string): Promise<void> {
    try {
      do {
        this.#again.delete(id)
        await this.#begin(id)
      } while (this.#again.has(id) && this.#engine.running)
    } catch (error) {
      this.#engine.broke(error)
    }
    this.#busy.delete(id)
    this.#engine.touch([])
  }

  /** After a restart. */
  async load(): Promise<void> {
    this.moved(await this.#engine.parts.store.standings())
  }

  get busy(): boolean {
    return this.#busy.size > 0
  }

  async idle(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  async #begin(id: string): Promise<void> {
    const { store } = this.#engine.parts
    const { transactor } = this.#engine
    const [story, stored] = [await store.story(id), await store.standing(id)]
    assert(story !== null && stored !== null, `story ${id} is stored`)
    const { standing, version: seen } = stored
    try {
      if (standing.wants === 'sync') return await this.#sync(story, standing, seen)
      if (standing.wants === null) return
      const task = await this.#work(story, standing, standing.wants)
      const { config } = this.#engine.parts
      const configs = [{ hash: configHash(config), body: snapshotText(config) }]
      await transactor.applyStory(id, { type: 'begun', task: task.spec.id }, { tasks: [task], configs, seen })
    } catch (error) {
      if (!(error instanceof MusterError) || error.code === 'storage') throw error
      await transactor.applyStory(id, { type: 'not-begun', reason: error.message }, { seen })
    }
  }

  async #work(story: Story, standing: StoryStanding, kind: StoryWork): Promise<NewTask & { contract: Contract }> {
    const { config, workspaces, contracts } = this.#engine.parts
    const commit = kind === 'validation' ? standing.landed : await workspaces.head(story.branch)
    if (commit === null) {
      throw new MusterError('git', `the branch ${story.branch} is no longer in the repository`)
    }
    if (kind === 'ship') {
      const moved = movedOn(story.branch, commit, standing.wanted ?? commit)
      if (moved !== null) throw new MusterError('conflict', moved)
      await this.#refuseLost(story)
    }
    const by = standing.shippedBy ?? 'muster'
    const judged = Object.hasOwn(config.agents, POST_DEPLOY)
    const map =
      kind === 'ship'
        ? shipMap((config.deploy ?? null) !== null)
        : kind === 'deferred'
          ? DEFERRED_MAP
          : validationMap(judged)
    const id = workId(story.id, kind, standing.works + 1)
    const waiver = { commit, criteria: [PROTECTED], reason: 'a person ships the story as a whole', by }
    return {
      spec: {
        ...this.#spec(story, id, WORDS[kind](story.name)),
        purpose: { is: kind, story: story.id },
        phases: map,
        // Whether it fits its base is asked when somebody wants it there.
        target: kind === 'deferred' ? story.branch : story.base,
      },
      state: {
        ...initialState(id, 50),
        commit,
        attempt: 1,
        approval: kind === 'ship' ? { commit, by } : null,
        waiver,
      },
      definitionHash: '',
      contract: await contracts.union(await this.#contracts(story.id, kind), await this.#waived(standing), commit),
    }
  }

  /** Nothing counts as shipped that is not on the branch that is shipped (L7). */
  async #refuseLost({ id, branch }: Story): Promise<void> {
    const { store, workspaces } = this.#engine.parts
    const landed = new Map<string, string>()
    for await (const { spec, state } of eachTask(store, { story: id })) {
      if (state.status === 'completed' && spec.target === branch && state.landed !== null)
        landed.set(state.landed, spec.id)
    }
    const [lost] = await workspaces.lostFrom(branch, [...landed.keys()])
    if (lost === undefined) return
    throw new MusterError(
      'git',
      `what ${landed.get(lost)} landed on ${branch} (${lost.slice(0, 12)}) is no longer there. Restore it, or confirm on that branch that you dropped it: git merge -s ours ${lost.slice(0, 12)}`,
    )
  }

  #spec(story: Story, id: string, title: string): TaskSpec {
    const { config, clock } = this.#engine.parts
    return {
      id,
      title,
      instructions: '',
      acceptanceCriteria: '',
      story: null,
      parent: null,
      dependsOn: [],
      checks: [],
      expectedFiles: [],
      agent: null,
      purpose: WORK,
      defect: null,
      specRef: null,
      maxRounds: null,
      target: story.base,
      phases: config.phases,
      configHash: configHash(config),
      createdAt: clock.now(),
    }
  }

  /** What its tasks are judged by, without what a person has taken over. */
  async #contracts(story: string, kind: StoryWork): Promise<Contract[]> {
    const { store } = this.#engine.parts
    const all: Contract[] = []
    const tasks = new Map<string, ListedTask>()
    for await (const task of eachTask(store, { story })) tasks.set(task.spec.id, task)
    // What a subtask did is on the story's branch only when all above it are completed.
    const isIn = (task: ListedTask | undefined): boolean =>
      task?.state.status === 'completed' && (task.spec.parent === null || isIn(tasks.get(task.spec.parent)))
    for (const { spec, state } of [...tasks.values()].filter(isIn)) {
      const contract = (await store.contracts(spec.id)).at(-1)
      if (contract === undefined) continue
      const waived = state.waiver?.criteria ?? []
      const kept = kind === 'deferred' ? deferredOf(contract) : contract.criteria
      const here = kind === 'validation' ? kept.filter(({ activity }) => activity === 'http') : kept
      all.push({ ...contract, criteria: here.filter(({ id }) => !waived.includes(id)) })
    }
    return all
  }

  /** What a person took over when it was last asked of the story as a whole. */
  async #waived({ id, works }: StoryStanding): Promise<Criterion[]> {
    const { store } = this.#engine.parts
    for (let n = works; n > 0; n--) {
      const task = await store.task(workId(id, 'deferred', n))
      if (task?.state.status !== 'completed') continue
      const ids = task.state.waiver?.criteria ?? []
      return ((await store.contracts(task.spec.id)).at(-1)?.criteria ?? []).filter((one) => ids.includes(one.id))
    }
    return []
  }

  /** The story and its base do not fit: somebody brings them together, as a task of the story with both as parents. */
  async #sync(story: Story, { works, message }: StoryStanding, seen: number): Promise<void> {
    const { workspaces, config } = this.#engine.parts
    const [base, head] = [await workspaces.head(story.base), await workspaces.head(story.branch)]
    if (base === null || head === null) {
      throw new MusterError(
        'git',
        `the branch ${base === null ? story.base : story.branch} is no longer in the repository`,
      )
    }
    const id = `${story.id}-sync-${works + 1}`
    const title = `Merge ${story.base} into ${story.name}`
    const instructions = `The story's branch and ${story.base} have both changed, and do not merge cleanly: ${message ?? ''}\n\nThe files here are the merge of both, with conflict markers where they clash. Resolve the conflicts and fix what no longer works, without undoing the changes of either side.`
    const spec: TaskSpec = { ...this.#spec(story, id, title), instructions, story: story.id, target: story.branch }
    // As if the base had been an attempt before: the next one starts from both.
    const state: TaskState = { ...initialState(id, config.limits.maxTaskRounds), commit: base }
    const task = { spec, state, definitionHash: '' }
    const made = await sealTask(this.#engine.parts, config, task, head, { type: 'verifiable', written: null })
    // It is judged by all that the story is judged by: what it brings together must still meet every task's criteria.
    const { contracts } = this.#engine.parts
    const whole = await contracts.union(await this.#contracts(story.id, 'ship'), [], head)
    const sealed = { ...made, contract: contracts.extend(made.contract, whole.criteria) }
    const configs = [{ hash: configHash(config), body: snapshotText(config) }]
    await this.#engine.transactor.applyStory(
      story.id,
      { type: 'begun', task: null },
      { tasks: [sealed], configs, seen },
    )
  }
}

/** What a person is told who wanted to ship something else than what is there now. */
export function movedOn(branch: string, head: string | null, expected: string): string | null {
  if (head === expected) return null
  const now = head === null ? 'gone' : `at ${head.slice(0, 12)}`
  return `the story has changed: ${branch} is ${now}, no longer at ${expected.slice(0, 12)}`
}

const WORDS: Record<StoryWork, (name: string) => string> = {
  ship: (name) => `Ship: ${name}`,
  deferred: (name) => `Deferred criteria of ${name}`,
  validation: (name) => `Validate: ${name}`,
}

/** Tasks from what the validation of a story found; each finding is one. */
export async function addFixes(engine: EngineTurns, id: string, by: string): Promise<{ id: string; tasks: string[] }> {
  const { store, config } = engine.parts
  const stored = await store.standing(id)
  if (stored === null) throw new MusterError('not_found', `there is no story ${id}`, { hint: 'muster story list' })
  const { state, work, message } = stored.standing
  if (state !== 'NEEDS_FIX' || work === null) {
    throw new MusterError('gate_closed', `story ${id} needs no fix: it is ${state}`, {
      hint: `muster story show ${id}`,
    })
  }
  const found = (await store.findings(work.id)).filter(({ severity }) => severity === 'FAIL')
  const texts = found.length > 0 ? found.map(foundText) : [message ?? '']
  const tasks: string[] = []
  for (const text of [...new Set(texts)].slice(0, 10)) {
    const added = await addTask(
      engine,
      {
        title: `Fix: ${failureTitle(text).slice(0, 120)}`,
        instructions: `After ${id} was deployed, its validation failed (${by} asked for a fix):\n\n${text}`,
        acceptanceCriteria: '',
        checks: [],
        expectedFiles: [],
        dependsOn: [],
        story: id,
        agent: null,
        phases: null,
        type: 'verifiable',
      },
      config,
    )
    tasks.push(added.id)
  }
  return { id, tasks }
}
