/**
 * The only way a task changes: load, decide, store, tell. A transition, its history, findings, run record and intents
 * are one commit; the effects start only after that commit.
 */
import { CHECKER, hasAcceptance } from '../../domain/task/check.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError, assert } from '../../domain/errors.ts'
import { isGated } from '../../domain/task/gate.ts'
import { decideStory, initialStory } from '../../domain/story/story.ts'
import type { StoryEvent, StoryStanding } from '../../domain/story/story.ts'
import type { TaskState } from '../../domain/task/task.ts'
import { isOver } from '../../domain/task/task.ts'
import type { Command, Rules, TaskEvent } from '../../domain/task/event.ts'
import { subjectId } from '../../domain/task/purpose.ts'
import { decide } from '../../domain/task/transition.ts'
import type { Change, NewTask, RunRecord, StoredEvent, StoredStanding } from '../../ports/store.ts'
import type { Intent } from '../../ports/intent.ts'
import { createdEvent, sealedEvent } from './contracts.ts'
import { ContractsInForce } from './in-force.ts'
import { branchIntents, storyIntentsOf } from './landed-branches.ts'
import {
  checkerTask,
  emptyDraft,
  newlyStuck,
  intentsOf,
  ownWords,
  publishIntent,
  refuseIfMoved,
  shown,
  specUnder,
  stuckNotice,
  together,
  tracesOf,
  type Added,
  type Beside,
  type Draft,
  type Move,
  type Sealable,
  type StoryBeside,
} from './pending.ts'
import { statusIntent } from '../steps/forge/gates.ts'
import { addedDeltas, asksOf, countDelta, storyNotice, workEvent } from './story-moves.ts'
import { Mutex } from './mutex.ts'
import { StoredConfigs } from '../config-snapshot.ts'
import { tellStored } from './telling.ts'
import type { EngineParts } from './parts.ts'
import type { Entry, TaskTable } from './task-table.ts'

/** What takes a task from its beginning: then it gets what its subtasks left to it. */
const BEGINNINGS: ReadonlySet<TaskEvent['type']> = new Set(['step', 'waited', 'submitted'])

interface Listener {
  /** After a commit: intents to carry out. */
  carryOut(intents: readonly Intent[], story: string | null): void
  /** After a commit: these tasks may have something to do. */
  touched(entries: readonly Entry[]): void
  /** After a commit: these stories stand so now. */
  storiesMoved(standings: readonly StoryStanding[]): void
  /** Nothing more can be stored. */
  broken(error: unknown): void
}

export class Transactor {
  readonly #parts: EngineParts
  readonly #table: TaskTable
  readonly #listener: Listener
  readonly #mutex = new Mutex()
  readonly #configs: StoredConfigs
  readonly contracts: ContractsInForce
  /** Of the stories that moved since the start: nobody else writes them. */
  readonly #standings = new Map<string, StoredStanding>()

  constructor(parts: EngineParts, table: TaskTable, listener: Listener) {
    this.#parts = parts
    this.#configs = new StoredConfigs(parts.store)
    this.contracts = new ContractsInForce(parts)
    this.#table = table
    this.#listener = listener
  }

  /**
   * Lets the event act on the task, and what follows from it on others and on their stories, in one commit. Rejects, with
   * nothing changed, when the event is a person's and impossible.
   */
  apply(taskId: string, event: TaskEvent, beside: Beside = {}): Promise<Entry> {
    return this.#mutex.run(async () => {
      const draft = emptyDraft()
      const entry = await this.#decide(taskId, event, beside, draft)
      if (draft.moves.length > 0) await this.#store(draft)
      return entry
    })
  }

  /** The same for an event of a story; `tasks` come with it. */
  applyStory(id: string, event: StoryEvent, beside: StoryBeside = {}): Promise<StoryStanding> {
    return this.#mutex.run(async () => {
      const { seen, ends, ...added } = beside
      const draft = { ...emptyDraft(), ...added }
      const known = await this.#standing(id, draft)
      if (seen !== undefined && seen !== known.version) return known.standing
      await this.#decideStory(id, event, draft)
      for (const task of ends?.tasks ?? []) await this.#endWith(task, ends?.by ?? '', ends?.reason ?? '', draft)
      await this.#countAdded(draft)
      if (draft.standings.size > 0) await this.#store(draft)
      return (await this.#standing(id, draft)).standing
    })
  }

  /** One that has ended meanwhile stays as it ended. */
  async #endWith(id: string, by: string, reason: string, draft: Draft): Promise<void> {
    const entry = this.#table.get(id)
    if (entry === undefined || isOver(entry.state.status)) return
    const { actor, proof } = draft
    await this.#decide(
      id,
      { type: 'cancelled', reason, by },
      { ...(actor === undefined ? {} : { actor }), proof },
      draft,
    )
  }

  /** New stories and tasks, which their stories hear of. Rejects when a story takes none now. */
  add(added: Added): Promise<void> {
    return this.#mutex.run(async () => {
      const draft = { ...emptyDraft(), ...added }
      await this.#countAdded(draft)
      await this.#store(draft)
    })
  }

  async #decide(taskId: string, event: TaskEvent, beside: Beside, draft: Draft): Promise<Entry> {
    const entry = this.#table.get(taskId) ?? (await this.#load(taskId))
    const { under } = beside
    const spec = specUnder(entry.spec, under)
    // What this same commit has made of it already.
    const earlier = draft.moves.find((move) => move.entry === entry)
    const state = earlier?.decided.state ?? entry.state
    refuseIfMoved(entry, beside.version)
    const config = under?.config ?? (await this.config(spec.configHash))
    const sealed = beside.contract ?? (await this.contracts.of(taskId))
    const handed = BEGINNINGS.has(event.type) ? await this.contracts.handedTo(spec, state, sealed) : null
    const contract = handed ?? sealed
    const decided = decide(state, event, this.#rules(spec, config, contract))
    if (decided.log.length === 0 && decided.state === state && beside.settled === undefined) {
      // Loaded for a look only: what is over has no place on the table.
      if (isOver(state.status)) this.#table.remove(taskId)
      return entry
    }
    const blocked = newlyStuck(decided, this.#table)
    const told = ownWords(spec, decided.commands)
    const commands = blocked.length > 0 ? [...told, stuckNotice(decided.state, blocked)] : told
    const stored = handed === null ? beside : { ...beside, contract: handed }
    if (earlier === undefined) draft.moves.push({ entry, decided, event, beside: stored, blocked, commands })
    else Object.assign(earlier, together(earlier, { decided, commands, blocked }))
    await this.#decideOthers(commands, draft)
    if (earlier === undefined) await this.#tellStory(entry, decided.state, draft)
    return entry
  }

  /** What the commands of one task ask of others. */
  async #decideOthers(commands: readonly Command[], draft: Draft): Promise<void> {
    for (const command of commands) {
      if (command.type === 'also') await this.#decide(command.task, command.event, {}, draft)
      // There is one checker for each attempt: one that was called off before is asked anew.
      const called = command.type === 'check' ? await this.#parts.store.task(command.check.id) : null
      if (called !== null) await this.#decide(called.spec.id, { type: 'retried', by: 'muster' }, {}, draft)
    }
  }

  async #tellStory(entry: Entry, state: TaskState, draft: Draft): Promise<void> {
    const { spec } = entry
    const story = asksOf(spec)
    const waits = story !== null && state.status === 'completed' && (await this.contracts.hasDeferred(spec.id))
    const delta = story === null ? null : countDelta(spec, entry.state.status, state.status, waits)
    if (story !== null && delta !== null) await this.#decideStory(story, { type: 'counted', delta }, draft)
    const work = workEvent(entry, state)
    if (work !== null) await this.#decideStory(work.story, work.event, draft)
  }

  async #decideStory(id: string, event: StoryEvent, draft: Draft): Promise<void> {
    const { standing, version } = await this.#standing(id, draft)
    const decided = decideStory(standing, event)
    if (decided.standing === standing && decided.log.length === 0) return
    const before = draft.standings.get(id)
    draft.standings.set(id, {
      version,
      standing: decided.standing,
      log: [...(before?.log ?? []), ...decided.log],
      notices: [...(before?.notices ?? []), ...[storyNotice(decided)].filter((notice) => notice !== null)],
    })
    for (const { task, event: what } of decided.also) {
      const by = draft.actor ?? 'muster'
      const reason = `story ${id} went on without it`
      await this.#decide(task, what === 'retry' ? { type: 'retried', by } : { type: 'superseded', reason }, {}, draft)
    }
  }

  async #standing(id: string, draft: Draft): Promise<StoredStanding> {
    const known = draft.standings.get(id) ?? this.#standings.get(id) ?? (await this.#parts.store.standing(id))
    if (known === null) throw new MusterError('not_found', `there is no story ${id}`, { hint: 'muster story list' })
    return known
  }

  async #countAdded(draft: Draft): Promise<void> {
    const fresh = new Map(draft.stories.map((story) => [story.id, story]))
    const instead = []
    for (const { spec } of draft.redefined) instead.push((await this.#parts.store.task(spec.id)) ?? { spec })
    for (const [id, delta] of addedDeltas([...draft.tasks, ...draft.redefined], instead)) {
      const story = fresh.get(id)
      if (story !== undefined) {
        const { standing } = decideStory(initialStory(id), { type: 'counted', delta })
        draft.stories = draft.stories.map((one) => (one === story ? { ...one, standing } : one))
        continue
      }
      await this.#decideStory(id, { type: 'counted', delta }, draft)
    }
  }

  #rules(spec: Entry['spec'], { limits, agents, protected: kept }: ProjectConfig, contract: Contract | null): Rules {
    const { phases: map, agent, parent, purpose, maxRounds, target } = spec
    const player = agent === null ? null : { role: agent, does: agents[agent]?.does ?? 'work' }
    const own = maxRounds === null ? limits : { ...limits, maxTaskRounds: maxRounds }
    const above = parent === null ? undefined : this.#table.get(parent)
    const handsUp = above !== undefined && !isOver(above.state.status)
    const gate = { contract: isGated(map) ? contract : null, handsUp }
    // An advisory task leaves words and no work: a person reads them.
    const isChecked = parent === null && agents[CHECKER] !== undefined && hasAcceptance(map)
    const isProtected = kept.includes(target) || this.#parts.config.protected.includes(target)
    const guarded = { protectedTarget: isProtected ? target : null }
    const checked = isChecked && contract?.type !== 'advisory'
    return { map, limits: own, agent: player, purpose, ...gate, ...guarded, checked }
  }

  /** A change that is no transition of a task: new stories and tasks, settled intents. */
  commit(change: Change): Promise<StoredEvent[]> {
    return this.#mutex.run(() => this.#commit(change))
  }

  /** Tells the table which of these tasks, not open themselves, are completed. */
  async releaseCompleted(ids: readonly string[]): Promise<void> {
    for (const [id, status] of await this.#parts.store.statuses(ids)) {
      if (status === 'completed') this.#table.release(id)
    }
  }

  config(hash: string): Promise<ProjectConfig> {
    return this.#configs.of(hash)
  }

  async #store(draft: Draft): Promise<void> {
    const at = this.#parts.clock.now()
    const { moves, standings, actor = 'muster', proof } = draft
    const made: Sealable[] = [...draft.tasks, ...(await this.#checkersOf(moves, at))]
    const written = [...made, ...draft.redefined]
    const parts = []
    for (const move of moves) parts.push(await this.#changeOf(move, at))
    const told = [...standings].flatMap(([id, { log }]) =>
      log.map(({ type, data }) => ({ chain: `story:${id}` as const, type, actor, data: shown({ ...data }, proof) })),
    )
    const notices = [...standings.values()].flatMap(({ notices }) => notices)
    const storyIntents = notices.flatMap((notice) => intentsOf(this.#parts, null, { type: 'notify', ...notice }))
    const retired = storyIntentsOf(this.#parts.config, standings.values(), this.#standings)
    const contracts = [
      ...parts.flatMap((part) => part.contracts),
      ...written.flatMap(({ spec, contract }) => (contract ? [{ taskId: spec.id, contract }] : [])),
    ]
    const events = await this.#commit({
      at,
      configs: [...draft.configs, ...moves.flatMap(({ beside: { under } }) => under?.snapshot ?? [])],
      stories: draft.stories,
      standings: [...standings.values()].map(({ standing, version }) => ({ standing, version })),
      tasks: made,
      redefined: draft.redefined,
      updates: moves.map(({ decided, entry, beside: { under } }) => ({
        state: decided.state,
        version: entry.version,
        spec: under && specUnder(entry.spec, under),
      })),
      events: [
        ...draft.events,
        ...parts.flatMap((part) => part.events),
        ...made.map((task) => createdEvent(task)),
        ...draft.redefined.map((task) => createdEvent(task, 'task-redefined')),
        ...written.flatMap(({ spec, contract }) => (contract ? [sealedEvent(spec.id, contract)] : [])),
        ...told,
      ],
      contracts,
      findings: parts.flatMap((part) => part.findings),
      runs: parts.flatMap((part) => part.runs),
      ended: moves.flatMap(({ beside }) => beside.ended ?? []),
      intents: [...parts.flatMap((part) => part.intents), ...storyIntents, ...retired.map(({ intent }) => intent)],
      settled: moves.flatMap(({ beside }) => beside.settled ?? []),
    })
    this.contracts.sealed(contracts)
    const touched = await this.#takeOver(draft, made)
    tellStored(
      this.#parts.probe,
      events,
      moves.flatMap(({ blocked }) => blocked),
    )
    for (const [index, { entry }] of moves.entries()) {
      const intents = parts[index]?.intents.map((intent) => ({ ...intent, pinned: null })) ?? []
      this.#listener.carryOut(intents, this.#table.storyOf(entry))
    }
    this.#listener.carryOut(
      storyIntents.map((intent) => ({ ...intent, pinned: null })),
      null,
    )
    for (const { story, intent } of retired) this.#listener.carryOut([{ ...intent, pinned: null }], story)
    this.#listener.touched(touched)
    this.#listener.storiesMoved([...standings.values()].map(({ standing }) => standing))
  }

  /** What was stored is how things stand here, too. Returns the tasks that may have something to do now. */
  async #takeOver({ standings, moves, redefined }: Draft, made: readonly NewTask[]): Promise<Entry[]> {
    for (const [id, { standing, version }] of standings) this.#standings.set(id, { standing, version: version + 1 })
    const touched: Entry[] = []
    for (const { entry, decided, beside } of moves) {
      entry.spec = specUnder(entry.spec, beside.under)
      const freed = this.#table.update(entry, decided.state, entry.version + 1)
      if (isOver(decided.state.status)) this.contracts.forget(entry.spec.id)
      touched.push(...(isOver(decided.state.status) ? [] : [entry]), ...freed)
    }
    for (const { spec, state } of made) touched.push(this.#table.add({ spec, state, version: 1 }))
    for (const { spec, state, version } of redefined) this.#table.add({ spec, state, version: version + 1 })
    await this.releaseCompleted([...made, ...redefined].flatMap(({ spec }) => [...spec.dependsOn]))
    return touched
  }

  async #changeOf({ entry, decided, event, beside, commands }: Move, at: number) {
    const { spec } = entry
    const { contract, actor = 'muster', proof } = beside
    return {
      events: [
        ...tracesOf(spec.id, decided, event, { actor, proof }),
        ...(contract ? [sealedEvent(spec.id, contract, actor)] : []),
      ],
      contracts: contract ? [{ taskId: spec.id, contract }] : [],
      findings: decided.findings.map((finding) => ({ taskId: spec.id, finding })),
      runs: await this.#runsOf(spec, commands, at, contract ?? undefined),
      intents: [
        ...commands.flatMap((command) => intentsOf(this.#parts, spec.id, command)),
        ...publishIntent(entry, decided),
        ...branchIntents(this.#parts.config, entry, decided),
        ...(this.#parts.forge.lands === 'there' ? statusIntent(spec, decided, entry.version) : []),
      ],
    }
  }

  /** The new checkers of these moves: the same task but for its name, at the commit that is to be judged. */
  async #checkersOf(moves: readonly Move[], createdAt: number): Promise<NewTask[]> {
    const made: NewTask[] = []
    for (const { entry, commands } of moves) {
      for (const command of commands) {
        if (command.type !== 'check' || moves.some((move) => move.entry.spec.id === command.check.id)) continue
        const checked = await this.#parts.store.task(entry.spec.id)
        assert(checked !== null, `${entry.spec.id} is stored`)
        made.push(checkerTask(checked.spec, command.check, createdAt))
      }
    }
    return made
  }

  async #commit(change: Change): Promise<StoredEvent[]> {
    try {
      return await this.#parts.store.commit(change)
    } catch (error) {
      if (error instanceof MusterError && error.code === 'storage') this.#listener.broken(error)
      throw error
    }
  }

  /** A task that is over is loaded when a person wants it back. */
  async #load(taskId: string): Promise<Entry> {
    const task = await this.#parts.store.task(taskId)
    if (task === null)
      throw new MusterError('not_found', `there is no task ${taskId}`, { hint: 'muster status lists them' })
    const entry = this.#table.add(task)
    await this.releaseCompleted(task.spec.dependsOn)
    return entry
  }

  async #runsOf(
    spec: Entry['spec'],
    commands: readonly Command[],
    startedAt: number,
    sealed?: Contract,
  ): Promise<RunRecord[]> {
    const starts = commands.filter((command) => command.type === 'start')
    if (starts.length === 0) return []
    const { id: taskId } = spec
    const contract = (sealed ?? (await this.contracts.of(subjectId(spec))))?.hash ?? null
    return starts.map(({ run, phase, attempt, round }) => {
      const [nonce, does] = [this.#parts.random.nonce(), run.does ?? null]
      return { ...run, does, taskId, phase, attempt, round, nonce, contract, startedAt, end: null }
    })
  }
}
