/** What a test runner's report says, test by test, in the one shape that every format is brought into. */

export type TestStatus = 'passed' | 'failed' | 'skipped'

export interface TestCase {
  /** `src/a.test.ts > suite > test`; with ` #2` where a report has the same name twice. */
  name: string
  status: TestStatus
  /** What a failed test said. */
  message?: string
  /** `load`: no test failed, but a whole file did, before its tests could run. */
  kind?: 'load'
  file?: string
  line?: number
}

export interface TestReport {
  tests: TestCase[]
  /** A failure kept other tests from running: their absence says nothing. */
  stopped?: true
}

/** A report that cannot be used, and why. */
export interface ReportProblem {
  problem: string
}
