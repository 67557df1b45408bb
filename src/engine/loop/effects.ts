/**
 * Carries out intents: starts and stops runs, executes actions, sends notices, publishes branches. Each is safe to
 * repeat after a crash at any point, and is settled in the store only after the world has really changed.
 */
import { assert } from '../../domain/errors.ts'
import { notifyStopMs, statusTriesMax } from '../../domain/limits.ts'
import { verifiedTree } from '../../domain/task/gate.ts'
import { withoutSecrets } from '../../domain/secrets.ts'
import { DETACHED } from '../steps/deploys.ts'
import type { RunOutcome, Worker } from '../../ports/runtime.ts'
import type { RunRecord } from '../../ports/store.ts'
import type { Intent, NewIntent } from '../../ports/intent.ts'
import { verifiedWords } from '../steps/actions/message.ts'
import { BranchEffects } from './branch-effects.ts'
import { hasBudget, payerOf } from './budget.ts'
import { gatesOf } from '../steps/forge/gates.ts'
import { subjectOf } from '../steps/judging.ts'
import { isSaved } from '../jobs/retention.ts'
import { recordLanding } from './landings.ts'
import { answered, lastResults } from '../views/results.ts'
import { Mutex, Mutexes } from './mutex.ts'
import { Notices } from './notices.ts'
import type { EngineParts } from './parts.ts'
import { errorResult, type EndedRun } from '../jobs/ended.ts'
import { usedBy } from '../jobs/run-agent.ts'
import { Runs } from '../jobs/runs.ts'
import type { Transactor } from './transactor.ts'

/** Ends a worker because Muster does, or lets it go on if it is one that may. */
function leave(worker: Worker, now: boolean): void {
  if (worker.detach === undefined) worker.stop(now)
  else worker.detach()
}

interface EffectsListener {
  /**
   * A worker's process is over: its place is free, even while its result is still being saved. Settles when the place
   * has been given to the next, if there is one.
   */
  slotFreed(runId: string): Promise<void>
  /** An agent's run is over; told before its place is free. See RateLimits.ended. */
  agentEnded(program: string, retryAt: number | null | undefined): Promise<void>
  failed(error: unknown): void
}

export class Effects {
  readonly runs: Runs
  readonly #parts: EngineParts
  readonly #transactor: Transactor
  readonly #listener: EffectsListener
  readonly #workers = new Map<string, Worker>()
  /** Runs being prepared, and runs that were cancelled meanwhile. */
  readonly #preparing = new Set<string>()
  readonly #unwanted = new Set<string>()
  /** What is being carried out, with the story it is for. */
  readonly #underWay = new Map<Promise<void>, string | null | undefined>()
  /** Notices may take their time: nobody waits for them but the end of Muster, and that not for long. */
  readonly #telling = new Set<Promise<void>>()
  readonly #notices: Notices
  readonly #branches: BranchEffects
  /** Results are saved one at a time, so that many ends at once do not keep workers from starting. */
  readonly #saving = new Mutex()
  readonly #showing = new Mutex()
  /** Actions by task. */
  readonly #acting = new Mutexes()
  #stopping: 'no' | 'gently' | 'now' = 'no'
  #clockRuns = true

  constructor(parts: EngineParts, transactor: Transactor, listener: EffectsListener) {
    this.#parts = parts
    this.#transactor = transactor
    this.#listener = listener
    this.runs = new Runs(parts)
    this.#branches = new BranchEffects(parts, {
      commit: (change) => transactor.commit(change),
      begin: (intents) => this.begin(intents, null),
    })
    this.#notices = new Notices(parts, (key, instead) => this.#settle(key, instead))
  }

  /** Begins each; how it ends comes back as an event of its task. */
  begin(intents: readonly Intent[], story: string | null): void {
    for (const intent of intents) this.#track(intent, story, this.#carryOut(intent))
  }

  /** After a restart: like `begin`, but looks first at what the last Muster had already done. */
  resume(intent: Intent, story: string | null | undefined): void {
    this.#track(intent, story, intent.kind === 'start' ? this.#resumeStart(intent) : this.#carryOut(intent))
  }

  /** Stops the clocks of running workers, or lets them go on. */
  setClock(running: boolean): void {
    this.#clockRuns = running
    for (const worker of this.#workers.values()) worker.setClock(running)
  }

  /** The end is near: what would only be shown is shown for a moment yet, if at all. */
  leaveSoon(now: boolean): void {
    this.#branches.leaveSoon(now)
  }

  /** Ends the workers and waits until everything under way is stored. */
  async stop(now: boolean): Promise<void> {
    if (this.#stopping !== 'now') this.#stopping = now ? 'now' : 'gently'
    for (const worker of this.#workers.values()) leave(worker, now)
    this.runs.stop(now)
    await this.drained()
    this.#branches.ended()
    let cancel = this.#parts.clock.after(now ? 0 : notifyStopMs, () => (cancel = this.#notices.giveUp()))
    await Promise.all(this.#telling)
    cancel()
  }

  /** Settles when nothing but notices is under way for the story, or at all. */
  async drained(story?: string | null): Promise<void> {
    for (;;) {
      const left = [...this.#underWay].filter(([, of]) => story === undefined || of === story).map(([work]) => work)
      if (left.length === 0) return
      await Promise.all(left)
    }
  }

  /** Does something while no action of the task is under way: what an action does cannot be taken back. */
  besideActions<T>(taskId: string, work: () => Promise<T>): Promise<T> {
    return this.#acting.run(taskId, work)
  }

  #track(intent: Intent, story: string | null | undefined, work: Promise<void>): void {
    const told = work.catch((error: unknown) => this.#listener.failed(error))
    if (intent.kind === 'notify' || intent.kind === 'status') {
      const tracked: Promise<void> = told.finally(() => this.#telling.delete(tracked))
      this.#telling.add(tracked)
    } else {
      const tracked: Promise<void> = told.finally(() => this.#underWay.delete(tracked))
      this.#underWay.set(tracked, story)
    }
  }

  #carryOut(intent: Intent): Promise<void> {
    switch (intent.kind) {
      case 'start':
        return this.#start(intent)
      case 'stop':
        return this.#stop(intent)
      case 'notify':
        return this.#notices.deliver(intent)
      case 'publish':
        return this.#branches.publish(intent)
      case 'push':
        return this.#branches.push(intent)
      case 'retire':
        return this.#branches.retire(intent)
      case 'status':
        return this.#showGates(intent)
    }
  }

  async #start(intent: Intent<'start'>): Promise<void> {
    if (!intent.data.worker) return this.#act(intent, await this.#run(intent))
    const { runId } = intent.data
    // Known as being prepared from the first moment, so that a cancellation always finds it.
    this.#preparing.add(runId)
    const { run, worker, error } = await this.#prepare(intent).finally(() => this.#preparing.delete(runId))
    if (worker === null) {
      await this.#listener.slotFreed(runId)
      // Cut short by the end of Muster: the intent stays, and the next start begins anew.
      if (this.#stopping !== 'no') return
      return this.#endUnstarted(run, error, intent.key)
    }
    await this.#watch(run, worker, intent.key)
  }

  async #watch(run: RunRecord, worker: Worker, key: string): Promise<void> {
    this.#workers.set(run.id, worker)
    if (!this.#clockRuns) worker.setClock(false)
    if (this.#unwanted.delete(run.id)) worker.stop()
    else if (this.#stopping !== 'no') leave(worker, this.#stopping === 'now')
    const outcome = await worker.ended
    this.#workers.delete(run.id)
    // The intent stays: the next Muster finds it again.
    if (outcome === DETACHED) return this.#listener.slotFreed(run.id)
    await this.#finish(run, outcome, key)
  }

  async #finish(run: RunRecord, outcome: RunOutcome, key: string): Promise<void> {
    // Before anything else: nothing can be written until that is gone.
    if (outcome.fills === true) await this.runs.discard(run.id)
    await this.#tellLimit(run, outcome)
    // Whoever takes the free place goes first: saving a result can wait a moment, a worker should not. Unless they share
    // a budget: then what this one used has to be known.
    const shared = await this.#sharesBudget(run)
    if (shared) await this.#collect(run, outcome, key)
    await this.#listener.slotFreed(run.id)
    if (!shared) await this.#collect(run, outcome, key)
  }

  async #sharesBudget({ taskId }: RunRecord): Promise<boolean> {
    const task = await this.#parts.store.task(taskId)
    return task !== null && hasBudget(this.#parts, payerOf((await subjectOf(this.#parts.store, task)).spec))
  }

  async #prepare(intent: Intent<'start'>): Promise<{ run: RunRecord; worker: Worker | null; error?: unknown }> {
    const run = await this.#run(intent)
    try {
      return { run, worker: await this.runs.start(run, await this.#configOf(run.taskId)) }
    } catch (error) {
      return { run, worker: null, error }
    }
  }

  async #resumeStart(intent: Intent<'start'>): Promise<void> {
    const run = await this.#run(intent)
    if (run.kind === 'action') return this.#act(intent, run)
    const config = await this.#configOf(run.taskId)
    const outcome = await this.runs.recover(run, config)
    const owned = await this.#owns(run)
    if (outcome === 'missing' && owned) return this.#start(intent)
    if (outcome !== 'missing' && owned)
      return this.#watch(run, await this.runs.replaying(run, outcome, config), intent.key)
    if (outcome !== 'missing') return this.#finish(run, outcome, intent.key)
    await this.#listener.slotFreed(run.id)
    return this.#endUnstarted(run, 'it was cancelled before it started', intent.key)
  }

  async #tellLimit(run: RunRecord, { sandbox, retryAt }: RunOutcome): Promise<void> {
    const agent = run.kind === 'agent' ? (await this.#configOf(run.taskId)).agents[run.name] : undefined
    if (agent !== undefined && sandbox !== undefined) await this.#listener.agentEnded(agent.runtime, retryAt)
  }

  /** Nobody has worked in its workspace, if there is one. */
  async #endUnstarted(run: RunRecord, error: unknown, key: string): Promise<void> {
    await this.#end(run, errorResult(error), key)
    await this.runs.discard(run.id)
  }

  async #collect(run: RunRecord, outcome: RunOutcome, key: string): Promise<void> {
    const config = await this.#configOf(run.taskId)
    const ended = await this.#saving
      .run(() => this.runs.collect(run, outcome, config))
      .catch((error: unknown) => errorResult(error, usedBy(run, outcome, config)))
    await this.#end(run, ended, key)
    if (isSaved(run, ended.end.commit)) await this.runs.discard(run.id)
  }

  #act(intent: Intent<'start'>, run: RunRecord): Promise<void> {
    return this.besideActions(run.taskId, () => this.#actAlone(intent, run))
  }

  async #actAlone(intent: Intent<'start'>, run: RunRecord): Promise<void> {
    const { store, actions } = this.#parts
    const action = actions[run.name]
    assert(action !== undefined, `action ${run.name} was known when the map was loaded`)
    if (!(await this.#owns(run))) return this.#settle(intent.key)
    const task = await store.task(run.taskId)
    assert(task !== null, `run ${run.id} belongs to a stored task`)
    const config = await this.#configOf(run.taskId)
    const story = task.spec.story === null ? null : await store.story(task.spec.story)
    const ended = await action
      .execute({
        ...task,
        config,
        base: story?.base ?? config.base,
        verified: verifiedTree(task.state, { contract: await this.#transactor.contracts.of(run.taskId) }),
        said: async () => {
          const [contract, runs] = [await this.#transactor.contracts.of(run.taskId), await store.runs(run.taskId)]
          const shown = answered(task, lastResults(runs, task.state.attempt), contract, runs)
          return verifiedWords(task.spec, task.state, shown?.criteria ?? [], runs)
        },
        pinned: intent.pinned,
        pin: async (data) => {
          await store.pin(intent.key, data)
          const to = data['commit']
          if (typeof to === 'string') await recordLanding(this.#parts.dataDir, task, to)
        },
      })
      .then((result): EndedRun => {
        const { outcome, detail } = result
        return { result, end: { outcome, verdict: null, detail, commit: null, exit: null, facts: {} } }
      })
      .catch((error: unknown) => errorResult(error))
    await this.#end(run, ended, intent.key)
  }

  async #end(run: RunRecord, { result, end, contract }: EndedRun, key: string): Promise<void> {
    const ended = { id: run.id, end: { ...end, at: this.#parts.clock.now() } }
    await this.#transactor.apply(
      run.taskId,
      { type: 'run-ended', runId: run.id, result },
      { ended, settled: [key], contract },
    )
  }

  async #stop(intent: Intent<'stop'>): Promise<void> {
    const run = await this.#run(intent)
    const worker = this.#workers.get(run.id)
    if (worker !== undefined) {
      worker.stop()
      await worker.ended
    } else if (this.#preparing.has(run.id)) {
      this.#unwanted.add(run.id)
    } else if (run.kind !== 'action' && run.end === null) {
      await this.runs.recover(run, await this.#configOf(run.taskId))
    }
    await this.#settle(intent.key)
  }

  /** Nothing depends on it: what the forge does not take after a few tries is told to whoever listens, and left. */
  async #showGates(intent: Intent<'status'>): Promise<void> {
    const { store, forge, probe, board } = this.#parts
    const { id, url, commit, attempt } = intent.data
    const taskId = intent.taskId ?? ''
    for (let tries = 1; tries <= statusTriesMax; tries++) {
      try {
        const task = await store.task(taskId)
        // Who reads it is at another machine as a rule: what is served for this one alone leads them nowhere.
        const shared = (await board())?.shared ?? null
        const link = shared === null ? url : `${shared}/tasks/${encodeURIComponent(taskId)}`
        const gates = task === null ? [] : gatesOf(task.spec, await store.events(`task:${taskId}`), attempt, link)
        await this.#showing.run(async () => {
          for (const gate of gates) await forge.status({ id, url }, commit, gate)
        })
        break
      } catch (error) {
        probe.emit({ type: 'status_failed', task: taskId, tries, error: String(error) })
      }
      if (this.#notices.over.aborted) return
      if (tries < statusTriesMax) await this.#notices.nap(1000 * 2 ** tries)
    }
    await this.#settle(intent.key)
  }

  async #settle(key: string, intents: readonly NewIntent[] = []): Promise<void> {
    await this.#transactor.commit({ at: this.#parts.clock.now(), intents, settled: [key] })
  }

  /** Whether the task still stands at this run: a cancelled one does not. */
  async #owns(run: RunRecord): Promise<boolean> {
    return (await this.#parts.store.task(run.taskId))?.state.run?.id === run.id
  }

  async #configOf(taskId: string) {
    const task = await this.#parts.store.task(taskId)
    assert(task !== null, `task ${taskId} is stored`)
    return withoutSecrets(await this.#transactor.config(task.spec.configHash), this.#parts.config)
  }

  async #run(intent: Intent<'start' | 'stop'>): Promise<RunRecord> {
    const run = await this.#parts.store.run(intent.data.runId)
    assert(run !== null, `intent ${intent.key} names a stored run`)
    return run
  }
}
