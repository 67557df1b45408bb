/** The roles that come with Muster: what each is told where the project has no file of its own for it. */
import { BUILT_IN, type AgentDefinition } from '../../domain/config.ts'
import { checker } from './checker.ts'
import { codeReviewer } from './code-reviewer.ts'
import { elaborator } from './elaborator.ts'
import { implementer } from './implementer.ts'
import { issueVerifier } from './issue-verifier.ts'
import { planner } from './planner.ts'
import { postDeploy } from './post-deploy.ts'
import { validator } from './validator.ts'

const ROLES: Readonly<Record<string, { description: string; body: string }>> = {
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

export function builtIn(role: string): AgentDefinition | null {
  const words = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined
  return words === undefined ? null : { name: role, ...words, tools: null, model: null, source: BUILT_IN }
}
