/**
 * The plan of a task: the text that its planner wrote before the work, and whether a person approved it. Approving a
 * plan is not approving work: it answers no criterion and lets nothing land. Pure.
 */
import type { Phase, PhaseMap, Step } from './phase-map.ts'
import type { Problem } from '../problem.ts'
import { PLANNER } from '../role.ts'

/** The signal at which a person approves a plan or sends it back. */
export const PLAN_APPROVAL = 'plan-approval'

/** The newest version. Its text is kept with the run that wrote it. */
export interface TaskPlan {
  run: string
  digest: string
  /** Who approved it, and what they said with that. */
  approved: { by: string; note: string } | null
}

export const isPlanGate = ({ type, name }: Step): boolean => type === 'signal' && name === PLAN_APPROVAL
/** Whatever work was left before, there is nothing to accept while a plan is written. */
export const standsAtPlanner = ({ phase }: { phase: string | null }, map: PhaseMap): boolean =>
  map.some(({ name, step }) => name === phase && isPlanning(step))

export const isPlanning = ({ does }: Step): boolean => does === 'plan'

/** A gate for plans that something else than a plan could come to: nobody could say what is approved there. */
export function planGateProblems(map: PhaseMap): Problem[] {
  const gates = map.filter(({ step }) => isPlanGate(step)).map(({ name }) => name)
  const message = `only a planner's phase may lead to "signal ${PLAN_APPROVAL}": point only the on_pass of a phase "agent ${PLANNER}" at it`
  const first = map[0] !== undefined && gates.includes(map[0].name) ? [{ path: [map[0].name, 'run'], message }] : []
  const strays = map.flatMap((phase) =>
    waysTo(phase, gates).map((key): Problem => ({ path: [phase.name, key], message })),
  )
  const waits = map
    .filter(({ name, onWait }) => gates.includes(name) && onWait !== null && onWait !== name)
    .map(({ name }) => ({
      path: [name, 'on_wait'],
      message: `only a person's decision leads on from "signal ${PLAN_APPROVAL}": remove on_wait`,
    }))
  return [...first, ...strays, ...waits]
}

/** The ways from a phase to a gate that bring no new plan there. A gate that waits stays where it is. */
function waysTo({ name, step, onPass, onFail, onWait }: Phase, gates: readonly string[]): string[] {
  const ways = { on_pass: isPlanning(step) ? null : onPass, on_fail: onFail, on_wait: onWait === name ? null : onWait }
  return Object.entries(ways).flatMap(([key, target]) => (target !== null && gates.includes(target) ? [key] : []))
}
