/** Why a task needs a person, and what they can do about it. */
import { questionTo } from '../../domain/contract/contract-question.ts'
import { codeOf, wordsOf, type Reason } from '../../domain/task/reasons.ts'
import { CHECKER, standsAtAcceptance } from '../../domain/task/check.ts'
import { PROTECTED } from '../../domain/verdict/evidence.ts'
import { isForgeStep } from '../../domain/forge.ts'
import { isLastGate } from '../../domain/task/gate.ts'
import type { NeedAction, NeedKind } from '../../domain/task/need.ts'
import { needsPerson } from '../../domain/task/stage.ts'
import { choicesOf } from '../../domain/task/next.ts'
import { isAsked, isElaboration } from '../../domain/task/purpose.ts'
import { isPlanGate } from '../../domain/task/task-plan.ts'
import { currentPhase, isOver, type TaskState } from '../../domain/task/task.ts'
import type { ListedTask, Store } from '../../ports/store.ts'

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
  if (state.status !== 'failed' && !needsPerson(state, spec.phases)) return null
  const { actions, overrules } = choicesOf(state, spec.phases)
  return { actions: [...actions], reasonNeeded: overrules, ...(await why(store, task)) }
}

type Why = Omit<Asked, 'actions'> & Partial<Asked>

async function why(store: Store, { spec, state }: ListedTask): Promise<Why> {
  const { failure, held, wait } = state
  if (state.status === 'failed') return { kind: 'failed', reason: failure === null ? 'it failed' : wordsOf(failure) }
  if (held !== null) return { kind: heldKind(state, held), reason: wordsOf(held) }
  const step = currentPhase(state, spec.phases)?.step
  if (step?.type === 'action') return { kind: 'landing', reason: wait === null ? 'it waits to land' : wordsOf(wait) }
  return atGate(store, { spec, state })
}

/** What a person is asked at a signal. */
async function atGate(store: Store, { spec, state }: Pick<ListedTask, 'spec' | 'state'>): Promise<Why> {
  const step = currentPhase(state, spec.phases)?.step
  if (isElaboration(spec)) {
    const reason = 'a draft of the story is ready: read it, then approve it or request changes'
    return { kind: 'draft', reason, actions: ['approve-draft', 'reject', 'cancel'] }
  }
  if (step !== undefined && isPlanGate(step)) {
    const reason = 'its plan is written: read it, then approve it or say what must change. No work has started'
    return { kind: 'plan', reason }
  }
  const { verdict = null, report = '' } = state.check ?? {}
  if (standsAtAcceptance(state, spec.phases) && verdict === 'FAIL')
    return { kind: 'checker-failed', reason: `the ${CHECKER} says that the work is not done`, report }
  if (standsAtAcceptance(state, spec.phases) && verdict === 'ERROR')
    return { kind: 'checker-error', reason: `the ${CHECKER} could not tell`, report }
  if (step !== undefined && isForgeStep(step))
    return {
      kind: 'review',
      reason:
        state.wait === null ? 'its pull request needs a review' : `its pull request is waiting: ${wordsOf(state.wait)}`,
    }
  if ((await store.contracts(spec.id)).at(-1)?.type === 'advisory') {
    const reason = 'Muster cannot verify it: read the result, then accept or reject it'
    return { kind: 'advisory', reason }
  }
  return { kind: 'review', reason: 'the work is done and needs your decision' }
}

function heldKind({ unmet }: TaskState, held: Reason): NeedKind {
  const code = codeOf(held)
  if (code === 'contract-question') return 'advisory'
  if (code === 'unanswered') return 'review'
  if (code === 'budget') return 'budget'
  return unmet.includes(PROTECTED) ? 'protected' : 'held'
}

/** The branch of the user's that accepting the task now lets it land on; null: something else comes first. */
export function landsOn({ spec, state }: Pick<ListedTask, 'spec' | 'state'>): string | null {
  const phase = state.status === 'in-progress' ? currentPhase(state, spec.phases) : undefined
  const isOwn = spec.story === null && spec.parent === null && isAsked(spec)
  return isOwn && phase !== undefined && isLastGate(spec.phases, phase.name) ? spec.target : null
}

/**
 * Everything a person can do to a task now, asked or not: they may also speak before its checker does. `outdated`: muster.yaml
 * has changed since, and a retry takes it.
 */
export async function possibleActions(store: Store, task: ListedTask, outdated = false): Promise<NeedAction[]> {
  const { spec, state } = task
  const asked = (await askedOf(store, task))?.actions ?? choicesOf(state, spec.phases).actions
  if (isOver(state.status)) return [...asked]
  const again = outdated && state.run === null && questionTo(state) === null ? (['retry'] as const) : []
  return [...new Set([...asked, ...again, 'cancel' as const])]
}
