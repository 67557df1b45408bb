/**
 * `signal pr-review` and `signal ci`: reviews and checks of the pull request at its current head, and of no other
 * commit. A person's decision through Muster counts as it does at every gate.
 */
import { REVIEW_HERE, weighChecks, weighReviews, type Pull } from '../../../domain/forge.ts'
import { because } from '../../../domain/task/reasons.ts'
import { ciSlowMs, ciSteadyMs } from '../../../domain/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { Signal, SignalReading } from '../../../ports/signals.ts'
import { humanApproval } from '../signals/human-approval.ts'
import { closedReason, covered } from './pull.ts'

const NOT_YET: SignalReading = { status: 'pending', reason: because('pull-request', {}) }
const heardMax = 1000

/** What is said of the pull request that has the present snapshot; all that comes before is the same, whatever is asked of it. */
function ofPull(forge: Forge, read: (pull: Pull) => Promise<SignalReading>): Signal {
  return {
    async read(state, spec) {
      const { pr, commit, decision } = state
      if (decision !== null) return humanApproval.read(state, spec)
      if (spec.parent !== null) return { status: 'approved', message: covered(spec.parent), by: 'muster' }
      if (pr === null || commit === null) return NOT_YET
      const pull = await forge.read(pr)
      if (pull.state === 'closed') return { status: 'failed', reason: closedReason(pull, forge) }
      return pull.head === commit ? read(pull) : NOT_YET
    },
  }
}

export function prReview(forge: Forge): Signal {
  return ofPull(forge, async (pull) => {
    // Who merged it has said more than a review could.
    if (pull.state === 'merged')
      return { status: 'approved', message: 'merged there', by: forge.name, lands: true, merged: true }
    const found = weighReviews(await forge.reviews(pull), pull.head)
    if (found.status === 'approved') return { ...found, lands: true }
    if (found.status === 'changes') return { ...found, status: 'rejected' }
    const here = forge.lands === 'here'
    const reason = because('review', here ? { said: REVIEW_HERE, url: null } : { said: found.message, url: pull.url })
    return { status: 'pending', reason }
  })
}

export function ci(forge: Forge, clock: Clock): Signal {
  /** When a commit was first heard to stand so. */
  const heard = new Map<string, number>()
  const msSince = (words: string): number => {
    const now = clock.steady()
    const first = heard.get(words) ?? now
    if (heard.size >= heardMax) heard.clear()
    heard.set(words, first)
    return now - first
  }
  return ofPull(forge, async (pull) => {
    const { named, checks } = await forge.checks(pull, pull.head)
    const found = weighChecks(checks, pull.head)
    const { status, message } = found
    const wait = (state: 'running' | 'more' | 'stopped', url: string | null = null): SignalReading => {
      return { status: 'pending', reason: because('ci', { said: message, state, url }) }
    }
    if (status === 'failed') return { ...found, status: 'rejected', by: forge.name, machine: true }
    if (status === 'green') {
      // Where nobody says which there are, the quick ones may be green before the slow ones have begun.
      if (named || msSince(message) >= ciSteadyMs) return { status: 'approved', message, by: forge.name }
      return wait('more')
    }
    if (forge.lands === 'here') return wait(status === 'running' ? 'running' : 'stopped')
    if (status === 'running' || (status === 'missing' && msSince(message) < ciSlowMs)) {
      return wait('running')
    }
    // Somebody has to look at it there.
    return wait('stopped', pull.url)
  })
}
