/**
 * The gates of a task's map as commit statuses at the forge: `muster/verify` and the like. Computed from the history,
 * so that they can be sent again at any time; nothing depends on them.
 */
import type { Phase } from '../../../domain/task/phase-map.ts'
import type { GateStatus } from '../../../ports/forge.ts'
import type { StoredEvent, TaskSummary } from '../../../ports/store.ts'
import type { NewIntent } from '../../../ports/intent.ts'
import type { Decided } from '../../../domain/task/event.ts'
import { hasPull } from './pull.ts'

/** After whatever moved a task that has a pull request: what is to be told of this attempt and its commit. */
export function statusIntent(spec: TaskSummary, { state, log }: Decided, version: number): NewIntent[] {
  const { pr, commit, attempt } = state
  const moved = log.some(
    ({ type, data }) =>
      type === 'phase-entered' || type === 'task-completed' || ('name' in data && data.name === 'open-pr'),
  )
  if (pr === null || commit === null || pr.head !== commit || !moved || !hasPull(spec)) return []
  const data = { id: pr.id, url: pr.url, commit, attempt }
  return [{ key: `status:${spec.id}:${version}`, kind: 'status', taskId: spec.id, data }]
}

/** Where each gate stood last in this attempt. `link`: where to read more of the task. */
export function gatesOf(
  { phases }: TaskSummary,
  events: readonly StoredEvent[],
  attempt: number,
  link: string,
): GateStatus[] {
  const gates = new Map<string, GateStatus>()
  const tell = (name: unknown, state: GateStatus['state'], description: string) => {
    const phase = phases.find((one) => one.name === name)
    if (phase === undefined || !isGate(phase)) return
    const context = `muster/${phase.name}`
    gates.set(context, { context, state, description, link })
  }
  let now = 0
  for (const { type, data } of events) {
    if ((type === 'run-started' && data['kind'] === 'agent') || type === 'submitted') now = Number(data['attempt'])
    if (now !== attempt) continue
    const { from, to } = data
    const phase = phases.find(({ name }) => name === from)
    if (type === 'phase-entered' && phase !== undefined && from !== to) {
      tell(from, to === phase.onPass ? 'success' : 'failure', to === phase.onPass ? 'passed' : 'sent back')
    }
    if (type === 'task-completed') tell(from, 'success', 'passed')
    if (type === 'phase-entered') tell(to, 'pending', 'under way')
  }
  return [...gates.values()]
}

function isGate({ step }: Phase): boolean {
  return step.type === 'check' || step.type === 'signal' || step.does === 'judge'
}
