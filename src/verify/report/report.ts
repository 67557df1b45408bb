/**
 * A test report's text becomes a `TestReport`, or a problem in words. The text was written by a process that ran code of
 * unknown origin, so nothing in it is trusted to be small, whole, well-formed or honest; nothing here throws.
 */
import { reportBytesMax } from '../../domain/limits.ts'
import { cleaner, cut, oneLine } from '../text.ts'
import { isMocha, readJest, readMocha } from './json.ts'
import { readJUnit } from './junit.ts'
import { isTap, readTap } from './tap.ts'
import { Refused, TestList, type TestReport } from './tests.ts'

/** vitest writes what jest writes; pytest and node:test write JUnit XML. */
export const REPORT_FORMATS = ['junit', 'tap', 'jest', 'vitest', 'mocha'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface ReportProblem {
  problem: string
}

export interface ReportOptions {
  /** Found out from the text if not given. */
  format?: ReportFormat | undefined
  /** The folder the tests ran in, absolute: paths in the report become relative to it. */
  root: string
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function parseReport(text: string | Uint8Array, options: ReportOptions): TestReport | ReportProblem {
  if (text.length > reportBytesMax) {
    const mebibytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
    return { problem: `it is ${mebibytes(text.length)} MiB; more than ${mebibytes(reportBytesMax)} are not read` }
  }
  const string = (typeof text === 'string' ? text : new TextDecoder().decode(text)).replace(/^\ufeff/, '')
  if (string.trim() === '') return { problem: 'it is empty' }
  const tests = new TestList(options.root)
  try {
    read(string, options.format, tests)
    return tests.report()
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    const why = cut(oneLine(cleaner(options.root)(what)), 300)
    return { problem: error instanceof Refused ? why : `it is malformed or cut off: ${why}` }
  }
}

function read(text: string, format: ReportFormat | undefined, tests: TestList): void {
  if (format === undefined) return readUnknown(text, tests)
  if (format === 'junit') return readJUnit(text, tests)
  if (format === 'tap') return readTap(text, tests)
  return format === 'mocha' ? readMocha(JSON.parse(text), tests) : readJest(JSON.parse(text), tests)
}

function readUnknown(text: string, tests: TestList): void {
  if (text.trimStart().startsWith('<')) return readJUnit(text, tests)
  if (text.trimStart().startsWith('{')) {
    const value: unknown = JSON.parse(text)
    return isMocha(value) ? readMocha(value, tests) : readJest(value, tests)
  }
  if (isTap(text)) return readTap(text, tests)
  throw new Refused('it is none of JUnit XML, TAP, and the JSON of jest, vitest or mocha')
}
