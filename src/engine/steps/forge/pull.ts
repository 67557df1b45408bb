/**
 * What the steps of a pull request share: which pull request belongs to a task, and its state before a step begins.
 */
import { usesForge, type Pull, type TaskPull } from '../../../domain/forge.ts'
import { MusterError } from '../../../domain/errors.ts'
import type { TaskState } from '../../../domain/task/task.ts'
import { because, type Reason } from '../../../domain/task/reasons.ts'
import { waitsFor, type StepResult } from '../../../domain/task/event.ts'
import { isAsked } from '../../../domain/task/purpose.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { TaskSummary } from '../../../ports/store.ts'

/** A subtask is part of its parent's pull request, and what works for a story has none. */
export function hasPull(spec: Pick<TaskSummary, 'parent' | 'purpose' | 'phases'>): boolean {
  return spec.parent === null && isAsked(spec) && usesForge(spec.phases)
}

/** Its pull request at this forge; one from before `forge:` in muster.yaml named another place is none here. */
export function pullHere({ pr }: TaskState, { place }: Forge): TaskPull | null {
  return pr?.place === place ? pr : null
}

/** Whether the pull request is to be opened, or to be given the present snapshot, before anything else. */
export function isBehind(state: TaskState, forge: Forge): boolean {
  return state.commit !== null && pullHere(state, forge)?.head !== state.commit
}

export const covered = (parent: string | null): string => `covered by ${parent ?? 'its parent'}`

export const closedReason = ({ url }: Pull, forge: Forge): Reason => because('pull-closed', { url, forge: forge.name })

export function result(outcome: StepResult['outcome'], detail: string, more: Partial<StepResult> = {}): StepResult {
  return { outcome, detail, findings: [], ...more }
}

/** What the forge cannot do now keeps one task waiting, in its words; a mistake of Muster's own is none of that. */
export function trouble(error: unknown): Reason {
  const expected = ['busy', 'not_allowed', 'not_found', 'config', 'failed']
  if (!(error instanceof MusterError) || !(error.code === 'git' || expected.includes(error.code))) throw error
  return because('forge', { said: error.message, hint: error.hint ?? null, busy: error.code === 'busy' })
}

/** Carries a step out; trouble with the forge is a WAIT, which costs nothing and tells what is the matter. */
export async function attempt(work: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await work()
  } catch (error) {
    return waitsFor(trouble(error))
  }
}

/** Whether the target here and at the forge are the same; else why not. */
export async function meet(forge: Forge, target: string, how: Parameters<Forge['meet']>[1]): Promise<Reason | null> {
  const said = await forge.meet(target, how)
  return said === null ? null : because('target-parted', { said })
}
