/**
 * What Rust's own test programs print. Names are taken only from the part in which nothing but results is printed, and only
 * if they are as many as the closing line says: a test that prints past the capture makes it unreadable, never another result.
 */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { Refused, type RawTest, type TestList } from './tests.ts'

const TARGET = /^\s+Running (?:unittests )?(\S+) \((?:.*[\\/])?([\w-]+?)-[0-9a-f]{16}(?:\.exe)?\)$/
const DOCS = /^\s+Doc-tests (\S+)$/
const TEST = /^test (.+?) \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <[\d.]+s>)?$/
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/
const STATUSES: Readonly<Record<string, TestStatus>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' }

export function isCargo(text: string): boolean {
  return /^running \d+ tests?$/m.test(text) && /^test result: /m.test(text)
}

export function readCargo(text: string, tests: TestList): void {
  let target = ''
  let found: RawTest[] = []
  let part: 'before' | 'results' | 'failures' = 'before'
  let failed: RawTest | undefined
  let runs = 0
  for (const line of text.split(/\r?\n/)) {
    const result = RESULT.exec(line)
    const named = part === 'before' ? (TARGET.exec(line) ?? DOCS.exec(line)) : null
    if (named !== null) target = named[2] === undefined ? `${named[1]} (doc tests)` : `${named[2]} (${named[1]})`
    else if (part === 'before' && /^running \d+ tests?$/.test(line)) part = 'results'
    else if (result !== null && part !== 'before') {
      checkCounts(found, result.slice(1).map(Number))
      for (const test of found) tests.add(test)
      ;[found, part, failed] = [[], 'before', undefined]
      runs += 1
    } else if (part === 'results' && line === 'failures:') part = 'failures'
    else if (part === 'results') addTest(line, target, found)
    else if (part === 'failures') {
      const block = /^---- (.+) stdout ----$/.exec(line)?.[1]
      if (block !== undefined) failed = found.find(({ path }) => path[1] === plainName(block))
      else if (line === 'failures:') failed = undefined
      else if (failed !== undefined) failed.message = `${failed.message}${line}\n`.slice(0, 20_000)
    }
  }
  // Only with --no-fail-fast it goes on, and says in the end how many of its programs failed.
  tests.stopped = /^error: test failed, to rerun/m.test(text) && !/^error: \d+ targets? failed:$/m.test(text)
  if (part !== 'before') throw new Refused('a test program did not come to its end')
  if (runs === 0) throw new Refused('no test program has run')
}

function addTest(line: string, target: string, found: RawTest[]): void {
  const test = TEST.exec(line)
  const status = STATUSES[test?.[2] ?? '']
  if (test !== null && status !== undefined)
    found.push({ path: [target, plainName(test[1] ?? '')], status, message: '' })
}

/** Without what is no name: a line moves with every change above it. */
function plainName(name: string): string {
  return name.replace(/ - (?:should panic|compile(?: fail)?)$/, '').replace(/ \(line \d+\)/, '')
}

function checkCounts(found: readonly RawTest[], [passed = 0, failed = 0, skipped = 0]: number[]): void {
  const has = (status: TestStatus): number => found.filter((test) => test.status === status).length
  if (has('passed') !== passed || has('failed') !== failed || has('skipped') !== skipped) {
    throw new Refused('its tests are not as many as its closing lines say')
  }
}
