/**
 * Parses the output of Rust's test programs. Names are read only where nothing but results is printed, and only if
 * their number matches the last line: a test that prints past the capture makes the report unreadable, never different.
 */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { Refused, type RawTest, type TestList } from './tests.ts'

const TARGET = /^\s+Running (?:unittests )?(\S+) \((?:.*[\\/])?([\w-]+?)-[0-9a-f]{16}(?:\.exe)?\)$/
const DOCS = /^\s+Doc-tests (\S+)$/
const TEST = /^test (.+?) \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <[\d.]+s>)?$/
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/
const outputCharsMax = 20_000
const STATUSES: Readonly<Record<string, TestStatus>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' }

export function isCargo(text: string): boolean {
  return /^running \d+ tests?$/m.test(text) && /^test result: /m.test(text)
}

export function readCargo(text: string, tests: TestList): void {
  const reader = new CargoReader(tests)
  for (const line of text.split(/\r?\n/)) reader.read(line)
  // Only with --no-fail-fast it goes on, and says in the end how many of its programs failed.
  tests.stopped = /^error: test failed, to rerun/m.test(text) && !/^error: \d+ targets? failed:$/m.test(text)
  reader.end()
}

/** One test program after the other: its name, its results, what its failures printed, and a closing line with counts. */
class CargoReader {
  readonly #tests: TestList
  #part: 'before' | 'results' | 'failures' = 'before'
  #target = ''
  #found: RawTest[] = []
  /** Whose output is being read. */
  #failed: RawTest | undefined
  #programs = 0

  constructor(tests: TestList) {
    this.#tests = tests
  }

  read(line: string): void {
    if (this.#part === 'before') return this.#begin(line)
    const result = RESULT.exec(line)
    if (result !== null) return this.#close(result.slice(1).map(Number))
    if (this.#part === 'failures') return this.#addOutput(line)
    if (line === 'failures:') this.#part = 'failures'
    else addTest(line, this.#target, this.#found)
  }

  end(): void {
    if (this.#part !== 'before') throw new Refused('a test program did not finish')
    if (this.#programs === 0) throw new Refused('no test program ran')
  }

  #begin(line: string): void {
    const named = TARGET.exec(line) ?? DOCS.exec(line)
    if (named !== null) this.#target = named[2] === undefined ? `${named[1]} (doc tests)` : `${named[2]} (${named[1]})`
    else if (/^running \d+ tests?$/.test(line)) this.#part = 'results'
  }

  #addOutput(line: string): void {
    const block = /^---- (.+) stdout ----$/.exec(line)?.[1]
    if (block !== undefined) this.#failed = this.#found.find(({ path }) => path[1] === plainName(block))
    else if (line === 'failures:') this.#failed = undefined
    else if (this.#failed !== undefined)
      this.#failed.message = `${this.#failed.message}${line}\n`.slice(0, outputCharsMax)
  }

  #close(counts: number[]): void {
    checkCounts(this.#found, counts)
    for (const test of this.#found) this.#tests.add(test)
    this.#found = []
    this.#failed = undefined
    this.#part = 'before'
    this.#programs += 1
  }
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
    throw new Refused('its number of tests differs from its summary')
  }
}
