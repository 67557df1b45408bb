/**
 * What a person can do about a task as it stands: the one place that knows. The terminal and notices print it as commands,
 * the board and MCP offer it as actions.
 */
import { answerCommands, questionTo } from '../contract/contract-question.ts'
import { isChecking, standsAtAcceptance } from './check.ts'
import { asksForAnswers } from './gate.ts'
import type { NeedAction } from './need.ts'
import type { PhaseMap } from './phase-map.ts'
import { codeOf } from './reasons.ts'
import { needsPerson } from './stage.ts'
import { isPlanGate, standsAtPlanner } from './task-plan.ts'
import type { TaskState } from './task.ts'
import { currentPhase } from './task.ts'

interface Choices {
  actions: readonly NeedAction[]
  /** Accepting overrules somebody, and needs words. */
  overrules: boolean
}

const DECIDE: Choices = { actions: ['accept', 'reject', 'cancel'], overrules: false }

/** Whether its dependencies let it start is not looked at. */
export function choicesOf(state: TaskState, map: PhaseMap): Choices {
  const step = currentPhase(state, map)?.step
  const isLanding = step?.type === 'action'
  const plain = (...actions: NeedAction[]): Choices => ({ actions, overrules: false })
  if (state.status === 'completed') return plain()
  if (state.status === 'cancelled') return plain('retry')
  if (state.status === 'failed') return plain('retry', 'cancel')
  if (questionTo(state) !== null) return plain('as-verifiable', 'as-advisory', 'cancel')
  if (asksForAnswers(state, step)) return DECIDE
  if (state.held !== null) {
    const nothing = state.commit === null || standsAtPlanner(state, map)
    // An action cannot be skipped: approving runs it again.
    const over: NeedAction[] = nothing ? [] : [isLanding ? 'approve' : 'accept']
    const begun: NeedAction[] = state.status === 'in-progress' ? ['reject', ...over] : []
    return { actions: ['retry', ...begun, 'cancel'], overrules: !isLanding }
  }
  if (!needsPerson(state, map)) return isChecking(state, map) ? DECIDE : plain('cancel')
  if (isLanding) return plain('approve', 'reject', 'cancel')
  const verdict = standsAtAcceptance(state, map) ? state.check?.verdict : null
  if (verdict === 'ERROR') return { actions: ['retry', 'reject', 'accept'], overrules: true }
  if (verdict === 'FAIL') return { actions: ['reject', 'accept'], overrules: true }
  return DECIDE
}

/** What to type: first what shows how it stands, then what would move it on. */
export function nextCommands(state: TaskState, map: PhaseMap): string[] {
  const { id } = state
  const { actions, overrules } = choicesOf(state, map)
  const isOpen = state.status === 'not-started' || state.status === 'in-progress'
  if (isOpen && !needsPerson(state, map) && !isChecking(state, map)) {
    return state.run === null ? ['muster run'] : [`muster logs ${id} -f`, `muster cancel ${id}`]
  }
  const why = !overrules ? '' : state.held === null ? ' --reason "why it is fine"' : ' -m "why it is fine"'
  const isObstacle =
    state.held === null && currentPhase(state, map)?.step.type === 'action' && codeOf(state.wait) !== 'approval'
  const commands: Partial<Record<NeedAction, readonly string[]>> = {
    retry: [`muster retry ${id}`],
    'as-verifiable': answerCommands(id),
    accept: [`muster accept ${id}${why}`],
    approve: [isObstacle ? 'muster run' : `muster approve ${id}`],
    reject: [`muster reject ${id} -m "what must change"`],
    cancel: [`muster cancel ${id}`],
  }
  // Where there are many ways, the two that lead on are told: a rejection of what failed is a retry with words.
  const untold = !actions.includes('reject')
    ? null
    : state.held !== null && actions.includes('retry')
      ? 'reject'
      : 'cancel'
  const told = Object.entries(commands).flatMap(([action, words]) =>
    action !== untold && actions.includes(action as NeedAction) ? words : [],
  )
  return [...lookAt(state, map), ...told]
}

function lookAt(state: TaskState, map: PhaseMap): string[] {
  const { id, status, held } = state
  const step = currentPhase(state, map)?.step
  if (status === 'completed') return [`muster diff ${id}`]
  if (status === 'cancelled' || status === 'failed') return [`muster logs ${id}`]
  if (questionTo(state) !== null) return []
  if (asksForAnswers(state, step)) return [`muster show ${id}`]
  if (held !== null) return [state.unmet.length > 0 ? `muster show ${id}` : `muster logs ${id}`]
  if (isChecking(state, map)) return [`muster logs ${state.check?.id} -f`]
  if (step !== undefined && isPlanGate(step)) return [`muster show ${id} --plan`]
  const isAgainst = step?.type !== 'action' && (state.check?.verdict === 'FAIL' || state.check?.verdict === 'ERROR')
  return [isAgainst || state.idle > 0 ? `muster show ${id}` : `muster diff ${id}`]
}
