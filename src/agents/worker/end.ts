/** How a worker's process ended, and the ends that mean the same whatever runs: pure, like all that says what an end means. */
import { constants } from 'node:os'
import type { SandboxKind } from '../../domain/config.ts'
import { formatDuration } from '../../domain/duration.ts'
import { parseVerdictFile } from '../../domain/verdict-file.ts'
import type { FindingText, ParsedVerdict, Verdict, VerdictScope } from '../../domain/verdict.ts'
import type { RunOutcome } from '../../ports/runtime.ts'

/** What the verdict file's place held. */
export type VerdictFile = { kind: 'missing' } | { kind: 'refused'; why: string } | { kind: 'text'; text: string }

/** `refused`: the run had been started before. `error`: it never started. `why`: a runtime stopped it for a reason of its own. */
export interface End {
  code: number | null
  signal: string | null
  timedOut: boolean
  stopped: boolean
  why?: string
  refused?: boolean
  error?: string
  sandbox?: SandboxKind
}

/** A file that cannot be read, like one that cannot be understood, is no pass. */
export function readVerdict(file: Exclude<VerdictFile, { kind: 'missing' }>, scope: VerdictScope): ParsedVerdict {
  if (file.kind === 'text') return parseVerdictFile(file.text, scope)
  return { verdict: failureOf(scope.judge), detail: `the verdict file was refused: ${file.why}`, findings: [] }
}

export type Give = (verdict: Verdict, detail: string, findings?: FindingText[]) => RunOutcome

/** Outcomes of this end. */
export function outcomes(end: End, timeoutMs: number): Give {
  return (verdict, detail, findings = []) => ({
    verdict,
    detail,
    findings,
    exit: describeEnd(end, timeoutMs),
    crashed: false,
    interrupted: false,
    ...(end.sandbox === undefined ? {} : { sandbox: end.sandbox }),
  })
}

/** Whose silence it is decides: an author's is FAIL, a judge's says nothing about the work. */
export const failureOf = (judge: boolean): Verdict => (judge ? 'ERROR' : 'FAIL')

/** Null if the worker ended by itself, or was ended for a reason that its runtime knows. `tail`: the end of its output. */
export function outsideEnd(end: End, judge: boolean, timeoutMs: number, tail: string): RunOutcome | null {
  const give = outcomes(end, timeoutMs)
  const interrupted = (why: string): RunOutcome => ({ ...give('ERROR', `interrupted: ${why}`), interrupted: true })
  if (end.error !== undefined) return give('ERROR', `the command could not be started: ${end.error}`)
  if (end.refused === true) return interrupted('the run had been started before')
  if (end.timedOut) return give(failureOf(judge), lines(describeEnd(end, timeoutMs), tail))
  if (end.stopped && end.why === undefined) return interrupted('stopped from outside')
  return null
}

/** The shell's words for a program that is not there, or is none; null for every other end. */
export function notRunnable({ code }: End): string | null {
  if (code === 127) return 'command not found'
  return code === 126 ? 'command not executable' : null
}

/** A shell whose command was killed ends with 128 and the signal's number. */
const shellSignals = new Map(Object.entries(constants.signals).map(([name, number]) => [128 + number, name]))

/** For people: "exit 0", "killed by SIGSEGV", "timed out after 30m". */
export function describeEnd(end: End, timeoutMs: number): string {
  if (end.error !== undefined) return 'not started'
  if (end.refused === true) return 'started before'
  if (end.timedOut) return `timed out after ${formatDuration(timeoutMs)}`
  if (end.stopped) return end.why === undefined ? 'stopped' : `stopped: ${end.why}`
  if (end.signal !== null) return `killed by ${end.signal}`
  const signal = shellSignals.get(end.code ?? 0)
  return signal === undefined ? `exit ${end.code ?? 'unknown'}` : `exit ${end.code} (${signal})`
}

export function lines(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
