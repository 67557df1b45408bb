/** Why a task waits for a person, and what they can do about it. */
import { questionTo } from '../../domain/contract/contract-question.ts'
import { codeOf, wordsOf, type Reason } from '../../domain/task/reasons.ts'
import { CHECKER, isChecking, standsAtAcceptance } from '../../domain/task/check.ts'
import { PROTECTED } from '../../domain/verdict/evidence.ts'
import { isForgeStep } from '../../domain/forge.ts'
import { isLastGate } from '../../domain/task/gate.ts'
import type { NeedAction, NeedKind } from '../../domain/task/need.ts'
import { needsPerson } from '../../domain/task/stage.ts'
import { isPlanGate, standsAtPlanner } from '../../domain/task/task-plan.ts'
import { currentPhase } from '../../domain/task/task.ts'
import type { ListedTask, Store } from '../../ports/store.ts'
import { ELABORATOR } from '../steps/elaborate.ts'

export interface Asked {
  kind: NeedKind
  reason: string
  actions: NeedAction[]
  report?: string
  reasonNeeded?: boolean
}

/** null: it does not wait for anybody. */
export async function askedOf(store: Store, task: ListedTask): Promise<Asked | null> {
  const { spec, state } = task
  if (state.status === 'failed') {
    return {
      kind: 'failed',
      reason: state.failure === null ? 'it failed' : wordsOf(state.failure),
      actions: ['retry', 'cancel'],
    }
  }
  if (!needsPerson(state, spec.phases)) return null
  const step = currentPhase(state, spec.phases)?.step
  if (state.held !== null) return heldAsks(task, state.held)
  if (step?.type === 'action') {
    return {
      kind: 'landing',
      reason: state.wait === null ? 'it waits to land' : wordsOf(state.wait),
      actions: ['approve', 'reject', 'cancel'],
    }
  }
  if (spec.phases.some((phase) => phase.step.name === ELABORATOR)) {
    const reason = 'a draft of the story is ready: read it, then approve it or say what should be otherwise'
    return { kind: 'draft', reason, actions: ['approve-draft', 'reject', 'cancel'] }
  }
  if (step !== undefined && isPlanGate(step)) {
    const reason = 'its plan is written: read it, then approve it or say what must change; no work has begun'
    return { kind: 'plan', reason, actions: ['accept', 'reject', 'cancel'] }
  }
  const { verdict = null, report = '' } = state.check ?? {}
  if (standsAtAcceptance(state, spec.phases) && (verdict === 'FAIL' || verdict === 'ERROR')) {
    const failed = verdict === 'FAIL'
    const reason = failed ? `the ${CHECKER} says that it is not done` : `the ${CHECKER} could not tell`
    const actions: NeedAction[] = [...(failed ? [] : (['retry'] as const)), 'reject', 'accept']
    return { kind: failed ? 'checker-failed' : 'checker-error', reason, report, actions, reasonNeeded: true }
  }
  const actions: NeedAction[] = ['accept', 'reject', 'cancel']
  if (step !== undefined && isForgeStep(step)) {
    return {
      kind: 'review',
      reason: `its pull request waits for ${state.wait === null ? 'a review' : wordsOf(state.wait)}`,
      actions,
    }
  }
  if ((await store.contracts(spec.id)).at(-1)?.type === 'advisory') {
    const reason = 'nothing in it can be verified: read what it came to, then say whether it will do'
    return { kind: 'advisory', reason, actions }
  }
  return { kind: 'review', reason: 'the work is done and waits for your word', actions }
}

function heldAsks({ spec, state }: ListedTask, held: Reason): Asked {
  const [code, reason] = [codeOf(held), wordsOf(held)]
  if (code === 'contract-question') {
    const actions: NeedAction[] = ['as-verifiable', 'as-advisory', 'cancel']
    return { kind: 'advisory', reason, actions }
  }
  const step = currentPhase(state, spec.phases)?.step
  const begun = state.status === 'in-progress'
  if (code === 'unanswered') return { kind: 'review', reason, actions: ['accept', 'reject', 'cancel'] }
  const nothing = state.commit === null || standsAtPlanner(state, spec.phases)
  const over: NeedAction[] = nothing ? [] : [step?.type === 'action' ? 'approve' : 'accept']
  const actions: NeedAction[] = ['retry', ...(begun ? (['reject', ...over] as const) : []), 'cancel']
  const kind = code === 'budget' ? 'budget' : state.unmet.includes(PROTECTED) ? 'protected' : 'held'
  return { kind, reason, actions, reasonNeeded: step?.type !== 'action' }
}

/** The branch of the user's that accepting the task now lets it land on; null: something else comes first. */
export function landsOn({ spec, state }: Pick<ListedTask, 'spec' | 'state'>): string | null {
  const phase = state.status === 'in-progress' ? currentPhase(state, spec.phases) : undefined
  const isOwn = spec.story === null && spec.parent === null && spec.worksFor === null && spec.checkerFor === null
  return isOwn && phase !== undefined && isLastGate(spec.phases, phase.name) ? spec.target : null
}

/**
 * Everything a person can do to a task now, asked or not: they may also speak before its checker does. `outdated`: muster.yaml
 * has changed since, and a retry takes it.
 */
export async function possibleActions(store: Store, task: ListedTask, outdated = false): Promise<NeedAction[]> {
  const { spec, state } = task
  if (state.status === 'completed') return []
  if (state.status === 'cancelled') return ['retry']
  if (state.status === 'failed') return ['retry', 'cancel']
  const asked =
    (await askedOf(store, task))?.actions ?? (isChecking(state, spec.phases) ? (['accept', 'reject'] as const) : [])
  const again = outdated && state.run === null && questionTo(state) === null ? (['retry'] as const) : []
  return [...new Set([...asked, ...again, 'cancel' as const])]
}
