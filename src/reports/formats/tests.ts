/**
 * The one shape of all test reports, and the list that parsers fill. Runs are compared by test names, so names are
 * complete (file, suites, test), unique, and independent of where and in which order the tests ran.
 */
import type { TestCase, TestReport, TestStatus } from '../../domain/verdict/test-report.ts'
import { reportTestsMax, testMessageCharsMax, testNameCharsMax } from '../../domain/limits.ts'
import { placeOf, projectFile } from '../places.ts'
import { cleaner, cut, oneLine } from '../text.ts'

/** Thrown while a report is read; `parseReport` turns it into a problem. */
export class Refused extends Error {}

/** A test as a report has it: nothing is cleaned yet. */
export interface RawTest {
  file?: string | undefined
  /** Suites and the test's own name; empty for something that concerns the file as a whole. */
  path: readonly string[]
  status: TestStatus
  message?: string | undefined
  line?: number | undefined
  /** The class it is in, where only that is known: its file is named like it. */
  near?: string | undefined
  /** It is no test but something around tests, which did not get to run. */
  load?: boolean | undefined
}

/** What a report says about itself in its header. */
interface Declared {
  tests: unknown
  failed: unknown
}

const RANK: Record<TestStatus, number> = { passed: 0, failed: 1, skipped: 2 }

export class TestList {
  readonly #clean: (text: string, charsMax: number) => string
  readonly #tests: TestCase[] = []
  /** How many of them failed. */
  failed = 0
  /** Whether the runner gave up after one that did. */
  stopped = false

  constructor(root: string) {
    const clean = cleaner(root)
    // Cut twice: what is thrown away is not worth cleaning, and what is kept may only shrink by it.
    this.#clean = (text, charsMax) => cut(clean(cut(text, 4 * charsMax)), charsMax)
  }

  add(raw: RawTest): void {
    if (this.#tests.length >= reportTestsMax) throw new Refused(`it has more than ${reportTestsMax} tests`)
    const file = raw.file === undefined ? undefined : fileOf(this.#clean(raw.file, testNameCharsMax))
    const parts = [file ?? '', ...raw.path.map((part) => oneLine(this.#clean(part, testNameCharsMax)))]
    const name = parts.filter((part, index) => part !== '' && part !== parts[index - 1]).join(' > ')
    const test: TestCase = { name: cut(name, testNameCharsMax) || '(a test without a name)', status: raw.status }
    if (raw.status === 'failed') {
      this.failed += 1
      const message = this.#clean(raw.message ?? '', testMessageCharsMax).trim()
      const place = placeOf(message, file, raw.near)
      if (message !== '') test.message = message
      if (raw.load === true || test.name === file || isWholeFile(test.name, message)) test.kind = 'load'
      if (place !== null) Object.assign(test, place)
    }
    if (test.file === undefined && file !== undefined && projectFile(file) !== null) {
      test.file = file
      if (raw.line !== undefined && Number.isInteger(raw.line) && raw.line > 0) test.line = raw.line
    }
    this.#tests.push(test)
  }

  /**
   * A header that promises failures or tests of which nothing is to be seen belongs to a report that was damaged or
   * forged. Counts that merely differ do not: runners count retries, subtests and hooks as they please.
   */
  checkAgainst(declared: Declared, failuresSeen: number): void {
    const tests = count(declared.tests)
    const failed = count(declared.failed)
    if (tests > 0 && this.#tests.length === 0) throw new Refused(`it says it has ${tests} tests and has none`)
    if (failed > 0 && failuresSeen === 0) throw new Refused(`it says ${failed} failed and shows none that did`)
  }

  report(): TestReport {
    return { tests: numbered(this.#tests), ...(this.stopped ? { stopped: true } : {}) }
  }
}

/** Tests of the same name are told apart by number: passed ones first, so that the order they ran in does not matter. */
export function numbered(tests: TestCase[]): TestCase[] {
  const groups = Map.groupBy(tests, ({ name }) => name)
  for (const [name, group] of [...groups].filter(([, { length }]) => length > 1)) {
    let number = 2
    for (const test of group.toSorted((a, b) => RANK[a.status] - RANK[b.status]).slice(1)) {
      while (groups.has(`${name} #${number}`)) number += 1
      test.name = `${name} #${number}`
      number += 1
    }
  }
  return tests
}

/** Where a report has no files, a file that could not be loaded is a test with its name. */
function isWholeFile(name: string, message: string): boolean {
  return /^\S+\.(?:[cm]?[jt]sx?|py)$/.test(name) || message.startsWith('collection failure')
}

function fileOf(path: string): string {
  return oneLine(path).replace(/^(?:\.\/)+/, '')
}

function count(value: unknown): number {
  if (value === undefined || value === null || value === '') return 0
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : 'something else'
  if (!/^\d{1,15}$/.test(text)) throw new Refused(`one of its counts is ${oneLine(text.slice(0, 40))}`)
  return Number(text)
}
