/** The gate at which a person approves a plan or sends it back: the same decision, about text. */
import { because } from '../../../domain/task/reasons.ts'
import type { Signal } from '../../../ports/signals.ts'
import { humanApproval } from './human-approval.ts'

export const planApproval: Signal = {
  async read(state, spec) {
    if (state.decision === null) return { status: 'pending', reason: because('look', { at: 'plan' }) }
    return humanApproval.read(state, spec)
  },
}
