/** What a worker's end means: pure, so that every way to end is a row of a test. Nothing here ever passes by accident. */
import { formatDuration } from '../../domain/duration.ts'
import type { SandboxKind } from '../../domain/config.ts'
import { constants } from 'node:os'
import { outputTailChars } from '../../domain/limits.ts'
import { NO_VERDICT, parseVerdictFile, type FindingText, type Verdict } from '../../domain/verdict.ts'
import type { AgentConfig, RunOutcome, RunRequest } from '../../ports/runtime.ts'

/** What the verdict file's place held. */
export type VerdictFile = { kind: 'missing' } | { kind: 'refused'; why: string } | { kind: 'text'; text: string }

/** How the process ended. `refused`: the run had been started before. `error`: it never started. */
export interface End {
  code: number | null
  signal: string | null
  timedOut: boolean
  stopped: boolean
  refused?: boolean
  error?: string
  sandbox?: SandboxKind
}

export type OutcomeScope = Pick<RunRequest, 'taskId' | 'attempt' | 'nonce' | 'judge'> & {
  agent: Pick<AgentConfig, 'verdict' | 'timeoutMs'>
}

/** `output`: the end of what it printed. */
export function outcomeOfEnd(scope: OutcomeScope, end: End, file: VerdictFile, output: string): RunOutcome {
  const tail = output.slice(-outputTailChars)
  const exit = describeEnd(end, scope.agent.timeoutMs)
  const outcome = (verdict: Verdict, detail: string, findings: FindingText[] = []): RunOutcome => ({
    verdict,
    detail,
    findings,
    exit,
    output,
    crashed: false,
    interrupted: false,
    ...(end.sandbox === undefined ? {} : { sandbox: end.sandbox }),
  })
  const interrupted = (why: string): RunOutcome => ({ ...outcome('ERROR', `interrupted: ${why}`), interrupted: true })
  /** Whose silence it is decides: an author's is FAIL, a judge's says nothing about the work. */
  const failure: Verdict = scope.judge ? 'ERROR' : 'FAIL'

  if (end.error !== undefined) return outcome('ERROR', `the command could not be started: ${end.error}`)
  if (end.refused === true) return interrupted('the run had been started before')
  if (end.timedOut) return outcome(failure, lines(exit, tail))
  if (end.stopped) return interrupted('stopped from outside')
  if ((end.code === 126 || end.code === 127) && file.kind === 'missing') {
    const what = end.code === 127 ? 'command not found' : 'command not executable'
    return outcome('ERROR', lines(`${what} (${exit})`, tail))
  }
  if (scope.agent.verdict === 'exit') {
    return end.code === 0 ? outcome('PASS', exit) : outcome('FAIL', lines(exit, tail))
  }
  if (file.kind === 'missing') return { ...outcome(failure, lines(NO_VERDICT, exit, tail)), crashed: true }
  if (file.kind === 'refused') return outcome(failure, `the verdict file was refused: ${file.why}`)
  const parsed = parseVerdictFile(file.text, scope)
  return outcome(parsed.verdict, parsed.detail, parsed.findings)
}

/** A shell whose command was killed ends with 128 and the signal's number. */
const shellSignals = new Map(Object.entries(constants.signals).map(([name, number]) => [128 + number, name]))

/** For people: "exit 0", "killed by SIGSEGV", "timed out after 30m". */
export function describeEnd(end: End, timeoutMs: number): string {
  if (end.error !== undefined) return 'not started'
  if (end.refused === true) return 'started before'
  if (end.timedOut) return `timed out after ${formatDuration(timeoutMs)}`
  if (end.stopped) return 'stopped'
  if (end.signal !== null) return `killed by ${end.signal}`
  const signal = shellSignals.get(end.code ?? 0)
  return signal === undefined ? `exit ${end.code ?? 'unknown'}` : `exit ${end.code} (${signal})`
}

function lines(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
