/** What the end of an agent program means: pure, from what it told, how its process ended and what it left as a verdict. */
import type { ProgramAgent } from '../../domain/config.ts'
import { formatDuration } from '../../domain/duration.ts'
import { answerCharsMax, findingCharsMax } from '../../domain/limits.ts'
import { priced } from '../../domain/prices.ts'
import {
  NO_VERDICT,
  VERDICTS,
  type ParsedVerdict,
  type Verdict,
  type VerdictScope,
} from '../../domain/verdict/verdict.ts'
import { callsReading } from '../../domain/verdict/verdict-calls.ts'
import { textReading } from '../../domain/verdict/verdict-text.ts'
import { combine, type Channel } from '../../domain/verdict/verdict-weigh.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { answerOf, usageOf, type Fold } from '../stream/fold.ts'
import { timeOfClock } from '../stream/reset.ts'
import { resultOf, VERDICTS_OF, type AgentResult, type Cut } from '../stream/result.ts'
import { channel, channelsOf, describeEnd, lines } from '../worker/end.ts'
import { notRunnable, outcomes, outsideEnd, scopeOf } from '../worker/end.ts'
import type { Left as LeftInFolder, Scoped } from '../worker/end.ts'
import type { ProcessEnd } from '../../process/record.ts'

interface ProgramScope extends Scoped, Pick<RunRequest, 'resume'> {
  adapter: AgentAdapter
  agent: Pick<ProgramAgent, 'model' | 'maxTurns' | 'maxBudgetUsd' | 'stallMs' | 'timeoutMs'>
}

/** What it left on disk. */
interface Left extends LeftInFolder {
  fold: Fold
  /** The end of what it complained about. */
  tail: string
  /** When it spoke last. */
  atMs: number
}

export function programOutcome(scope: ProgramScope, seen: ProcessEnd, left: Left): RunOutcome {
  const { judge, agent, adapter } = scope
  const { fold, tail } = left
  // An author that has told its end had done its work, whoever was there to see the process go.
  const done = seen.unseen === true && seen.met === undefined && !judge && fold.final !== null
  const end: ProcessEnd = done ? { ...seen, stopped: false, code: 0 } : seen
  // A run that did not start, or not this time, has used nothing.
  const known = end.refused === true || end.error !== undefined ? {} : knownOf(scope, left)
  const give = outcomes(end, agent.timeoutMs)
  const outside = outsideEnd(end, judge, agent.timeoutMs, lines(known.answer ?? '', tail))
  if (outside !== null) return { ...outside, ...known }
  const problem = notRunnable(end)
  if (problem !== null && fold.session === null) {
    const why = `${adapter.program}: ${problem} (install it: ${adapter.install})`
    return { ...give('ERROR', lines(why, tail)), ...known }
  }
  const result = resultOf(fold, { code: end.code, signal: end.signal, cut: end.why as Cut | undefined }, judge)
  const limit = result === 'rate-limited' ? { retryAt: retryAt(left) } : {}
  const parsed = verdictOf(scope, left)
  // It told no end, or is a judge that gave no verdict.
  const unended = fold.final === null && (result === 'failed' || result === 'killed')
  const mute = unended || (judge && result === 'ok' && parsed === null)
  const said = mute
    ? lines(
        NO_VERDICT,
        describeEnd(end, agent.timeoutMs),
        judge && left.file.kind !== 'missing' ? FILE_ALONE : '',
        tail,
      )
    : describeResult(scope, result, left, limit.retryAt)
  const { detail, ...counts } = whatCounts(scope, result, parsed, said)
  const shown = detail.slice(0, findingCharsMax).toWellFormed()
  return { ...give(counts.verdict, shown), ...counts, crashed: mute, ...known, ...limit }
}

const FILE_ALONE =
  'code that the judge ran could have written the verdict file, so it does not count: the judge must give the verdict itself'

/** The verdict it gave; null if it gave none. A judge's own words are needed: a file may be from code that it ran. */
function verdictOf(scope: ProgramScope, left: Left): ParsedVerdict | null {
  const about = scopeOf(scope)
  const files = channelsOf(left, about)
  if (!scope.judge) return combine(files, about)
  return combine([...ownWords(left.fold, about), ...files.map((file) => ({ ...file, weak: true }))], about)
}

/** What it said last, and what it told its tools, as the program itself tells it. */
function ownWords(fold: Fold, about: VerdictScope): Channel[] {
  return [
    ...channel('its answer', textReading(answerOf(fold), about.nonce)),
    ...channel('submit_verdict', callsReading([...fold.told.values()], about)),
  ]
}

/** Of what the program came to and the verdict it gave, the worse counts. A judge has no verdict but the one it gave. */
function whatCounts(
  { judge }: ProgramScope,
  result: AgentResult,
  given: ParsedVerdict | null,
  said: string,
): ParsedVerdict {
  const own: ParsedVerdict = { verdict: VERDICTS_OF[result][judge ? 'judge' : 'author'], detail: said, findings: [] }
  if (given === null) return own
  if (result === 'ok' && (judge || isWorse(given.verdict, own.verdict))) {
    // A judge's findings speak for themselves.
    return { ...given, detail: given.detail || (judge && given.findings.length > 0 ? '' : said) }
  }
  return { ...own, findings: given.verdict === 'FAIL' ? given.findings : [] }
}

const isWorse = (a: Verdict, b: Verdict): boolean => VERDICTS.indexOf(a) > VERDICTS.indexOf(b)

type Known = Pick<RunOutcome, 'usage' | 'session' | 'answer'>

function knownOf({ adapter, agent, resume }: ProgramScope, { fold }: Left): Known {
  const usage = usageOf(fold, resume?.usage)
  const answer = answerOf(fold)
  return {
    ...(usage === null ? {} : { usage: priced(usage, agent.model ?? fold.model ?? undefined, adapter.prices) }),
    ...(fold.session === null ? {} : { session: fold.session }),
    ...(answer === '' ? {} : { answer: answer.slice(0, answerCharsMax).toWellFormed() }),
  }
}

function retryAt({ fold: { limit }, atMs }: Left): number | null {
  if (limit?.resetsAt !== undefined) return limit.resetsAt
  return limit?.resetsClock === undefined ? null : timeOfClock(limit.resetsClock, atMs)
}

/** What happened, why, and, where somebody can do something about it, what to type. */
function describeResult(scope: ProgramScope, result: AgentResult, left: Left, until?: number | null): string {
  const { adapter, agent } = scope
  const { fold, tail } = left
  const answer = answerOf(fold)
  const said = (what: string): string => lines(answer === '' ? what : `${what}: ${answer}`)
  switch (result) {
    case 'ok':
      return answer
    case 'failed':
      return lines(said(`${adapter.title} ended with an error`), tail)
    case 'denied': {
      const tools = [...new Set(fold.denied.values())].join(', ')
      return lines(`${adapter.title} was not allowed to use ${tools}: work without it, or allow it under args`, answer)
    }
    case 'turn-limit':
      return said(`it used all its turns (maxTurns: ${agent.maxTurns ?? 'not set'})`)
    case 'budget':
      return said(`it used all its budget (maxBudgetUsd: ${agent.maxBudgetUsd ?? 'not set'})`)
    case 'rate-limited':
      return said(`rate limit reached${until == null ? '' : ` until ${new Date(until).toISOString()}`}`)
    case 'auth':
      return said(`${adapter.title} is not logged in, or its key was rejected (${adapter.login})`)
    case 'api-error':
      return said('the model did not answer')
    case 'stalled':
      return `no output for ${formatDuration(agent.stallMs)}, and no tool was running`
    case 'killed':
      return tail
    case 'protocol-error': {
      const needed = `is it version ${adapter.minVersion} or later? ${adapter.program} --version`
      return lines(`${adapter.title} did not start working (${needed})`, answer, tail)
    }
  }
}
