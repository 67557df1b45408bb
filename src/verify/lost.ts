/** Tests that ran on the base but not on the work: skipped, missing or renamed. Pure. */
import type { TestReport } from '../domain/verdict/test-report.ts'

/** Deeper suites are not looked for: a name may consist of nothing but separators. */
const suiteDepthMax = 20

/** A test that was executed on the base and is not any more. One that moved or was renamed is absent too. */
export interface LostTest {
  name: string
  was: 'passed' | 'failed'
  now: 'skipped' | 'absent'
}

/** The tests that these runs of the base executed, and this one did not. */
export function lostTests(report: TestReport, baseReports: readonly TestReport[]): LostTest[] {
  const now = new Map(report.tests.map(({ name, status }) => [name, status]))
  const before = new Map<string, 'passed' | 'failed'>()
  for (const { name, status } of baseReports.flatMap(({ tests }) => tests)) {
    if (status !== 'skipped' && before.get(name) !== 'passed') before.set(name, status)
  }
  const gone = [...before].filter(([name]) => now.get(name) === undefined || now.get(name) === 'skipped')
  const refilled = suitesOf(
    report,
    new Set(gone.filter(([name, was]) => was === 'failed' && !now.has(name)).map(([name]) => name)),
  )
  return gone
    .filter(([name]) => !refilled.has(name))
    .map(([name, was]) => ({ name, was, now: now.has(name) ? 'skipped' : 'absent' }))
}

/**
 * The names of `wanted` that are a file or a suite with executed tests: one that failed as a whole, because it could not be
 * loaded, is absent when its tests run again.
 */
function suitesOf(report: TestReport, wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>()
  if (wanted.size === 0) return found
  for (const { name } of report.tests.filter(({ status }) => status !== 'skipped')) {
    let at = name.indexOf(' > ')
    for (let depth = 0; at >= 0 && depth < suiteDepthMax; depth += 1) {
      const suite = name.slice(0, at)
      if (wanted.has(suite)) found.add(suite)
      at = name.indexOf(' > ', at + 1)
    }
  }
  return found
}
