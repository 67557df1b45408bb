/**
 * What a role does. Its definition or its entry in muster.yaml says so; it is settled once, where a configuration or phase
 * map is read, and travels with the configuration's role, the map's step and the run as `does`. Nobody else asks a name.
 */

/** `work` leaves files, `judge` a verdict on somebody else's work, `plan` a text that others work by. */
export const DUTIES = ['work', 'judge', 'plan'] as const
export type Duty = (typeof DUTIES)[number]

/** Roles that judge and never change files, by the last part of their name. */
const JUDGES = new Set(['checker', 'validator', 'verifier', 'reviewer', 'critic', 'auditor'])

/** The role that plans where a project names no other. */
export const PLANNER = 'planner'

/** What a role does of which nobody says it: files of Claude Code's do not, and an older Muster stored nothing about it. */
export function dutyByName(role: string): Duty {
  if (role === PLANNER) return 'plan'
  return role === 'post-deploy' || JUDGES.has(role.slice(role.lastIndexOf('-') + 1)) ? 'judge' : 'work'
}

/** A role, and what it does. */
export interface Player {
  role: string
  does: Duty
}

/** The role that does a task's work, unless the task names another. */
export const LEAD = 'implementer'

/** Who does a task's work. */
export const doerOf = (agent: string | null): string => agent ?? LEAD

/** Who does an agent's step in a task that names an agent of its own, or none. */
export function roleOf(name: string, agent: string | null): string {
  return name === LEAD ? doerOf(agent) : name
}
