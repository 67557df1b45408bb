/**
 * What a task that cannot continue waits for: a person before its landing, its turn, or something outside of Muster.
 * Only transition.ts uses it.
 */
import type { Criterion } from '../contract/contract.ts'
import { usesForge } from '../forge.ts'
import { askPerson, unanswered } from './gate.ts'
import { enter, hold, unchanged } from './outcome.ts'
import { waiverOf } from './person.ts'
import type { Phase } from './phase-map.ts'
import { because, codeOf, isSame, told, type Reason } from './reasons.ts'
import type { TaskState } from './task.ts'
import { canStep, currentPhase } from './task.ts'
import type { Decided, Rules, TaskEvent } from './event.ts'
import type { LogEntry } from './history.ts'

/** A person is asked before the landing. One at a forge is looked at further: somebody may merge it there meanwhile. */
export function askFor(
  state: TaskState,
  phase: Phase,
  open: readonly Criterion[],
  log: LogEntry[],
  rules: Rules,
): Decided {
  const reason = askPerson(open)
  if (!usesForge(rules.map)) return hold(state, reason, log)
  const waiting = waitFor(state, { phase: phase.name, reason }, rules)
  return { ...waiting, log: [...log, ...waiting.log] }
}

/** Somebody merged the work at the forge before everything was answered: what is open is theirs. */
export function waiveMerged(state: TaskState, by: string, rules: Rules): { state: TaskState; log: LogEntry[] } {
  const ids = unanswered(state, rules).map(({ id }) => id)
  if (ids.length === 0) return { state, log: [] }
  const waiver = waiverOf(state, ids, 'merged at the forge before these were answered', by)
  return { state: { ...state, waiver }, log: [{ type: 'merged-unanswered', data: { by, waived: ids } }] }
}

/** A task that has not started enters its first phase. */
export function begin(state: TaskState, phase: Phase): { state: TaskState; log: LogEntry[] } {
  if (state.status !== 'not-started') return { state, log: [] }
  const begun: TaskState = { ...state, status: 'in-progress', phase: phase.name }
  return { state: begun, log: [{ type: 'task-started', data: { phase: phase.name } }] }
}

export function waitFor(
  state: TaskState,
  { phase: wanted, reason }: Omit<Extract<TaskEvent, { type: 'waited' }>, 'type'>,
  rules: Rules,
): Decided {
  const phase = currentPhase(state, rules.map)
  if (!canStep(state) || phase === undefined) return unchanged(state)
  const wait = withOpen(reason, state, rules)
  if (isSame(state.wait, wait)) return unchanged(state)
  if (wanted !== undefined && wanted !== phase.name) return unchanged(state)
  const { state: begun, log } = begin(state, phase)
  const waiting: LogEntry = { type: 'waiting', data: { ...told(wait) } }
  // Whose turn it is to land is no outcome of the phase.
  if (phase.onWait === null || phase.onWait === phase.name || codeOf(wait) === 'queue') {
    return { ...unchanged({ ...begun, wait }), log: [...log, waiting] }
  }
  const moved = enter(begun, phase.onWait, rules)
  return { ...moved, log: [...log, waiting, ...moved.log] }
}

/** Who approves a landing also answers what nobody else has: they are told of it. */
function withOpen(reason: Reason, state: TaskState, rules: Rules): Reason {
  if (reason.code !== 'approval') return reason
  return because('approval', { ...reason.params, open: unanswered(state, rules).map(({ id }) => id) })
}
