/**
 * Reads a report from the output of a test command, if that names its tests: TAP, Rust's test programs, `go test -v`,
 * automake. Anybody can print anything, but these runners print from the tests' own process, or offer nothing else.
 */
import { reportBytesMax } from '../../domain/limits.ts'
import { isAutomake } from './automake.ts'
import { isCargo } from './cargo.ts'
import { isGoText } from './go-text.ts'
import { parseReport, type ReportFormat, type ReportOptions } from './report.ts'
import { hasTapHeader } from './tap.ts'
import type { ReportProblem, TestReport } from '../../domain/verdict/test-report.ts'

/** A log that was too long lacks its middle. */
const CUT = /^… \d+ bytes left out …$/m

/**
 * `format`: what a known runner prints. Null if it names no tests, or not in a way that holds together: then only its closing
 * lines are left.
 */
export function parseOutput(printed: Uint8Array, { root, format }: ReportOptions): TestReport | ReportProblem | null {
  if (printed.length > reportBytesMax) return null
  // oxlint-disable-next-line no-control-regex -- colours, which some print wherever they are
  const text = new TextDecoder().decode(printed).replace(/\x1b\[[0-9;]*m/g, '')
  const found = format ?? formatOf(text)
  if (found === null || CUT.test(text)) return null
  const report = parseReport(text, { root, format: found })
  // TAP that breaks off is a run that broke off, where it is known to be TAP.
  return 'problem' in report && !(format === 'tap' && hasTapHeader(text)) ? null : report
}

function formatOf(text: string): ReportFormat | null {
  if (isCargo(text)) return 'cargo'
  if (isGoText(text)) return 'go-text'
  if (isAutomake(text)) return 'automake'
  return hasTapHeader(text) ? 'tap' : null
}
