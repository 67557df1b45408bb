/** The gate that a person opens with accept, reject or approve: reads the decision stored with the task. */
import { rejectionOf } from '../../../domain/task/comment.ts'
import { because } from '../../../domain/task/reasons.ts'
import type { Signal } from '../../../ports/signals.ts'

export const humanApproval: Signal = {
  async read({ decision }) {
    if (decision === null) return { status: 'pending', reason: because('look', { at: 'work' }) }
    const { kind, message, comments, by } = decision
    if (kind === 'accept') return { status: 'approved', message, by }
    const { detail, findings } = rejectionOf(message, comments)
    return { status: 'rejected', message: detail, by, findings }
  },
}
