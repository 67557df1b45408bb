/** What Muster shows of a run: one documented JSON shape for every surface. */
import type { SandboxKind } from '../../domain/config.ts'
import type { Cost } from '../../domain/cost.ts'
import { costOf, spentBy } from '../../domain/cost.ts'
import { isUnsandboxed } from '../../domain/run.ts'
import { tallyOf } from '../../domain/verdict/evidence.ts'
import type { RunEnd, RunRecord } from '../../ports/store.ts'
import type { ShownResults } from './results.ts'
import { iso } from './views.ts'

export interface RunView extends Omit<RunRecord, 'does' | 'nonce' | 'startedAt' | 'end'> {
  startedAt: string
  endedAt: string | null
  outcome: string | null
  verdict: string | null
  detail: string | null
  commit: string | null
  exit: string | null
  /** The sandbox that was used: `bubblewrap`, `pid-namespace` or `none`; null if it never ran. */
  sandbox: SandboxKind | null
  unsandboxed: boolean
  /** Of an author: the end of what it printed, where that is all there is. */
  output: string | null
  /** Of a verification. */
  results: ShownResults | null
  /** Of an agent: the runtime that did the work, and what it used; null if it never ran. */
  program: string | null
  cost: Cost | null
  session: string | null
}

export function runView({ does: _does, nonce: _nonce, startedAt, end, ...run }: RunRecord): RunView {
  const facts = end?.facts ?? {}
  const spent = spentBy(facts)
  const { results } = facts
  return {
    ...run,
    startedAt: iso(startedAt),
    ...endView(end),
    sandbox: facts.sandbox ?? null,
    unsandboxed: isUnsandboxed(facts),
    output: facts.output ?? null,
    results: results === undefined ? null : { ...results, tally: tallyOf(results.criteria) },
    program: facts.program ?? null,
    cost: spent === null ? null : costOf([spent]),
    session: facts.session ?? null,
  }
}

function endView(end: RunEnd | null): Pick<RunView, 'endedAt' | 'outcome' | 'verdict' | 'detail' | 'commit' | 'exit'> {
  if (end === null) return { endedAt: null, outcome: null, verdict: null, detail: null, commit: null, exit: null }
  const { at, outcome, verdict, detail, commit, exit } = end
  return { endedAt: iso(at), outcome, verdict, detail, commit, exit }
}
