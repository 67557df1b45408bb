/** What people see of a task: one word, and one sentence of what it waits for. Derived, stored nowhere. */
import type { PhaseMap } from './phase-map.ts'
import type { TaskState } from './task.ts'
import { currentPhase } from './task.ts'
import { ACCEPTANCE, isChecking } from './check.ts'
import { isForgeStep } from './forge.ts'
import { isPlanGate } from './task-plan.ts'
import { isJudge } from './verdict.ts'

export const STAGES = [
  'pending',
  'blocked',
  'running',
  'checking',
  'review',
  'landing',
  'completed',
  'failed',
  'cancelled',
] as const
export type Stage = (typeof STAGES)[number]

/** `blockedBy`: the dependencies that are not completed. */
export function stageOf(state: TaskState, map: PhaseMap, blockedBy: readonly string[]): Stage {
  if (state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled') return state.status
  if (state.held !== null) return 'review'
  if (state.status === 'not-started') return blockedBy.length > 0 ? 'blocked' : 'pending'
  const step = currentPhase(state, map)?.step
  if (isChecking(state, map)) return 'checking'
  if (step === undefined || step.type === 'signal') return 'review'
  if (step.type === 'check') return 'checking'
  if (step.type === 'action') return needsPerson(state, map) ? 'review' : 'landing'
  return isJudge(state.run?.name ?? step.name) ? 'checking' : 'running'
}

/** Whether only a person can move the task on: it is held, or stands unanswered at a person's gate. */
export function needsPerson(state: TaskState, map: PhaseMap): boolean {
  if (state.held !== null) return true
  if (state.status !== 'in-progress') return false
  if (state.run !== null || (state.wait !== null && state.byItself)) return false
  const step = currentPhase(state, map)?.step
  // Whether a person has to answer at a forge is known once it was asked; what is covered by others passes acceptance by itself.
  const mayPass = step !== undefined && (isForgeStep(step) || (step.type === 'signal' && step.name === ACCEPTANCE))
  if (mayPass && state.wait === null) return false
  if (step?.type === 'signal') return state.decision === null && !isChecking(state, map)
  return step?.type === 'action' && state.wait !== null
}

/** What keeps a good result from being a plain one: said wherever it is shown. */
export function caveatsOf({ verified, waiver, commit }: TaskState): string[] {
  const excused = verified?.excused ?? 0
  const waived = waiver?.commit === commit ? waiver.criteria : []
  return [
    ...(excused === 0
      ? []
      : [`${excused === 1 ? '1 test' : `${excused} tests`} excused: failed before the change too`]),
    ...(waived.length === 0 ? [] : [`${waived.join(', ')} waived by ${waiver?.by}`]),
  ]
}

export const ITS_TURN = 'its turn'

export function waitingFor(state: TaskState, map: PhaseMap, blockedBy: readonly string[]): string | null {
  if (state.held !== null) return `a person: ${state.held}`
  if (state.status === 'not-started') {
    return blockedBy.length > 0 ? `${blockedBy.join(', ')} to complete` : ITS_TURN
  }
  if (state.status !== 'in-progress') return null
  if (state.run !== null) return `${state.run.kind} ${state.run.name} to end`
  const step = currentPhase(state, map)?.step
  if (isChecking(state, map)) return `its checker (${state.check?.id})`
  if (step !== undefined && isPlanGate(step) && state.decision === null) return "a person's decision on its plan"
  if (step?.type === 'signal' && isForgeStep(step) && state.decision === null && state.wait !== null) return state.wait
  if (step?.type === 'signal' && state.check !== null && state.decision === null && state.wait !== null) {
    return `a person: ${state.wait}`
  }
  if (step?.type === 'signal') {
    return state.decision === null ? `a person's decision (${step.name})` : `${step.name} to be read`
  }
  return state.wait ?? ITS_TURN
}
