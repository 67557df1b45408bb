/** The turn of a task at an action: checks for anything that prevents the action before a run is recorded. */
import { MusterError } from '../../domain/errors.ts'
import { isLanding } from '../../domain/task/gate.ts'
import type { Phase } from '../../domain/task/phase-map.ts'
import { because, codeOf, type Reason } from '../../domain/task/reasons.ts'
import type { EngineTurns } from '../loop/core.ts'
import type { Turn } from './forge/turns.ts'
import type { Entry } from '../loop/task-table.ts'

export async function actionTurn(engine: EngineTurns, entry: Entry, { step, name: phase }: Phase): Promise<Turn> {
  const { spec, state } = entry
  const action = engine.parts.actions[step.name]
  if (action === undefined) throw new Error(`action ${step.name} was known when the map was loaded`)
  const queued: Turn = { event: { type: 'waited', phase, reason: because('queue', { target: spec.target }) } }
  const line = isLanding(step) ? engine.table.line : null
  // In the line nothing else is looked at: there may be thousands.
  if (codeOf(state.wait) === 'queue' && line?.isTaken(entry) === true) return queued
  const config = await engine.transactor.config(spec.configHash)
  // What is protected now is so for a task that came with other words, too.
  const kept = [...new Set([...config.protected, ...engine.parts.config.protected])]
  const reason = await action.notYet(spec, state, { ...config, protected: kept }).catch(gitTrouble)
  if (reason !== null) return { event: { type: 'waited', phase, reason } }
  return line?.take(entry) === false ? queued : { event: { type: 'step', phase } }
}

/** What git cannot do for one task keeps that task waiting, not all of them. */
function gitTrouble(error: unknown): Reason {
  if (error instanceof MusterError && error.code === 'git') return because('git', { said: error.message })
  throw error
}
