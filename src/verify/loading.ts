/**
 * Whether a test command reached its tests. A suite that does not load (a missing package, a file that cannot be
 * parsed, nothing executed) says nothing about the work, whatever its exit code. Pure.
 */
import type { CheckEnd } from './check-end.ts'
import { closingCounts } from '../reports/formats/closing.ts'
import { tellingLine } from '../domain/verdict/telling-line.ts'
import { cut, oneLine } from '../reports/text.ts'

/** A hold shows one line: the rest is in the log. */
const wordsCharsMax = 80

/** What runners, interpreters, shells and package managers print when they could not begin. */
const LOAD =
  /cannot find (?:module|package)|module not found|ModuleNotFoundError|No module named|ERR_MODULE_NOT_FOUND|cannot load such file|failed to (?:load|resolve) |ImportError|SyntaxError|IndentationError|error(?:s)? during collection|could not determine executable|^npm (?:ERR!|error) (?:code|missing script)|ERR_PNPM_\w+|^(?:\/\S+\/)?(?:ba|da|z)?sh: .*not found|no tests? (?:files? )?found/im

/** Why no test of it ran, in the command's own words; null if some did, or if nobody can tell. */
export function unloaded({ exitCode, report, asked = false, output = '' }: CheckEnd): string | null {
  if (report === null || 'problem' in report) {
    if (exitCode === 127) return 'command not found (exit code 127)'
    if (exitCode === 126) return 'command not executable (exit code 126)'
    const ran = closingCounts(output)
    // Some runners count a file that they could not load among their failures.
    if (ran !== null && ran.executed > 0) return ran.executed > ran.failed ? null : loadError(output)
    if (exitCode === 0) return ran === null ? null : nothingRan(0)
    return loadError(output) ?? (asked ? (saidLast(output) ?? nothingRan(0)) : null)
  }
  const { tests } = report
  if (tests.some(({ status, kind }) => status !== 'skipped' && kind !== 'load')) return null
  const said = tests.map(({ message = '' }) => loadError(message)).find((words) => words !== null)
  return said ?? loadError(output) ?? nothingRan(tests.length)
}

/** The first line that says why something could not be loaded. */
export function loadError(text: string): string | null {
  const line = text.split('\n').find((each) => LOAD.test(each.trim()))
  return line === undefined
    ? null
    : cut(
        oneLine(line)
          .replace(/^E {1,}/, '')
          .replace(PLACE, ''),
        wordsCharsMax,
      )
}

/** Ruby begins with where it was: a path longer than what it says. */
const PLACE = /^\S+:\d+:in [`'][^']*': /

function saidLast(text: string): string | null {
  const line = oneLine(tellingLine(text))
  return line === '' ? null : cut(line, wordsCharsMax)
}

function nothingRan(entries: number): string {
  return entries === 0 ? 'no test was executed' : `no test was executed (${entries} reported)`
}
