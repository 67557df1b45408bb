/** What a command's end means: pure, so that every way to end is a row of a test. Nothing here ever passes by accident. */
import type { CommandAgent } from '../../domain/config.ts'
import { NO_VERDICT } from '../../domain/verdict.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import { describeEnd, failureOf, lines, notRunnable, outcomes, outsideEnd, readVerdict } from '../worker/end.ts'
import type { End, VerdictFile } from '../worker/end.ts'

export type OutcomeScope = Pick<RunRequest, 'taskId' | 'attempt' | 'nonce' | 'judge'> & {
  agent: Pick<CommandAgent, 'verdict' | 'timeoutMs'>
}

/** `tail`: the end of its output. */
export function outcomeOfEnd(scope: OutcomeScope, end: End, file: VerdictFile, tail: string): RunOutcome {
  const { verdict: channel, timeoutMs } = scope.agent
  const outside = outsideEnd(end, scope.judge, timeoutMs, tail)
  if (outside !== null) return outside
  const give = outcomes(end, timeoutMs)
  const exit = describeEnd(end, timeoutMs)
  const problem = notRunnable(end)
  if (problem !== null && file.kind === 'missing') return give('ERROR', lines(`${problem} (${exit})`, tail))
  if (channel === 'exit') return end.code === 0 ? give('PASS', exit) : give('FAIL', lines(exit, tail))
  if (file.kind === 'missing') {
    return { ...give(failureOf(scope.judge), lines(NO_VERDICT, exit, tail)), crashed: true }
  }
  const parsed = readVerdict(file, scope)
  return give(parsed.verdict, parsed.detail, parsed.findings)
}
