/**
 * The rule of the gate (H-1): Muster completes a task, and moves a branch, only with an answer to every criterion of
 * the contract in force. A phase map orders the work but cannot skip the rule. Pure. outcome.ts asks it before it
 * completes a task, transition.ts before a landing begins, and the landing before it moves a branch.
 */
import type { Contract, Criterion } from '../contract/contract.ts'
import { CI, MERGE, usesForge } from '../forge.ts'
import type { PhaseMap, Step } from './phase-map.ts'
import { phaseNamed } from './phase-map.ts'
import { because, codeOf, type Reason } from './reasons.ts'
import { isPlanGate } from './task-plan.ts'
import type { TaskState } from './task.ts'
import { CONTRACT } from './task.ts'

/** What a task must answer. */
export interface Gate {
  /** The contract in force; null where the task's map neither lands nor verifies: then its result is no tree. */
  contract: Contract | null
  /** A subtask with an open parent: what it cannot answer, its parent answers (H-2). */
  handsUp: boolean
}

export const isLanding = ({ type, name }: Step): boolean => type === 'action' && name === MERGE
export const isVerifying = ({ type, name }: Step): boolean => type === 'check' && name === CONTRACT

/** Whether tasks with this map produce a tree. Every map that a user may write does; some of Muster's own do not. */
export function isGated(map: PhaseMap): boolean {
  return map.some(({ step }) => isLanding(step) || isVerifying(step))
}

export const isForMachines = ({ judge, skipped }: Criterion): boolean => judge === 'machine' && skipped === undefined
export const isForJudges = ({ judge, skipped }: Criterion): boolean => judge !== 'machine' && skipped === undefined

/** The tree that was verified under the contract in force; null if none was. */
export function verifiedTree({ verified }: TaskState, { contract }: Pick<Gate, 'contract'>): string | null {
  return verified !== null && verified.contract === contract?.hash ? verified.tree : null
}

/** Whether Muster has still to verify. Advice without machine criteria is the one thing that leaves nothing to verify. */
export function isUnverified(state: TaskState, gate: Pick<Gate, 'contract'>): boolean {
  const { contract } = gate
  if (contract === null || verifiedTree(state, gate) !== null) return false
  return contract.type !== 'advisory' || contract.criteria.some(isForMachines)
}

/** The criteria that wait for a judge's or a person's answer. */
export function unanswered(state: TaskState, { contract, handsUp }: Gate): Criterion[] {
  if (contract === null || handsUp) return []
  const { answers, waiver, commit } = state
  const bound = answers?.commit === commit && answers.contract === contract.hash ? answers.by : {}
  const waived = waiver?.commit === commit ? waiver.criteria : []
  return contract.criteria.filter(
    (criterion) => isForJudges(criterion) && !Object.hasOwn(bound, criterion.id) && !waived.includes(criterion.id),
  )
}

/**
 * The state with criteria answered: `all` that are open by a person, or those of these ids by a judge, who never answers for
 * a person.
 */
export function withAnswers(state: TaskState, gate: Gate, ids: readonly string[] | 'all', by: string): TaskState {
  const { contract } = gate
  const isTheirs = ({ id, judge }: Criterion) => ids === 'all' || (judge === 'checker' && ids.includes(id))
  const open = unanswered(state, { contract, handsUp: false }).filter(isTheirs)
  if (open.length === 0 || contract === null || state.commit === null) return state
  const before = state.answers?.commit === state.commit && state.answers.contract === contract.hash
  const known = before ? (state.answers?.by ?? {}) : {}
  const given = Object.fromEntries(open.map(({ id }) => [id, by]))
  return { ...state, answers: { commit: state.commit, contract: contract.hash, by: { ...known, ...given } } }
}

/** The state without the answers to these criteria: somebody says that they are not met. */
export function withoutAnswers(state: TaskState, ids: readonly string[]): TaskState {
  const { answers } = state
  if (answers === null || ids.length === 0) return state
  const by = Object.fromEntries(Object.entries(answers.by).filter(([id]) => !ids.includes(id)))
  return { ...state, answers: { ...answers, by } }
}

/** Whether people answer criteria there: neither a machine's checks nor the approval of a plan do. */
export const isAskedOfPeople = (step: Step): boolean => step.type === 'signal' && step.name !== CI && !isPlanGate(step)

/** The criteria that no phase of the map asks anybody about: they wait for a person before the work lands. */
export function unasked({ criteria }: Contract, map: PhaseMap): Criterion[] {
  if (map.some(({ step }) => isAskedOfPeople(step))) return []
  const isJudged = map.some(({ step }) => step.does === 'judge')
  return criteria.filter((one) => isForJudges(one) && !(isJudged && one.judge === 'checker'))
}

/**
 * Whether nobody else is asked between this phase and the landing, and the work stays what it is: whoever accepts there has
 * allowed it to land. Where work goes through a pull request, its review allows that. Who approves a plan has not seen work.
 */
export function isLastGate(map: PhaseMap, from: string): boolean {
  if (usesForge(map)) return false
  const seen = new Set<string>()
  for (let phase = phaseNamed(map, from); phase !== undefined && !seen.has(phase.name);) {
    const { step, name, onPass } = phase
    if (isLanding(step)) return true
    const asks = step.type === 'signal' || (step.type === 'agent' && step.does !== 'judge')
    if ((asks && name !== from) || isPlanGate(step)) return false
    seen.add(name)
    phase = phaseNamed(map, onPass)
  }
  return false
}

/** Whether it waits for a person's answers before it goes on. */
export function asksForAnswers({ held, wait }: TaskState, step: Step | undefined): boolean {
  return codeOf(held ?? (step?.type === 'action' ? wait : null)) === 'unanswered'
}

/** What a person is asked who alone can answer. */
export const askPerson = (open: readonly Criterion[]): Reason =>
  because('unanswered', { ids: open.map(({ id }) => id) })
