/**
 * The turn of a task at a step of its pull request. Asking a forge takes time, so it happens outside of the loop, and
 * only as often as a forge accepts: sooner after a webhook, less and less often while nothing happens. It always asks
 * for the current state.
 */
import { OPEN_PR, isForgeStep } from '../../../domain/forge.ts'
import { isLanding } from '../../../domain/task/gate.ts'
import { forgePollMs, forgePollMsMax, forgeTryMsMax } from '../../../domain/limits.ts'
import type { Phase, Step } from '../../../domain/task/phase-map.ts'
import { taskBranch, type TaskState } from '../../../domain/task/task.ts'
import { isSame, type Reason } from '../../../domain/task/reasons.ts'
import { failsFor, waitsFor, type StepResult, type TaskEvent } from '../../../domain/task/event.ts'
import type { SignalReading } from '../../../ports/signals.ts'
import type { TaskSummary } from '../../../ports/store.ts'
import { confirmCommit } from '../../loop/agreed.ts'
import type { EngineTurns } from '../../loop/core.ts'
import type { Beside } from '../../loop/pending.ts'
import type { Entry } from '../../loop/task-table.ts'
import { hasPull, isBehind, pullHere, trouble } from './pull.ts'

/** What the turn comes to for the task. */
export interface Turn {
  event: TaskEvent
  beside?: Beside
  /** Once that is stored. */
  after?: () => Promise<void>
}

/** When it is asked next, while it waits for the same. */
interface Poll {
  at: number
  ms: number
  reason: Reason
}

export class ForgeTurns {
  readonly #engine: EngineTurns
  // Of a task that is over, nothing is kept.
  readonly #polls = new WeakMap<Entry, Poll>()
  /** How often something was told of the forge, and how often that was when a task was last asked about. */
  #wakes = 0
  readonly #asked = new WeakMap<Entry, number>()
  /** The tasks whose last turn began a step: each beginning is written down. */
  readonly #begun = new WeakSet<Entry>()

  constructor(engine: EngineTurns) {
    this.#engine = engine
  }

  isFor({ step }: Phase, spec: TaskSummary): boolean {
    return isForgeStep(step) || (isLanding(step) && hasPull(spec))
  }

  /** Whether something was told of the forge since the task was last asked about. */
  isNews(phase: Phase, entry: Entry): boolean {
    return this.isFor(phase, entry.spec) && this.#asked.get(entry) !== this.#wakes
  }

  /** Whether it is time to look again; what a person has just said is always looked at. */
  isDue(entry: Entry): boolean {
    const { wait, decision } = entry.state
    if (wait === null || decision !== null || this.#asked.get(entry) !== this.#wakes) return true
    // Asking on this machine costs nothing.
    if (this.#engine.parts.forge.lands === 'here') return true
    const poll = this.#polls.get(entry)
    const same = poll !== undefined && isSame(poll.reason, wait)
    const isNow = same && poll.at <= this.#engine.parts.clock.steady()
    const longest = this.#begun.has(entry) ? forgeTryMsMax : forgePollMsMax
    if (isNow || !same) this.#waitLonger(entry, wait, same ? Math.min(poll.ms * 2, longest) : forgePollMs)
    return isNow
  }

  /** Something happened at the forge: whatever waits for it is looked at now. */
  wake(): void {
    this.#wakes += 1
  }

  #waitLonger(entry: Entry, reason: Reason, ms: number): void {
    const { clock, random } = this.#engine.parts
    // Many tasks that began to wait together do not ask together for ever.
    const jitter = Number.parseInt(random.nonce().slice(0, 4), 16) / 0xffff
    this.#polls.set(entry, { at: clock.steady() + ms * (0.75 + jitter / 2), ms, reason })
  }

  /** Settles with what happens to the task now. */
  async turn(entry: Entry, phase: Phase): Promise<Turn> {
    this.#asked.set(entry, this.#wakes)
    this.#begun.delete(entry)
    const { version } = entry
    const found = await this.#look(entry, phase).catch((error: unknown): Turn => {
      return { event: { type: 'waited', phase: phase.name, reason: trouble(error) } }
    })
    // An answer can take half a minute: it is about the task as it stood, and no word to one that has moved on.
    return { ...found, beside: { ...found.beside, version } }
  }

  async #look(entry: Entry, { step, name: phase }: Phase): Promise<Turn> {
    const { spec, state } = entry
    if (hasPull(spec) && state.decision === null) {
      const theirs = await this.#foreignCommit(spec, state)
      if (theirs !== null) return theirs
      const opens = step.type === 'action' && step.name === OPEN_PR
      if (!opens && isBehind(state, this.#engine.parts.forge)) {
        return this.#act(entry, OPEN_PR, { phase, first: OPEN_PR })
      }
    }
    if (step.type === 'action') return this.#act(entry, step.name, { phase, ...(await this.#mergedThere(step, state)) })
    if (state.status === 'not-started') return { event: { type: 'step' } }
    const reading = await this.#signal(step).read(state, spec)
    const event = { type: 'signal' as const, name: step.name, result: signalResult(reading, state) }
    return { event, beside: 'by' in reading ? { actor: reading.by } : {} }
  }

  async #act(
    entry: Entry,
    name: string,
    of: { phase: string; first?: string; merged?: { by: string } },
  ): Promise<Turn> {
    const { spec, state } = entry
    const action = this.#engine.parts.actions[name]
    if (action === undefined) throw new Error(`action ${name} was known when the map was loaded`)
    const config = await this.#engine.transactor.config(spec.configHash)
    const reason = await action.notYet(spec, state, config)
    if (reason !== null) return { event: { type: 'waited', phase: of.phase, reason } }
    this.#begun.add(entry)
    return { event: { type: 'step', ...of } }
  }

  /** Whether somebody has merged the pull request already: nobody can be asked before that any more. */
  async #mergedThere(step: Step, state: TaskState): Promise<{ merged?: { by: string } }> {
    const { forge } = this.#engine.parts
    const pr = isLanding(step) && forge.lands === 'there' ? pullHere(state, forge) : null
    const pull = pr === null ? null : await forge.read(pr)
    return pull?.state === 'merged' ? { merged: { by: forge.name } } : {}
  }

  #signal({ name }: Step) {
    const signal = this.#engine.parts.signals[name]
    if (signal === undefined) throw new Error(`signal ${name} was known when the map was loaded`)
    return signal
  }

  /** A commit that a person gave the pull request, on top of Muster's or in its place, is an attempt of theirs. */
  async #foreignCommit(spec: TaskSummary, task: TaskState): Promise<Turn | null> {
    const { forge, workspaces } = this.#engine.parts
    const pr = pullHere(task, forge)
    if (pr === null) return null
    const { head, state } = await forge.read(pr)
    if (head === pr.head || head === task.commit || state === 'closed') return null
    const found = await forge.foreignHead(taskBranch(spec.id), head)
    if (found === null) return null
    const { commit, author } = found
    const contract = await confirmCommit(this.#engine, spec, commit)
    return {
      event: { type: 'submitted', commit, by: author },
      beside: { actor: author, contract },
      // Not before: what was not taken stays theirs, and is never pushed over.
      after: () => workspaces.adopt(commit),
    }
  }
}

export function signalResult(reading: SignalReading, { commit }: Pick<TaskState, 'commit'>): StepResult {
  if (reading.status === 'pending') return waitsFor(reading.reason)
  if (reading.status === 'failed') return failsFor(reading.reason)
  const { status, message: detail } = reading
  switch (status) {
    case 'approved': {
      const approval = reading.lands === true && commit !== null ? { commit, by: reading.by } : undefined
      const merged = reading.merged === true ? { by: reading.by } : undefined
      return { outcome: 'ADVANCE', detail, findings: [], approval, merged }
    }
    case 'rejected':
      return { outcome: 'RETRY', detail, findings: reading.findings ?? [], person: reading.machine !== true }
  }
}
