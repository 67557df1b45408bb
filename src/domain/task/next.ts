/** What a person can type about a task as it stands: for `muster explain`, and for whoever is told of it. */
import { isChecking } from './check.ts'
import { answerCommands, questionTo } from '../contract/contract-question.ts'
import { asksForAnswers } from './gate.ts'
import type { PhaseMap } from './phase-map.ts'
import { codeOf } from './reasons.ts'
import { needsPerson } from './stage.ts'
import { isPlanGate, standsAtPlanner } from './task-plan.ts'
import type { TaskState } from './task.ts'
import { currentPhase } from './task.ts'

/** Commands that would move it on. Whether its dependencies let it start is not looked at. */
export function nextCommands(state: TaskState, map: PhaseMap): string[] {
  const { id } = state
  if (state.status === 'completed') return [`muster diff ${id}`]
  if (state.status === 'cancelled') return [`muster logs ${id}`, `muster retry ${id}`]
  if (state.status === 'failed') return [`muster logs ${id}`, `muster retry ${id}`, `muster cancel ${id}`]
  if (questionTo(state) !== null) return [...answerCommands(id), `muster cancel ${id}`]
  if (asksForAnswers(state, currentPhase(state, map)?.step)) {
    return [`muster show ${id}`, `muster accept ${id}`, `muster reject ${id} -m "what must change"`]
  }
  if (state.held !== null) {
    const over = state.commit === null || standsAtPlanner(state, map) ? [] : [`muster accept ${id} -m "why it is fine"`]
    const look = state.unmet.length > 0 ? `muster show ${id}` : `muster logs ${id}`
    return [look, `muster retry ${id}`, ...over, `muster cancel ${id}`]
  }
  if (needsPerson(state, map)) {
    const step = currentPhase(state, map)?.step
    const landing = step?.type === 'action'
    if (step !== undefined && isPlanGate(step)) {
      return [`muster show ${id} --plan`, `muster accept ${id}`, `muster reject ${id} -m "what must change"`]
    }
    const obstacle = landing && codeOf(state.wait) !== 'approval'
    const against = !landing && (state.check?.verdict === 'FAIL' || state.check?.verdict === 'ERROR')
    if (against) {
      const again = state.check?.verdict === 'ERROR' ? [`muster retry ${id}`] : []
      const over = `muster accept ${id} --reason "why it is fine"`
      return [`muster show ${id}`, ...again, over, `muster reject ${id} -m "what must change"`]
    }
    const yes = obstacle ? 'muster run' : landing ? `muster approve ${id}` : `muster accept ${id}`
    const look = state.idle > 0 ? `muster show ${id}` : `muster diff ${id}`
    return [look, yes, `muster reject ${id} -m "what must change"`]
  }
  if (isChecking(state, map)) {
    return [`muster logs ${state.check?.id} -f`, `muster accept ${id}`, `muster reject ${id} -m "what must change"`]
  }
  return state.run === null ? ['muster run'] : [`muster logs ${id} -f`, `muster cancel ${id}`]
}
