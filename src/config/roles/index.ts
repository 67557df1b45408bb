/** The roles that come with Muster: what each is told where the project has no file of its own for it. */
import { BUILT_IN, type AgentDefinition } from '../../domain/config.ts'
import { dutyByName, type Duty } from '../../domain/role.ts'
import type { BuiltInRole } from './built-in.ts'
import { checker } from './checker.ts'
import { codeReviewer } from './code-reviewer.ts'
import { elaborator } from './elaborator.ts'
import { implementer } from './implementer.ts'
import { issueVerifier } from './issue-verifier.ts'
import { planner } from './planner.ts'
import { postDeploy } from './post-deploy.ts'
import { validator } from './validator.ts'

const ROLES: Readonly<Record<string, BuiltInRole>> = {
  implementer,
  checker,
  validator,
  'code-reviewer': codeReviewer,
  'issue-verifier': issueVerifier,
  elaborator,
  planner,
  'post-deploy': postDeploy,
}

export const BUILT_IN_ROLES: readonly string[] = Object.keys(ROLES)

const known = (role: string): BuiltInRole | undefined => (Object.hasOwn(ROLES, role) ? ROLES[role] : undefined)

export function builtIn(role: string): AgentDefinition | null {
  const found = known(role)
  if (found === undefined) return null
  const { description, body } = found
  return { name: role, description, body, tools: null, model: null, source: BUILT_IN }
}

/** What a role does where the project does not say it. */
export const dutyOf = (role: string): Duty => known(role)?.does ?? dutyByName(role)

/** Why a project cannot have a role do this; null if it can. */
export function dutyProblem(role: string, does: Duty): string | null {
  const found = known(role)
  if (found === undefined || found.replaceable === true || found.does === does) return null
  return `cannot be "${does}": the ${role} comes with Muster and does "${found.does}"; give your own role another name`
}
