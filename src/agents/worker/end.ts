/** How a worker's process ended, and the ends that mean the same for every runtime. Pure. */
import { constants } from 'node:os'
import { formatDuration } from '../../domain/duration.ts'
import type { ToolCall } from '../../domain/verdict/judge-tools.ts'
import { describeLimitMet } from '../../domain/run-limits.ts'
import type { FindingText, Verdict, VerdictScope } from '../../domain/verdict/verdict.ts'
import { callsReading } from '../../domain/verdict/verdict-calls.ts'
import { fileReading, VERDICT_FILE } from '../../domain/verdict/verdict-file.ts'
import type { Reading } from '../../domain/verdict/verdict-statement.ts'
import type { Channel } from '../../domain/verdict/verdict-weigh.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import type { ProcessEnd } from '../../process/record.ts'

/** What the verdict file's place held. */
export type VerdictFile = { kind: 'missing' } | { kind: 'refused'; why: string } | { kind: 'text'; text: string }

/** What a worker left in its folder. */
export interface Left {
  file: VerdictFile
  /** What it told its tools. */
  calls: VerdictFile
}

export type Scoped = Pick<RunRequest, 'taskId' | 'attempt' | 'nonce' | 'judge' | 'judging'>

/** What a verdict of this run must be about. */
export function scopeOf({ taskId, attempt, nonce, judge, judging }: Scoped): VerdictScope {
  const { commit, criteria, warns } = judging ?? {}
  return { taskId, attempt, nonce, judge, commit, criteria, warns }
}

/** What was left on disk, as far as there is something: a file that cannot be read is refused like one that says nothing. */
export function channelsOf({ file, calls }: Left, scope: VerdictScope): Channel[] {
  return [
    ...channel(
      VERDICT_FILE,
      readWith(file, (text) => fileReading(text, scope.judge)),
    ),
    ...(scope.judge
      ? channel(
          'the record of submit_verdict',
          readWith(calls, (text) => recordReading(text, scope)),
        )
      : []),
  ]
}

/** None if nothing was said there. */
export function channel(name: string, reading: Reading | null): Channel[] {
  return reading === null ? [] : [{ name, reading }]
}

function readWith(file: VerdictFile, read: (text: string) => Reading | null): Reading | null {
  if (file.kind === 'missing') return null
  return file.kind === 'refused' ? file.why : read(file.text)
}

function recordReading(text: string, scope: VerdictScope): Reading | null {
  try {
    const calls = text.split('\n').filter((line) => line.trim() !== '')
    return callsReading(
      calls.map((line) => JSON.parse(line) as ToolCall),
      scope,
    )
  } catch {
    return 'it is damaged'
  }
}

type Give = (verdict: Verdict, detail: string, findings?: FindingText[]) => RunOutcome

/** Outcomes of this end. */
export function outcomes(end: ProcessEnd, timeoutMs: number): Give {
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
export function outsideEnd(end: ProcessEnd, judge: boolean, timeoutMs: number, tail: string): RunOutcome | null {
  const give = outcomes(end, timeoutMs)
  const interrupted = (why: string): RunOutcome => ({ ...give('ERROR', `interrupted: ${why}`), interrupted: true })
  if (end.error !== undefined) return give('ERROR', `the command could not be started: ${end.error}`)
  if (end.refused === true) return interrupted('the run was already started before')
  if (end.stopped && end.why === undefined) return interrupted('stopped from outside')
  // Nobody can tell what it would have done with more: neither its verdict nor its failure counts.
  if (end.met !== undefined) {
    const fills = end.met.limit === 'space' || end.met.limit === 'files'
    return { ...give('ERROR', lines(describeLimitMet(end.met), tail)), ...(fills ? { fills } : {}) }
  }
  if (end.service !== undefined) return give('ERROR', end.service)
  if (end.timedOut) return give(failureOf(judge), lines(describeEnd(end, timeoutMs), tail))
  return null
}

/** The shell's words for a program that is not there, or is none; null for every other end. */
export function notRunnable({ code }: ProcessEnd): string | null {
  if (code === 127) return 'command not found'
  return code === 126 ? 'command not executable' : null
}

/** A shell whose command was killed ends with 128 and the signal's number. */
const shellSignals = new Map(Object.entries(constants.signals).map(([name, number]) => [128 + number, name]))

/** For people: "exit 0", "killed by SIGSEGV", "timed out after 30m". */
export function describeEnd(end: ProcessEnd, timeoutMs: number): string {
  if (end.error !== undefined) return 'not started'
  if (end.refused === true) return 'started before'
  if (end.timedOut) return `timed out after ${formatDuration(timeoutMs)}`
  if (end.met !== undefined && !end.stopped) return `limit reached: ${end.met.limit}`
  if (end.stopped) return end.why === undefined ? 'stopped' : `stopped: ${end.why}`
  if (end.signal !== null) return `killed by ${end.signal}`
  const signal = shellSignals.get(end.code ?? 0)
  return signal === undefined ? `exit ${end.code ?? 'unknown'}` : `exit ${end.code} (${signal})`
}

export function lines(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
