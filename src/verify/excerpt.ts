/**
 * What the author of a change reads about a check: the failing tests with their messages, the first errors with file
 * and line, and how to reproduce them. At most a few kilobytes; the whole log is stored elsewhere.
 */
import {
  excerptCharsMax,
  excerptFindingCharsMax,
  excerptNamesMax,
  excerptTestsMax,
  outputTailChars,
} from '../domain/limits.ts'
import type { FindingText, Severity } from '../domain/verdict/verdict.ts'
import type { Judgement } from './judge.ts'
import { errorsIn } from './log-errors.ts'
import type { TestCase, TestReport } from '../domain/verdict/test-report.ts'
import { cleaner, cut, oneLine } from '../reports/text.ts'

export interface ExcerptOf {
  /** As a person would type it. */
  command: string
  judgement: Judgement & { flaky?: readonly string[] }
  report: TestReport | null
  log: string | Uint8Array
  /** The folder the check ran in, absolute: paths become relative to it. */
  root: string
}

/** The first finding says what happened and how to see it again. Only those of a failed check are FAIL. */
export function findingsOf({ command, judgement, report, log, root }: ExcerptOf): FindingText[] {
  const { outcome, reasons, failing, lost, excused, flaky = [] } = judgement
  const clean = cleaner(root)
  const severity: Severity = outcome === 'fail' ? 'FAIL' : 'WARN'
  const warnings = [
    ...named('WARN', 'These tests failed only in some runs of the same tree', flaky),
    ...named('WARN', 'These tests already failed on the attempt base', excused),
  ]
  if (outcome === 'pass') return bounded(warnings)
  const tests = testsNamed(report, failing)
  const told = new Set(tests.map(({ name }) => name))
  // Tests that say where they failed say enough, and of tests that did not run the log knows nothing.
  const explained =
    failing.length > 0 ? tests.every(({ line }) => line !== undefined) && tests.length > 0 : lost.length > 0
  const repeat = `To reproduce: ${oneLine(clean(command))}`
  return bounded([
    { severity, message: short(`${reasons.join('; ')}.\n${repeat}`) },
    ...tests.map((test) => testFinding(severity, test)),
    ...named(
      severity,
      'These tests also failed',
      failing.filter((name) => !told.has(name)),
    ),
    ...named(
      severity,
      'These tests ran on the attempt base and no longer run. Run them again under the same names: a person must accept a test that was renamed or removed',
      lost.map(({ name, was, now }) => `${name} (${was} there, now ${now})`),
    ),
    ...(explained ? [] : fromLog(severity, clean(log))),
    ...warnings,
  ])
}

/** The first of the names that the report knows. */
function testsNamed(report: TestReport | null, names: readonly string[]): TestCase[] {
  const wanted = new Set(names.slice(0, excerptTestsMax))
  const found = new Map(report?.tests.filter(({ name }) => wanted.has(name)).map((test) => [test.name, test]))
  return [...wanted].flatMap((name) => found.get(name) ?? [])
}

function testFinding(severity: Severity, { name, message = '', file, line }: TestCase): FindingText {
  const place = file === undefined ? {} : line === undefined ? { file } : { file, line }
  return { severity, message: short(`${name}\n${message}`.trim()), ...place }
}

function named(severity: Severity, title: string, names: readonly string[]): FindingText[] {
  if (names.length === 0) return []
  const more = names.length > excerptNamesMax ? [`… and ${names.length - excerptNamesMax} more`] : []
  const listed = names.slice(0, excerptNamesMax).map((name) => `- ${cut(name, 160)}`)
  return [{ severity, message: [`${title}:`, ...listed, ...more].join('\n') }]
}

/** Without an error that has a place, the end of the log has to do. */
function fromLog(severity: Severity, log: string): FindingText[] {
  const errors = errorsIn(log)
  if (errors.length > 0) return errors.map((error) => ({ severity, ...error, message: short(error.message) }))
  const tail = log.trim().slice(-outputTailChars)
  return tail === '' ? [] : [{ severity, message: `The end of its output:\n${tail}`.toWellFormed() }]
}

function short(message: string): string {
  return cut(message, excerptFindingCharsMax)
}

/** As many as there is room for. */
function bounded(findings: readonly FindingText[]): FindingText[] {
  let room = excerptCharsMax
  return findings.filter(({ message }) => {
    room -= message.length
    return room >= 0
  })
}
