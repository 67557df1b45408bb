/** The gate a person opens with accept, reject or approve: reads the decision stored with the task. */
import type { Signal } from '../../ports/signals.ts'

export const humanApproval: Signal = {
  async read({ decision }) {
    if (decision === null) return { status: 'pending', message: 'a person to look at it' }
    const { kind, message, by } = decision
    return { status: kind === 'accept' ? 'approved' : 'rejected', message, by }
  },
}
