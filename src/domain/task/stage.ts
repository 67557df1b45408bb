/** What people see of a task: its stage, and one sentence about what it waits for. Computed, stored nowhere. */
import type { PhaseMap } from './phase-map.ts'
import { because, comesByItself, wordsOf, type Reason } from './reasons.ts'
import type { TaskState } from './task.ts'
import { currentPhase, isOver } from './task.ts'
import { ACCEPTANCE, isChecking } from './check.ts'
import { isForgeStep } from '../forge.ts'
import { isPlanGate } from './task-plan.ts'

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
  return (state.run?.does ?? step.does) === 'judge' ? 'checking' : 'running'
}

/** Whether only a person can move the task on: it is held, or stands unanswered at a person's gate. */
export function needsPerson(state: TaskState, map: PhaseMap): boolean {
  if (state.held !== null) return true
  if (state.status !== 'in-progress') return false
  if (state.run !== null || (state.wait !== null && comesByItself(state.wait))) return false
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

/** Why it stands where it stands; null once it is over. */
export function reasonFor(state: TaskState, map: PhaseMap, blockedBy: readonly string[]): Reason | null {
  if (state.held !== null) return state.held
  if (state.status === 'not-started') {
    return blockedBy.length > 0 ? because('dependencies', { ids: blockedBy }) : because('its-turn', {})
  }
  if (state.status !== 'in-progress') return state.failure
  if (state.run !== null) return because('run', { kind: state.run.kind, name: state.run.name })
  const step = currentPhase(state, map)?.step
  if (isChecking(state, map)) return because('checker-at-work', { check: state.check?.id ?? '', limit: null })
  const { wait } = state
  if (step?.type !== 'signal') return wait ?? because('its-turn', {})
  if (state.decision !== null) return because('reading', { signal: step.name })
  if (isPlanGate(step)) return because('plan-decision', {})
  return wait !== null && (isForgeStep(step) || state.check !== null)
    ? wait
    : because('decision', { signal: step.name })
}

/** The same in words, while it is open. */
export function waitingFor(state: TaskState, reason: Reason | null): string | null {
  return reason === null || isOver(state.status) ? null : wordsOf(reason)
}

/** Whether the reason is what a person is to read before they answer. */
export function asksPerson(state: TaskState, map: PhaseMap, reason: Reason | null): boolean {
  if (state.held !== null) return true
  const step = currentPhase(state, map)?.step
  return reason !== null && reason === state.wait && step?.type === 'signal' && !isForgeStep(step)
}
