/** A person's retry of a task, under its old terms or under new ones. Only transition.ts uses it. */
import { standsAtAcceptance } from './check.ts'
import { answerCommands, questionTo } from '../contract/contract-question.ts'
import { MusterError } from '../errors.ts'
import { enter, unchanged } from './outcome.ts'
import { FRESH, UNPROVEN } from './person.ts'
import type { Phase } from './phase-map.ts'
import { isPlanGate, isPlanning } from './task-plan.ts'
import { wordsOf } from './reasons.ts'
import type { TaskState } from './task.ts'
import { isOver } from './task.ts'
import type { Decided, Rules, TaskEvent } from './event.ts'
import type { LogEntry } from './history.ts'

export function retry(
  state: TaskState,
  { by, asks = null, under }: Extract<TaskEvent, { type: 'retried' }>,
  rules: Rules,
): Decided {
  const held = state.held === null ? null : wordsOf(state.held)
  const log: LogEntry = { type: 'task-retried', data: { by, from: state.status, held, ...under } }
  const isAnew = under !== undefined && under.contract !== null
  const { check } = state
  const isOfThis = check?.commit === state.commit && check?.attempt === state.attempt
  if (
    !isAnew &&
    isOfThis &&
    check?.verdict === 'ERROR' &&
    state.decision === null &&
    standsAtAcceptance(state, rules.map)
  ) {
    // The checker could not tell: it is asked once more.
    const again: TaskState = { ...state, wait: null, check: { ...check, verdict: null, report: '' } }
    return {
      ...unchanged(again),
      commands: [{ type: 'also', task: check.id, event: { type: 'retried', by } }],
      log: [log],
    }
  }
  const question = questionTo(state)
  if (question !== null) {
    throw new MusterError('gate_closed', `retry does not answer the question of ${state.id}: ${wordsOf(question)}`, {
      hint: answerCommands(state.id).join(', or '),
    })
  }
  if (isAnew && !isOver(state.status)) return renew(state, log, rules)
  if (state.held !== null) return { ...unchanged({ ...state, ...FRESH }), log: [log] }
  if (state.status !== 'failed' && state.status !== 'cancelled') {
    throw new MusterError('gate_closed', `${state.id} cannot be retried: it is ${state.status}`, {
      hint: `muster explain ${state.id}`,
    })
  }
  const roundsMax = state.round + rules.limits.maxTaskRounds
  const again: TaskState = {
    ...state,
    ...FRESH,
    ...UNPROVEN,
    approval: isAnew ? null : state.approval,
    held: asks,
    status: 'not-started',
    phase: null,
    roundsMax,
  }
  return { ...unchanged(again), log: [log] }
}

/** The gate of a plan that the work comes after. */
function gateBefore(author: Phase | undefined, { map }: Rules): Phase | undefined {
  const gate = map.find(({ step }) => isPlanGate(step))
  return gate !== undefined && author !== undefined && map.indexOf(gate) < map.indexOf(author) ? gate : undefined
}

const isAuthors = ({ step }: Phase): boolean => step.does === 'work'

/** The work, or the plan for it, is still to come. */
const isBeforeWork = (phase: Phase): boolean => isAuthors(phase) || isPlanning(phase.step) || isPlanGate(phase.step)

function requireIdle({ id, run }: TaskState): void {
  if (run === null) return
  throw new MusterError('gate_closed', `${id} cannot use the changed muster.yaml now: ${run.name} is working on it`, {
    hint: `wait until it ends, or: muster cancel ${id}, then muster retry ${id}`,
  })
}

/**
 * An open task goes on under new terms. A snapshot is judged anew, from behind its author, as an attempt of its own; where
 * there is none, or its author was at it, the task stands where it stood.
 */
function renew(state: TaskState, log: LogEntry, rules: Rules): Decided {
  requireIdle(state)
  const roundsMax = state.round + rules.limits.maxTaskRounds
  const fresh: TaskState = { ...state, ...FRESH, ...UNPROVEN, approval: null, unmet: [], roundsMax }
  if (state.status === 'not-started') return { ...unchanged(fresh), log: [log] }
  const author = rules.map.find(isAuthors)
  const phase = rules.map.find(({ name }) => name === state.phase)
  // A rejection that is not acted on yet holds under any terms: it goes to who wrote the plan or the work.
  if (state.decision?.kind === 'reject' && phase?.step.type === 'signal')
    return { ...unchanged({ ...fresh, decision: state.decision }), log: [log] }
  const early = state.commit === null || (phase !== undefined && isBeforeWork(phase))
  const gate = gateBefore(author, rules)
  if (gate !== undefined && early && state.plan?.approved != null) {
    // The plan was approved under the old terms: the same person, or another, reads it again under the new ones.
    const again = enter({ ...fresh, plan: { ...state.plan, approved: null } }, gate.name, rules)
    return { ...again, log: [log, ...again.log] }
  }
  // Work by a plan that nobody approved has not begun: it is planned first.
  const isUnplanned = gate !== undefined && phase === author
  if (phase !== undefined && early && !isUnplanned) return { ...unchanged(fresh), log: [log] }
  if (isUnplanned) return { ...unchanged({ ...fresh, status: 'not-started', phase: null }), log: [log] }
  if (author === undefined || state.commit === null) {
    return { ...unchanged({ ...fresh, status: 'not-started', phase: null }), log: [log] }
  }
  const decided = enter({ ...fresh, attempt: state.attempt + 1 }, author.onPass, rules)
  return { ...decided, log: [log, ...decided.log] }
}
