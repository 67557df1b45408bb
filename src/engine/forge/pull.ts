/** What the steps of a pull request have in common: whose pull request it is, and how it stands before anything is done. */
import { usesForge, type Pull, type TaskPull } from '../../domain/forge.ts'
import { MusterError } from '../../domain/errors.ts'
import type { TaskState } from '../../domain/task.ts'
import type { StepResult } from '../../domain/transition.ts'
import type { Forge } from '../../ports/forge.ts'
import type { TaskSummary } from '../../ports/store.ts'

/** A subtask is part of its parent's pull request, and what works for a story has none. */
export function hasPull({ parent, worksFor, checkerFor, phases }: TaskSummary): boolean {
  return parent === null && worksFor === null && checkerFor === null && usesForge(phases)
}

/** Its pull request at this forge; one from before `forge:` in muster.yaml named another place is none here. */
export function pullHere({ pr }: TaskState, { place }: Forge): TaskPull | null {
  return pr?.place === place ? pr : null
}

/** Whether the pull request is to be opened, or to be given the present snapshot, before anything else. */
export function isBehind(state: TaskState, forge: Forge): boolean {
  return state.commit !== null && pullHere(state, forge)?.head !== state.commit
}

export const covered = (parent: string | null): string => `covered by ${parent ?? 'what it belongs to'}`

export function closedReason({ url }: Pull, forge: Forge): string {
  return `its pull request ${url} was closed at ${forge.name} without a merge. What a person closed, Muster neither opens again nor replaces: reopen it there, then retry the task`
}

export function result(outcome: StepResult['outcome'], detail: string, more: Partial<StepResult> = {}): StepResult {
  return { outcome, detail, findings: [], ...more }
}

/** What the forge cannot do now keeps one task waiting, in its words; a mistake of Muster's own is none of that. */
export function trouble(error: unknown): { reason: string; byItself: boolean } {
  const expected = ['busy', 'not_allowed', 'not_found', 'config', 'failed']
  if (!(error instanceof MusterError) || !(error.code === 'git' || expected.includes(error.code))) throw error
  const hint = error.hint === undefined ? '' : ` (${error.hint})`
  const byItself = error.code === 'busy'
  return { reason: `${byItself ? '' : 'somebody to mend this: '}${error.message}${hint}`, byItself }
}

/** Carries a step out; trouble with the forge is a WAIT, which costs nothing and tells what is the matter. */
export async function attempt(work: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await work()
  } catch (error) {
    const { reason, byItself } = trouble(error)
    return result('WAIT', reason, { byItself })
  }
}
