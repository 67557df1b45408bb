/**
 * The gate for the checker and people. A person's decision always wins; the checker's verdict arrives as an event
 * (domain/task/check.ts), so this signal reads only people's decisions. A subtask passes: its parent's acceptance
 * covers it. So does a task without a checker if people review it later, so that nobody is asked twice.
 */
import { PR_REVIEW } from '../../../domain/forge.ts'
import { because } from '../../../domain/task/reasons.ts'
import type { Signal } from '../../../ports/signals.ts'
import { humanApproval } from './human-approval.ts'

export const acceptance: Signal = {
  async read(state, spec) {
    if (state.decision !== null) return humanApproval.read(state, spec)
    if (spec.parent !== null) return { status: 'approved', message: `covered by ${spec.parent}`, by: 'muster' }
    const { check } = state
    const reviewed = spec.phases.some(({ step }) => step.type === 'signal' && step.name === PR_REVIEW)
    if (check?.attempt !== state.attempt && reviewed) {
      return { status: 'approved', message: 'no checker is asked; its review comes later', by: 'muster' }
    }
    if (check?.verdict === null)
      return { status: 'pending', reason: because('checker-at-work', { check: check.id, limit: null }) }
    return { status: 'pending', reason: state.wait ?? because('look', { at: 'work' }) }
  },
}
