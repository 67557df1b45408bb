/** Elaborations: tasks that make a draft of a story out of a goal, and wait for the person who approves it. */
import { isGated } from './gate.ts'
import type { PhaseMap } from './phase-map.ts'
import { DONE } from './phase-map.ts'
import { ELABORATION, WORK, type Purpose } from './purpose.ts'

/** The role that drafts. */
export const ELABORATOR = 'elaborator'

const common = { onWait: null, timeoutMs: null }

export const ELABORATION_MAP: PhaseMap = [
  {
    ...common,
    name: 'elaborate',
    step: { type: 'agent', name: ELABORATOR, does: 'work' },
    onPass: 'draft',
    onFail: 'elaborate',
    attempts: 3,
  },
  {
    ...common,
    name: 'draft',
    step: { type: 'signal', name: 'human-approval' },
    onPass: DONE,
    onFail: 'elaborate',
    attempts: null,
  },
]

/** What a task with this map is asked for. Only Muster's own maps neither verify nor land. */
export function askedFor(map: PhaseMap): Purpose {
  return map[0]?.step.name === ELABORATOR && !isGated(map) ? ELABORATION : WORK
}
