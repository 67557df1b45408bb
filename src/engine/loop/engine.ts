/**
 * The engine: gives every task its turn when something happened, and only then. It owns the loop, the worker slots and
 * the timer for steps that must be polled. It decides no transition (domain/task/transition.ts) and carries none out
 * (effects.ts).
 */
import { MusterError } from '../../domain/errors.ts'
import { forgeStopMs, limitWaitMs, pollTickMs } from '../../domain/limits.ts'
import type { Phase } from '../../domain/task/phase-map.ts'
import { judgeOf } from '../../domain/task/panel.ts'
import { codeOf } from '../../domain/task/reasons.ts'
import { canStep, currentPhase, taskBranch, type TaskState } from '../../domain/task/task.ts'
import type { Intent } from '../../ports/intent.ts'
import { actionTurn } from '../steps/action-turn.ts'
import { overBudget, payerOf } from './budget.ts'
import { confirmCommit } from './agreed.ts'
import { Effects } from './effects.ts'
import { ForgeTurns, signalResult, type Turn } from '../steps/forge/turns.ts'
import { adoptLandings } from './landings.ts'
import { RateLimits, isPaid, programOf } from './rate-limits.ts'
import type { EngineParts } from './parts.ts'
import { Slots } from './slots.ts'
import type { Entry } from './task-table.ts'
import { Stories } from './stories.ts'
import { TaskTable } from './task-table.ts'
import { Transactor } from './transactor.ts'

const PAUSED = 'paused'

export class Engine {
  readonly parts: EngineParts
  readonly table = new TaskTable()
  readonly transactor: Transactor
  readonly effects: Effects
  readonly stories: Stories
  readonly #forge: ForgeTurns
  readonly #rateLimits: RateLimits
  readonly #slots: Slots
  readonly #dirty = new Set<string>()
  /** Tasks blocked on a condition that emits no event; polled each tick. */
  readonly #polled = new Set<string>()
  /** Of those, the ones whose time to be looked at has come. */
  readonly #due = new Set<string>()
  /** Tasks that could go on but for the limit of this program. */
  readonly #limited = new Map<string, string>()
  /** Actions being looked at before their start. */
  readonly #asked = new Map<string, Promise<void>>()
  /** Of those, the ones whose turn came meanwhile: they get it afterwards. */
  readonly #missed = new Set<string>()
  readonly #watchers = new Set<() => void>()
  /** The stories whose tasks get turns; null stands for tasks without one. */
  readonly #scope = new Set<string | null>()
  #everything = false
  #loaded = false
  #running = false
  #paused = false
  #cycling = false
  #cancelTick: (() => void) | null = null
  #failure: { error: unknown } | null = null

  constructor(parts: EngineParts) {
    this.parts = parts
    this.#slots = new Slots(parts.config.limits)
    this.table.line.isServed = (entry) => this.#isIncluded(entry)
    this.transactor = new Transactor(parts, this.table, {
      carryOut: (intents, story) => this.#carryOut(intents, story),
      touched: (entries) => this.touch(entries.map((entry) => entry.spec.id)),
      storiesMoved: (standings) => {
        if (this.#running) this.stories.moved(standings)
      },
      broken: (error) => this.#fail(error),
    })
    this.stories = new Stories(this)
    this.#forge = new ForgeTurns(this)
    this.#rateLimits = new RateLimits(parts, (program) => {
      this.touch([...this.#limited].flatMap(([id, of]) => (of === program ? [id] : [])))
    })
    this.effects = new Effects(parts, this.transactor, {
      agentEnded: (program, retryAt) => this.#rateLimits.ended(program, retryAt),
      slotFreed: async (runId) => {
        this.#slots.free(runId)
        this.#wake()
        while (this.#running && this.#canDispatch()) await this.#nextCycle()
      },
      failed: (error) => this.#fail(error),
    })
  }

  /** Puts every open task on the table, once. */
  async load(): Promise<void> {
    if (this.#loaded) return
    this.#loaded = true
    for await (const page of this.parts.store.openTasks()) {
      for (const task of page) {
        const entry = this.table.add(task)
        const { run } = entry.state
        if (run !== null && run.kind !== 'action') this.#slots.take(run.id, entry, run.name)
      }
    }
    await this.transactor.releaseCompleted(this.table.outsideDependencies())
  }

  /** Finishes what the last engine left half done, and goes on. */
  async start(): Promise<void> {
    const { store, probe } = this.parts
    this.#paused = (await store.setting(PAUSED)) !== null
    this.effects.setClock(!this.#paused)
    await this.load()
    await this.#rateLimits.load()
    await this.effects.runs.sweep()
    await adoptLandings(this)
    const intents = await store.pendingIntents()
    this.#running = true
    probe.emit({ type: 'engine-started', open: this.table.size, resumed: intents.length, paused: this.#paused })
    for (const intent of intents) this.effects.resume(intent, this.#storyOf(intent))
    await this.stories.load()
    this.#tick()
  }

  /** Which story's work an intent is part of; one whose task is over belongs to none that anybody waits for. */
  #storyOf({ taskId }: Intent): string | null | undefined {
    const entry = taskId === null ? undefined : this.table.get(taskId)
    return entry === undefined ? undefined : this.table.storyOf(entry)
  }

  /** Stops giving turns, ends the workers and stores how they stood. */
  async stop(now = false): Promise<void> {
    this.#running = false
    this.effects.leaveSoon(now)
    this.#cancelTick?.()
    this.#rateLimits.stop()
    this.#notifyWatchers()
    // What is half asked of a forge may come to its end, but nobody waits for one that does not answer.
    const leave = this.parts.clock.after(now ? 0 : forgeStopMs, () => this.parts.forge.leave())
    await this.stories.idle()
    await Promise.all(this.#asked.values())
    await this.effects.stop(now)
    leave()
  }

  /** Whether it gives turns: without that, it only stores what it is told. */
  get running(): boolean {
    return this.#running
  }

  get paused(): boolean {
    return this.#paused
  }

  /** Paused, nothing new starts and no timeout runs; what is at work may finish. Survives a restart. */
  async setPaused(paused: boolean): Promise<void> {
    await this.parts.store.setSetting(PAUSED, paused ? String(this.parts.clock.now()) : null)
    this.#paused = paused
    this.effects.setClock(!paused)
    this.parts.probe.emit({ type: paused ? 'engine-paused' : 'engine-resumed' })
    this.#wake()
  }

  /** Lets the tasks of a story, or all tasks (undefined), have their turns. Until asked, open tasks are left alone. */
  include(story: string | null | undefined): void {
    if (story === undefined) this.#everything = true
    else this.#scope.add(story)
    const ids = [...this.table.values()].filter((entry) => this.#isIncluded(entry)).map((entry) => entry.spec.id)
    for (const id of ids) this.#due.add(id)
    this.touch(ids)
  }

  #isIncluded(entry: Entry): boolean {
    return this.#everything || this.#scope.has(this.table.storyOf(entry))
  }

  /** These tasks may have something to do. */
  touch(ids: readonly string[]): void {
    for (const id of ids) this.#dirty.add(id)
    this.#wake()
  }

  /**
   * Works on the story, or on everything, until no task of it goes on without a person, or not before a program's limit
   * is over that lasts longer than anybody waits. Rejects when the engine broke.
   */
  async settled(story?: string | null): Promise<void> {
    this.include(story)
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error
      if (this.#isQuiet(story)) {
        await this.effects.drained(story)
        if (this.#isQuiet(story)) return
      } else await this.#nextCycle()
    }
  }

  /** Settles when a cycle has ended, or the engine has. */
  #nextCycle(): Promise<void> {
    return new Promise((resolve) => this.#watchers.add(resolve))
  }

  #isQuiet(story: string | null | undefined): boolean {
    if (this.#failure !== null) return false
    if (this.#paused && this.#slots.taken === 0) return true
    const moving = this.table.moving(story) - this.#limitedForLong(story)
    return moving === 0 && !this.stories.busy && this.#dirty.size === 0 && !this.#cycling && this.#asked.size === 0
  }

  /** How many of the moving tasks wait for a limit that lasts longer than anybody waits. */
  #limitedForLong(story: string | null | undefined): number {
    const long = [...this.#limited].flatMap(([id, program]) => {
      const entry = this.table.get(id)
      if (entry === undefined || this.#rateLimits.msLeft(program) <= limitWaitMs) return []
      return [this.table.home(entry)]
    })
    return long.filter((entry) => entry.moving && (story === undefined || this.table.storyOf(entry) === story)).length
  }

  /** Without a running engine intents stay pending in the store; the next one carries them out. */
  #carryOut(intents: readonly Intent[], story: string | null): void {
    if (!this.#running) return
    for (const { kind, data, taskId } of intents) {
      const entry = this.table.get(taskId ?? '')
      if (kind === 'start' && data.worker && entry !== undefined)
        this.#slots.take(data.runId, entry, entry.state.run?.name ?? '')
    }
    this.effects.begin(intents, story)
  }

  /** Something that nobody can mend went wrong beside the loop. */
  broke(error: unknown): void {
    this.#fail(error)
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return
    this.#failure = { error }
    this.#running = false
    this.#cancelTick?.()
    this.parts.probe.emit({ type: 'engine-failed', error: String(error), stack: (error as Error | null)?.stack })
    this.#notifyWatchers()
  }

  #notifyWatchers(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher()
  }

  #wake(): void {
    if (!this.#running || this.#cycling) return
    this.#cycling = true
    // Not a microtask: signals, sockets and ended workers get their chance between two cycles, whatever the tasks do.
    this.parts.clock.soon(() => {
      this.#cycle()
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#cycling = false
          this.#notifyWatchers()
          if (this.#dirty.size > 0 || this.#canDispatch()) this.#wake()
        })
    })
  }

  /** Each touched task gets one turn, in natural id order; then free workers go to the lowest ids. */
  async #cycle(): Promise<void> {
    const batch = [...this.#dirty].flatMap((id) => this.table.get(id) ?? []).sort((a, b) => (a.key < b.key ? -1 : 1))
    this.#dirty.clear()
    for (const entry of batch) {
      if (!this.#running) return
      await this.#turn(entry)
    }
    while (this.#running && this.#canDispatch()) await this.#dispatch()
  }

  async #turn(entry: Entry): Promise<void> {
    const { state, spec } = entry
    const due = this.#due.delete(spec.id)
    this.#polled.delete(spec.id)
    this.#limited.delete(spec.id)
    if (!this.#isIncluded(entry) || !canStep(state) || entry.blockedBy.size > 0) return
    const phase = currentPhase(state, spec.phases)
    if (phase === undefined || phase.step.type === 'agent' || phase.step.type === 'check') {
      this.#slots.wait(entry, phase === undefined ? '' : judgeOf(phase, state))
    } else if (this.#paused || (isAsleep(state) && !due && !this.#forge.isNews(phase, entry))) {
      // What said WAIT is asked again by the tick, not in a circle.
      this.#polled.add(spec.id)
    } else if ((await this.#takePersonalCommit(entry)) || !this.#running) {
      return // It has its turn anew, or Muster ended meanwhile.
    } else if (this.#forge.isFor(phase, spec)) {
      if (this.#forge.isDue(entry)) this.#ask(spec.id, () => this.#forge.turn(entry, phase))
      else this.#polled.add(spec.id)
    } else if (phase.step.type === 'action') {
      this.#ask(spec.id, () => actionTurn(this, entry, phase))
    } else if (state.status === 'not-started') {
      await this.transactor.apply(spec.id, { type: 'step' })
    } else {
      await this.#readSignal(entry, phase)
    }
  }

  /** A commit that a person put on the task's branch is an attempt of theirs: it takes the place of the last one. */
  async #takePersonalCommit({ spec, state }: Entry): Promise<boolean> {
    if (state.commit === null) return false
    const { workspaces, probe } = this.parts
    const branch = taskBranch(spec.id)
    try {
      const found = await workspaces.personalHead(branch, state.commit)
      if (found === null) return false
      const { commit, author } = found
      const contract = await confirmCommit(this, spec, commit)
      await workspaces.adopt(commit)
      await this.transactor.apply(spec.id, { type: 'submitted', commit, by: author }, { actor: author, contract })
      return true
    } catch (error) {
      // A person's word came first (it is the task's turn again anyway), or the branch cannot be read: its trouble alone.
      if (error instanceof MusterError && error.code === 'gate_closed') return true
      if (!(error instanceof MusterError) || error.code !== 'git') throw error
      probe.emit({ type: 'branch_unreadable', task: spec.id, branch, error: error.message })
      return false
    }
  }

  #canDispatch(): boolean {
    return !this.#paused && this.#slots.canServe
  }

  async #dispatch(): Promise<void> {
    const id = this.#slots.next()
    const entry = id === undefined ? undefined : this.table.get(id)
    if (entry === undefined || !canStep(entry.state) || entry.blockedBy.size > 0) return
    const { spec } = entry
    const program = programOf(entry, await this.transactor.config(spec.configHash))
    if (program !== null && this.#rateLimits.msLeft(program) > 0) {
      this.#limited.set(spec.id, program)
      return
    }
    const payer = payerOf(this.table.home(entry).spec)
    const reason = isPaid(program) ? await overBudget(this.parts, payer, spec.id) : null
    await this.transactor.apply(spec.id, reason === null ? { type: 'step' } : { type: 'barred', reason })
  }

  async #readSignal({ spec, state }: Entry, { step }: Phase): Promise<void> {
    const signal = this.parts.signals[step.name]
    if (signal === undefined) throw new Error(`signal ${step.name} was known when the map was loaded`)
    const reading = await signal.read(state, spec)
    if (reading.status === 'pending') this.#polled.add(spec.id)
    const event = { type: 'signal' as const, name: step.name, result: signalResult(reading, state) }
    await this.transactor.apply(spec.id, event, 'by' in reading ? { actor: reading.by } : {})
  }

  /**
   * What can happen to the task may need a look at the outside; other tasks do not wait for that. The task may have moved
   * on meanwhile, so the answer names the phase it is for.
   */
  #ask(id: string, look: () => Promise<Turn>): void {
    if (this.#asked.has(id)) return void this.#missed.add(id)
    const ask = async () => {
      const { event, beside, after } = await look()
      if (!this.#running) return
      if (event.type === 'waited' || (event.type === 'signal' && event.result.outcome === 'WAIT')) this.#polled.add(id)
      await this.transactor.apply(id, event, beside)
      await after?.()
    }
    const asked = ask()
      .catch((error: unknown) => {
        // A person's word came first: it is the task's turn again anyway.
        if (!(error instanceof MusterError) || !['gate_closed', 'conflict'].includes(error.code)) this.#fail(error)
      })
      .finally(() => {
        this.#asked.delete(id)
        if (this.#missed.delete(id)) this.#dirty.add(id)
        this.#wake()
      })
    this.#asked.set(id, asked)
  }

  /** Something happened outside that Muster waits for: whatever waits is looked at now. */
  look(): void {
    this.#forge.wake()
    this.#lookAtPolled()
  }

  #lookAtPolled(): void {
    for (const id of this.#polled) this.#due.add(id)
    this.touch([...this.#polled])
  }

  #tick(): void {
    this.#cancelTick = this.parts.clock.after(pollTickMs, () => {
      this.#lookAtPolled()
      this.#tick()
    })
  }
}

/** What said WAIT is asked again by the tick; what stands in a line, when it is its turn. */
function isAsleep({ wait }: TaskState): boolean {
  return wait !== null && codeOf(wait) !== 'queue'
}
