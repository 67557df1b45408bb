/**
 * Carries out changes of branches other than landings: publishes attempts, removes branches whose work has landed, and
 * pushes what a person let land.
 */
import { pushStopMs } from '../../domain/limits.ts'
import type { Change } from '../../ports/store.ts'
import type { Intent } from '../../ports/intent.ts'
import type { PushResult } from '../../ports/workspaces.ts'
import { landedBranches } from './landed-branches.ts'
import { Mutex } from './mutex.ts'
import type { EngineParts } from './parts.ts'
import { noticeIntents } from './pending.ts'
import { refusedBefore, unpushedText } from '../views/unpushed.ts'

/** How long branches are still shown when Muster ends. */
const showStopMs = 1000
/** It is still to be done, by the next Muster. */
const LEFT = Symbol('left')

interface BranchListener {
  commit(change: Change): Promise<unknown>
  /** Carries out what was committed beside it. */
  begin(intents: readonly Intent[]): void
}

export class BranchEffects {
  readonly #parts: EngineParts
  readonly #listener: BranchListener
  /** One at a time, so that many ends at once do not keep workers from starting. */
  readonly #turns = new Mutex()
  /** A remote may take its time: nobody else waits for it. */
  readonly #pushing = new Mutex()
  readonly #over = new AbortController()
  #cancelStop: () => void = () => undefined
  /** From then on nothing is begun any more. */
  #leaveAt = Number.POSITIVE_INFINITY

  constructor(parts: EngineParts, listener: BranchListener) {
    this.#parts = parts
    this.#listener = listener
  }

  /** The end is near: those that wait their turn get a moment; the rest is left for the next start, there may be thousands. */
  leaveSoon(now: boolean): void {
    this.#leaveAt = Math.min(this.#leaveAt, now ? 0 : this.#parts.clock.steady() + showStopMs)
    // A push that is cut short may have arrived: the next Muster looks.
    this.#cancelStop()
    this.#cancelStop = this.#parts.clock.after(now ? 0 : pushStopMs, () => this.#over.abort())
  }

  /** Nothing is under way any more. */
  ended(): void {
    this.#cancelStop()
  }

  async publish(intent: Intent<'publish'>): Promise<void> {
    const { branch, commit } = intent.data
    const { config, workspaces, probe } = this.#parts
    const task = intent.taskId ?? undefined
    try {
      const why = await this.#inTurn(async () => {
        // Late, after a crash: its work has landed, and it is not shown any more.
        const late = config.keepBranches !== true && (await this.#hasLanded(branch))
        return late ? null : workspaces.publish(branch, commit)
      })
      if (why === LEFT) return
      if (why !== null) probe.emit({ type: 'publish_refused', task, branch, commit, why })
    } catch (error) {
      probe.emit({ type: 'publish_failed', task, branch, error: String(error) })
      // What is safe in the mirror is shown when Muster starts the next time; what a power cut took never can be.
      if (await workspaces.has(commit).catch(() => true)) return
    }
    await this.#settle(intent.key)
  }

  /** What keeps the branch is no trouble: `muster clean` finds it later. */
  async retire(intent: Intent<'retire'>): Promise<void> {
    const { branch, landed } = intent.data
    const { workspaces, probe } = this.#parts
    const task = intent.taskId ?? undefined
    try {
      const why = await this.#inTurn(async () => {
        // Something may have been added to its story since.
        return (await this.#hasLanded(branch)) ? workspaces.retire(branch, landed) : null
      })
      if (why === LEFT) return
      if (why !== null) probe.emit({ type: 'branch_kept', task, branch, why })
    } catch (error) {
      probe.emit({ type: 'retire_failed', task, branch, error: String(error) })
    }
    await this.#settle(intent.key)
  }

  /** What the remote refuses is told, and stays to be done: at the next start, or when a later push goes through. */
  async push(intent: Intent<'push'>): Promise<void> {
    const { branch, commit } = intent.data
    const { workspaces, clock } = this.#parts
    const result = await this.#pushing.run(async (): Promise<PushResult | null> => {
      if (clock.steady() >= this.#leaveAt) return null
      return workspaces.push(branch, commit, this.#over.signal).catch((error: unknown): PushResult => ({
        kind: 'refused',
        why: error instanceof Error ? error.message : String(error),
        next: `git push origin ${branch}`,
      }))
    })
    if (result === null || (result.kind === 'refused' && this.#over.signal.aborted)) return
    if (result.kind === 'refused') return this.#pushRefused(intent, result)
    const told = { branch, commit, by: result.changed ? 'muster' : 'somebody' }
    const event = { chain: `task:${intent.taskId ?? ''}` as const, type: 'pushed', actor: 'muster', data: told }
    await this.#listener.commit({ at: clock.now(), events: [event], settled: [intent.key] })
    this.#parts.probe.emit({ type: 'pushed', task: intent.taskId ?? undefined, ...told })
    if (result.changed) await this.#pushAgain(intent)
  }

  async #pushRefused(intent: Intent<'push'>, { why, next }: Extract<PushResult, { kind: 'refused' }>): Promise<void> {
    if (refusedBefore(intent)?.why === why) return
    const { store, clock, channels, probe } = this.#parts
    const { branch, commit } = intent.data
    const at = clock.now()
    const told = { branch, commit, why, next }
    const text = unpushedText(told)
    const subject = `${branch} is not pushed`
    const notice = { key: `${intent.key}:${at}`, kind: 'needs-you' as const, subject, text, next: [next, 'muster run'] }
    const intents = noticeIntents(channels, intent.taskId, notice, at)
    const event = { chain: `task:${intent.taskId ?? ''}` as const, type: 'push-refused', actor: 'muster', data: told }
    await this.#listener.commit({ at, events: [event], intents })
    // After that: who dies in between tells it twice, and nobody never.
    await store.pin(intent.key, { why, next, since: at })
    probe.emit({ type: 'push-refused', task: intent.taskId ?? undefined, ...told })
    this.#listener.begin(intents.map((one) => ({ ...one, pinned: null })))
  }

  /** What was refused before may be part of what the remote has now. */
  async #pushAgain({ key, data }: Intent<'push'>): Promise<void> {
    for (const other of await this.#parts.store.pendingIntents()) {
      if (other.kind !== 'push' || other.key === key || other.data.branch !== data.branch) continue
      if (refusedBefore(other) !== null) await this.push(other)
    }
  }

  async #settle(key: string): Promise<void> {
    await this.#listener.commit({ at: this.#parts.clock.now(), settled: [key] })
  }

  #inTurn(work: () => Promise<string | null>): Promise<string | null | typeof LEFT> {
    return this.#turns.run(async () => (this.#parts.clock.steady() < this.#leaveAt ? work() : LEFT))
  }

  async #hasLanded(branch: string): Promise<boolean> {
    return (await landedBranches(this.#parts.store, [branch])).length > 0
  }
}
