/** What a plan says about validation, against the roles that there are: `meta.validation`, and the defects of tasks. */
import type { PlannedTask, PlannedValidation } from '../domain/story/plan.ts'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import { ISSUE_VERIFIER, VALIDATOR } from '../domain/validation.ts'
import type { Cast } from './resolve-roles.ts'
import type { PlanTaskText, PlanText } from './schema.ts'

type ValidationText = NonNullable<PlanText['meta']['validation']>

/** Roles that nobody has to define to validate what they do. */
const AUTHORS = ['implementer', 'coder']

/** The judges join the cast. What is wrong with a validation that is not enabled is nobody's concern. */
export function validationProblems(text: ValidationText | undefined, cast: Cast): Problem[] {
  if (text?.enabled !== true) return []
  const at = ['meta', 'validation']
  const validators = text.validators ?? [VALIDATOR]
  return [
    ...validators.flatMap((role, index): Problem[] => {
      const message = cast.needJudge(role)
      const path = text.validators === undefined ? at : [...at, 'validators', index]
      return message === null ? [] : [{ path, message }]
    }),
    ...(text.run_after ?? []).flatMap((role, index): Problem[] => {
      const known = [...new Set([...AUTHORS, ...cast.roles()])]
      if (known.includes(role)) return []
      return [{ path: [...at, 'run_after', index], message: unknownWord('role', role, known) }]
    }),
  ]
}

/** A defect needs somebody who verifies that it is gone. */
export function defectProblems({ defect, parent }: PlanTaskText, path: (string | number)[], cast: Cast): Problem[] {
  if (defect === undefined) return []
  const message =
    parent === undefined
      ? cast.needJudge(ISSUE_VERIFIER)
      : `a subtask is not validated on its own: put the defect on its parent "${parent}"`
  return message === null ? [] : [{ path: [...path, 'defect'], message }]
}

/** A subtask lands on its parent's branch, and what validates the parent covers the whole. */
export function validationOf(
  text: ValidationText | undefined,
  { agent = 'implementer', parent, defect }: PlanTaskText,
): Pick<PlannedTask, 'validation' | 'defect'> {
  const validates = text?.enabled === true && parent === undefined && (text.run_after ?? AUTHORS).includes(agent)
  const validation: PlannedValidation = {
    validators: text?.validators ?? null,
    attempts: text?.max_validation_attempts ?? null,
  }
  return { ...(validates ? { validation } : {}), ...(defect === undefined ? {} : { defect }) }
}
