/** What the end of an agent program means: pure, from what it told, how its process ended and what it left as a verdict. */
import type { ProgramAgent } from '../../domain/config.ts'
import { formatDuration } from '../../domain/duration.ts'
import { answerCharsMax, findingCharsMax } from '../../domain/limits.ts'
import { priced } from '../../domain/prices.ts'
import { NO_VERDICT, VERDICTS, type ParsedVerdict, type Verdict } from '../../domain/verdict.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { answerOf, usageOf, type Fold } from '../stream/fold.ts'
import { timeOfClock } from '../stream/reset.ts'
import { resultOf, VERDICTS_OF, type AgentResult, type Cut } from '../stream/result.ts'
import { describeEnd, lines, notRunnable, outcomes, outsideEnd, readVerdict } from '../worker/end.ts'
import type { End, VerdictFile } from '../worker/end.ts'

export interface ProgramScope extends Pick<RunRequest, 'taskId' | 'attempt' | 'nonce' | 'judge' | 'resume'> {
  adapter: AgentAdapter
  agent: Pick<ProgramAgent, 'model' | 'maxTurns' | 'maxBudgetUsd' | 'stallMs' | 'timeoutMs'>
}

/** What it left on disk. */
export interface Left {
  fold: Fold
  file: VerdictFile
  /** The end of what it complained about. */
  tail: string
  /** When it spoke last. */
  atMs: number
}

export function programOutcome(scope: ProgramScope, end: End, left: Left): RunOutcome {
  const { judge, agent, adapter } = scope
  const { fold, tail } = left
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
  const mute = isMute(scope, result, left)
  const said = mute
    ? lines(NO_VERDICT, describeEnd(end, agent.timeoutMs), tail)
    : describeResult(scope, result, left, limit.retryAt)
  const { verdict, detail, findings } = verdictOf(scope, result, left.file, said)
  const shown = detail.slice(0, findingCharsMax).toWellFormed()
  return { ...give(verdict, shown, findings), crashed: mute, ...known, ...limit }
}

/** It went without a word: it told no end, or is a judge that left no verdict. What that judge said is handed on. */
function isMute({ judge }: ProgramScope, result: AgentResult, { fold, file }: Left): boolean {
  if (fold.final === null) return result === 'failed' || result === 'killed'
  return judge && result === 'ok' && file.kind === 'missing'
}

type Known = Pick<RunOutcome, 'usage' | 'session' | 'answer'>

function knownOf({ agent, resume }: ProgramScope, { fold }: Left): Known {
  const usage = usageOf(fold, resume?.usage)
  const answer = answerOf(fold)
  return {
    ...(usage === null ? {} : { usage: priced(usage, agent.model ?? fold.model ?? undefined) }),
    ...(fold.session === null ? {} : { session: fold.session }),
    ...(answer === '' ? {} : { answer: answer.slice(0, answerCharsMax).toWellFormed() }),
  }
}

/** Of what the program came to and the verdict it left, the worse counts. A judge has no verdict but the one it left. */
function verdictOf(scope: ProgramScope, result: AgentResult, file: VerdictFile, detail: string): ParsedVerdict {
  const own: ParsedVerdict = { verdict: VERDICTS_OF[result][scope.judge ? 'judge' : 'author'], detail, findings: [] }
  if (file.kind === 'missing') return own
  const left = readVerdict(file, scope)
  if (result === 'ok' && (scope.judge || isWorse(left.verdict, own.verdict))) {
    return { ...left, detail: left.detail || detail }
  }
  return { ...own, findings: left.verdict === 'FAIL' ? left.findings : [] }
}

const isWorse = (a: Verdict, b: Verdict): boolean => VERDICTS.indexOf(a) > VERDICTS.indexOf(b)

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
      return lines(`${adapter.title} was not allowed to use ${tools}: do without, or allow it under args`, answer)
    }
    case 'turn-limit':
      return said(`the turns were used up (maxTurns: ${agent.maxTurns ?? 'not set'})`)
    case 'budget':
      return said(`the budget was used up (maxBudgetUsd: ${agent.maxBudgetUsd ?? 'not set'})`)
    case 'rate-limited':
      return said(`rate limit reached${until == null ? '' : ` until ${new Date(until).toISOString()}`}`)
    case 'auth':
      return said(`${adapter.title} is not logged in, or its key was refused (${adapter.login})`)
    case 'api-error':
      return said('the model did not answer')
    case 'stalled':
      return `no output for ${formatDuration(agent.stallMs)}, and no tool was running`
    case 'killed':
      return tail
    case 'protocol-error': {
      const needed = `is it version ${adapter.minVersion} or later? ${adapter.program} --version`
      return lines(`${adapter.title} did not begin to work (${needed})`, answer, tail)
    }
  }
}
