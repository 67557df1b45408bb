/**
 * Continues an interrupted author: Muster was stopped while it worked, or its program reached its rate limit. The next
 * run gets the files that it left and, if the program still has it, its session.
 */
import type { RunFacts } from '../../domain/run.ts'
import type { Usage } from '../../domain/usage.ts'
import type { RunOutcome } from '../../ports/runtime.ts'
import type { RunRecord } from '../../ports/store.ts'

interface Resumable {
  runId: string
  /** What it left. */
  commit: string
  /** With what its runs have used so far, as far as they told. Undefined if the program no longer has it: only the files are left. */
  session?: { session: string; usage: Usage }
}

/** Of an author's run that did not come to an end of its own. `session`: the one it was to go on with, if it told none. */
export function unfinished(outcome: RunOutcome, session: string | undefined): Pick<RunFacts, 'unfinished' | 'session'> {
  const known = outcome.session ?? session
  if (known === undefined) return {}
  if (outcome.interrupted || outcome.retryAt !== undefined) return { unfinished: true, session: known }
  const sessionLost = outcome.verdict === 'ERROR' && outcome.session === undefined
  return sessionLost ? { unfinished: true } : {}
}

/**
 * The run that this one goes on with: the one right before it, if that was cut short at the same place or could not
 * find its session. After any other end the next run begins anew.
 */
export function resumableBy(run: RunRecord, runs: readonly RunRecord[], program: string): Resumable | null {
  const before = runs.filter(({ id }) => id !== run.id)
  const last = before.at(-1)
  if (run.does !== 'work' || last?.end == null) return null
  const { commit, facts } = last.end
  const same = last.name === run.name && last.phase === run.phase && last.round === run.round
  if (!same || facts.unfinished !== true || facts.program !== program) return null
  if (commit === null) return null
  const { session } = facts
  return {
    runId: last.id,
    commit,
    ...(session === undefined ? {} : { session: { session, usage: usedIn(session, before) } }),
  }
}

/** Dollars that one run did not tell are in the program's next total: nobody has been charged for them yet. */
function usedIn(session: string, runs: readonly RunRecord[]): Usage {
  const sum = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0 }
  for (const { end } of runs) {
    const { usage } = end?.facts.session === session ? end.facts : {}
    sum.inputTokens += usage?.inputTokens ?? 0
    sum.cachedTokens += usage?.cachedTokens ?? 0
    sum.outputTokens += usage?.outputTokens ?? 0
    sum.usd += usage?.usd ?? 0
  }
  return sum
}
