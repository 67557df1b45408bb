/** Continues a task from a landing that the database does not know, because the database is older than the landing. */
import { isLanding } from './gate.ts'
import { enter } from './outcome.ts'
import { initialState, type TaskState } from './task.ts'
import type { Command, Decided, Rules, TaskEvent } from './event.ts'
import type { LogEntry } from './history.ts'

/** What was verified and answered by then was so for the very tree that landed; the gate asks for it as it always does. */
export function adopt(
  state: TaskState,
  { target, to, known }: Extract<TaskEvent, { type: 'landing-found' }>,
  rules: Rules,
): Decided {
  const landing = rules.map.find(({ step }) => isLanding(step))
  if (state.status === 'completed' || landing === undefined) return { state, commands: [], log: [], findings: [] }
  const { runs, attempt, check, run } = state
  const then: TaskState = {
    ...initialState(state.id, known.roundsMax),
    ...known,
    status: 'in-progress',
    phase: landing.name,
    run: null,
    landed: to,
    failure: null,
    runs: Math.max(runs, known.runs),
    attempt: Math.max(attempt, known.attempt),
  }
  const entered = enter(then, landing.onPass, rules)
  const stop: Command[] = run === null ? [] : [{ type: 'stop', runId: run.id }]
  const reason = `${state.id} has already moved on`
  if (check?.verdict === null) stop.push({ type: 'also', task: check.id, event: { type: 'superseded', reason } })
  const log: LogEntry = { type: 'landing-found', data: { target, commit: to } }
  return { ...entered, commands: [...stop, ...entered.commands], log: [log, ...entered.log] }
}
