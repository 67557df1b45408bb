/** Judges an execution by what its criterion expects, and recognises failures that only the machine caused. */
import type { Criterion } from '../domain/contract/contract.ts'
import type { JobResult } from '../ports/executor.ts'
import { checkEnd, notRun } from './execute.ts'
import type { CheckRules, Judgement } from './judge.ts'
import { judge } from './judge.ts'

/** What a machine that is full or busy says; nobody's work is to blame for it. */
const ENVIRONMENT = [
  { pattern: /\bENOSPC\b|No space left on device/, why: 'the disk is full' },
  { pattern: /\bEADDRINUSE\b|[Aa]ddress already in use/, why: 'a port that it needs is in use' },
] as const

/** And what one says that has no network. The work may be to blame for that, unless the target says so too. */
const OFFLINE =
  /\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|[Nn]etwork is unreachable|[Cc]ould ?n[o']t resolve host|failure in name resolution|Name or service not known/
const OFFLINE_WORDS = 'it tried to use the network, which it may not (network: false in muster.yaml)'

export interface RunRules extends CheckRules {
  /** Whether it had any. */
  network: boolean
}

export function judgeRun(
  run: JobResult,
  { expect }: Criterion,
  before: readonly JobResult[],
  rules: RunRules,
): Judgement {
  const blank = {
    needsPerson: false,
    counts: null,
    failing: [],
    excused: [],
    unclear: [],
    unloaded: null,
    lost: [],
    vacuous: false,
  }
  const nothing = notRun(run)
  if (nothing !== null) return { ...blank, outcome: 'error' as const, reasons: [nothing] }
  const reading = (of: JobResult) => ({ ...checkEnd(of), exitCode: expectedExit(of, expect) })
  const said = judge(reading(run), before.filter((other) => notRun(other) === null).map(reading), rules)
  if (said.outcome !== 'fail' || said.failing.length > 0) return said
  const cause = causeIn(run.output)
  if (cause !== undefined) return { ...said, outcome: 'error' as const, reasons: [...said.reasons, cause] }
  if (rules.network || !OFFLINE.test(run.output)) return said
  const always = before.length > 0 && before.every(({ output }) => OFFLINE.test(output))
  return { ...said, outcome: always ? 'error' : 'fail', reasons: [...said.reasons, OFFLINE_WORDS] }
}

function causeIn(output: string): string | undefined {
  return ENVIRONMENT.find(({ pattern }) => pattern.test(output))?.why
}

/** The exit code as the criterion means it: 0 for what it expects. */
function expectedExit(run: JobResult, expect: Criterion['expect']): number | null {
  const { exitCode, output } = checkEnd(run)
  if (expect === undefined || exitCode === null) return exitCode
  const exits = exitCode === (expect.exit ?? 0)
  const prints = expect.output === undefined || output.includes(expect.output)
  return exits && prints ? 0 : exitCode === 0 ? 1 : exitCode
}
