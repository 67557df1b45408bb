/**
 * `signal pr-review` and `signal ci`: what people and machines say of the pull request at its present head, and of no
 * other. A person's word through Muster counts as it does at every gate.
 */
import { weighChecks, weighReviews } from '../../domain/forge.ts'
import { ciSlowMs } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Signal, SignalReading } from '../../ports/signals.ts'
import { humanApproval } from '../signals/human-approval.ts'
import { closedReason, covered } from './pull.ts'

const NOT_YET: SignalReading = { status: 'pending', message: 'its pull request', byItself: true }
const firstSeenMax = 1000

export function prReview(forge: Forge): Signal {
  return {
    async read(state, spec) {
      const { pr, commit, decision } = state
      if (decision !== null) return humanApproval.read(state, spec)
      if (spec.parent !== null) return { status: 'approved', message: covered(spec.parent), by: 'muster' }
      if (pr === null || commit === null) return NOT_YET
      const pull = await forge.read(pr)
      if (pull.state === 'closed') return { status: 'failed', message: closedReason(pull, forge) }
      if (pull.head !== commit) return NOT_YET
      // Who merged it has said more than a review could.
      if (pull.state === 'merged') return { status: 'approved', message: 'merged there', by: forge.name, lands: true }
      const found = weighReviews(await forge.reviews(pr), commit)
      if (found.status === 'approved') return { ...found, lands: true }
      if (found.status === 'changes') return { ...found, status: 'rejected' }
      const message = forge.lands === 'here' ? 'a person to review it' : `${found.message}: ${pr.url}`
      return { status: 'pending', message }
    },
  }
}

export function ci(forge: Forge, clock: Clock): Signal {
  /** When a commit was first asked about: what is missing may only be slow to begin. */
  const firstSeen = new Map<string, number>()
  return {
    async read(state, spec) {
      const { pr, commit, decision } = state
      if (decision !== null) return humanApproval.read(state, spec)
      if (spec.parent !== null) return { status: 'approved', message: covered(spec.parent), by: 'muster' }
      if (pr === null || commit === null) return NOT_YET
      const pull = await forge.read(pr)
      if (pull.state === 'closed') return { status: 'failed', message: closedReason(pull, forge) }
      if (pull.head !== commit) return NOT_YET
      const since = firstSeen.get(commit) ?? clock.now()
      if (firstSeen.size >= firstSeenMax) firstSeen.clear()
      firstSeen.set(commit, since)
      const young = forge.lands === 'there' && clock.now() - since < ciSlowMs
      const found = weighChecks(await forge.checks(pr, commit), commit, young)
      if (found.status === 'green') return { status: 'approved', message: found.message, by: forge.name }
      if (found.status === 'failed') return { ...found, status: 'rejected', by: forge.name }
      // Somebody has to look at it there.
      const asks = !found.byItself && forge.lands === 'there'
      return asks ? { ...found, message: `${found.message}: ${pr.url}` } : found
    },
  }
}
