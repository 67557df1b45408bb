/**
 * Turns the text of a test report into a `TestReport`, or into a problem in words. A process that ran code of unknown
 * origin wrote the text, so nothing assumes that it is small, complete, well-formed or honest; nothing here throws.
 */
import type { ReportProblem, TestReport } from '../../domain/verdict/test-report.ts'
import { reportBytesMax } from '../../domain/limits.ts'
import { cleaner, cut, oneLine } from '../text.ts'
import { readAutomake } from './automake.ts'
import { readCargo } from './cargo.ts'
import { readGoText } from './go-text.ts'
import { readGo } from './go.ts'
import { isMocha, readJest, readMocha } from './json.ts'
import { readJUnit } from './junit.ts'
import { readLines } from './lines.ts'
import { isTap, readTap } from './tap.ts'
import { numbered, Refused, TestList } from './tests.ts'

/** vitest writes what jest writes; pytest, node:test and many others write JUnit XML; `lines` is what helpers of ours write. */
export const REPORT_FORMATS = [
  'junit',
  'tap',
  'jest',
  'vitest',
  'mocha',
  'lines',
  'go',
  'go-text',
  'cargo',
  'automake',
] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface ReportOptions {
  /** Found out from the text if not given. */
  format?: ReportFormat | undefined
  /** The folder the tests ran in, absolute: paths in the report become relative to it. */
  root: string
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function parseReport(text: string | Uint8Array, options: ReportOptions): TestReport | ReportProblem {
  return parseReports([text], options)
}

/** The parts of one report, in any order. */
export function parseReports(
  texts: readonly (string | Uint8Array)[],
  { root, format }: ReportOptions,
): TestReport | ReportProblem {
  const size = texts.reduce((sum, { length }) => sum + length, 0)
  if (size > reportBytesMax) {
    const mebibytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
    return { problem: `it has ${mebibytes(size)} MiB; the limit is ${mebibytes(reportBytesMax)}` }
  }
  const tests = new TestList(root)
  try {
    for (const text of texts) {
      const string = (typeof text === 'string' ? text : new TextDecoder().decode(text)).replace(/^\ufeff/, '')
      if (string.trim() === '') throw new Refused('it is empty')
      read(string, format, tests, root)
    }
    return tests.report()
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    const why = cut(oneLine(cleaner(root)(what)), 300)
    return { problem: error instanceof Refused ? why : `it is malformed or cut off: ${why}` }
  }
}

/** The reports of several runners of one command as one; `stopped`: not all of them came to run. */
export function merged(reports: readonly TestReport[], stopped: boolean): TestReport {
  const tests = numbered(reports.flatMap((report) => report.tests))
  return { tests, ...(stopped || reports.some((report) => report.stopped === true) ? { stopped: true } : {}) }
}

function read(text: string, format: ReportFormat | undefined, tests: TestList, root: string): void {
  if (format === undefined) return readUnknown(text, tests)
  if (format === 'mocha') return readMocha(JSON.parse(text), tests)
  if (format === 'jest' || format === 'vitest') return readJest(JSON.parse(text), tests)
  const readers = {
    junit: readJUnit,
    tap: readTap,
    lines: readLines,
    go: readGo,
    'go-text': readGoText,
    cargo: readCargo,
    automake: readAutomake,
  }
  readers[format](text, tests, root)
}

function readUnknown(text: string, tests: TestList): void {
  if (text.trimStart().startsWith('<')) return readJUnit(text, tests)
  if (text.trimStart().startsWith('{')) {
    const value: unknown = JSON.parse(text)
    return isMocha(value) ? readMocha(value, tests) : readJest(value, tests)
  }
  if (isTap(text)) return readTap(text, tests)
  throw new Refused('it is not JUnit XML, TAP, or the JSON of jest, vitest or mocha')
}
