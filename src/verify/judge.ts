/**
 * What the end of a check means, given what the same command did on the attempt base. Pure, and closed: whatever is
 * missing, contradictory or unknown is not a pass. FAIL is the work's fault; ERROR is nobody's, or a person's to tell.
 */
import type { ReportProblem } from './report/report.ts'
import type { TestReport, TestStatus } from './report/tests.ts'

/** Deeper suites are not looked for: a name may consist of nothing but separators. */
const suiteDepthMax = 20

/** How one execution of a check's command ended. */
export interface CheckEnd {
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  /** Null if the command was not asked for a report; one that was asked for and not written is a problem. */
  report: TestReport | ReportProblem | null
}

export interface CheckRules {
  /** It runs tests: it must have executed some, and those that the base has must still be there. */
  tests: boolean
  /** A `goal` must be green; a `guard` is excused what already failed on the base, test by test. */
  kind: 'goal' | 'guard'
}

export interface TestCounts {
  executed: number
  failed: number
  skipped: number
}

/** A test that was executed on the base and is not any more. One that moved or was renamed is absent too. */
export interface LostTest {
  name: string
  was: 'passed' | 'failed'
  now: 'skipped' | 'absent'
}

export interface Judgement {
  outcome: 'pass' | 'fail' | 'error'
  /** An error that trying again cannot change. */
  needsPerson: boolean
  /** Null if there is no report to count in. */
  counts: TestCounts | null
  /** Failed tests that count; the ones of the base that do not are `excused`. */
  failing: string[]
  excused: string[]
  lost: LostTest[]
  /** A goal that was reached before anybody worked on it. */
  vacuous: boolean
  /** Why, in words; never empty unless it passed with nothing to say. */
  reasons: string[]
}

/** `base` are the ends of the same command on the attempt base: none if that is unknown, several if it was tried again. */
export function judge(end: CheckEnd, base: readonly CheckEnd[], rules: CheckRules): Judgement {
  const report = usable(end.report)
  const failed = namesOf(report, 'failed')
  const said: Omit<Judgement, 'outcome' | 'reasons'> = {
    needsPerson: false,
    counts: report === null ? null : countsOf(report),
    failing: failed,
    excused: [],
    lost: [],
    vacuous: false,
  }
  const broken = brokenBecause(end, failed.length > 0)
  if (broken !== null) return { ...said, outcome: 'error', reasons: [broken] }

  const baseReports = base.flatMap((other) => usable(other.report) ?? [])
  const missing = problemOf(end.report, baseReports.length > 0)
  if (missing !== null && end.exitCode === 0) {
    // Where the same command wrote a good report on the base, the change is what spoilt it.
    return { ...said, outcome: baseReports.length > 0 ? 'fail' : 'error', reasons: [missing] }
  }

  const lies = end.exitCode === 0 && failed.length > 0
  const old = new Set(rules.kind === 'guard' && !lies ? baseReports.flatMap((other) => namesOf(other, 'failed')) : [])
  said.failing = failed.filter((name) => !old.has(name))
  said.excused = failed.filter((name) => old.has(name))
  said.lost = rules.tests && report !== null ? lostTests(report, baseReports) : []
  const reasons = [
    ...(said.failing.length > 0 ? [failedWords(said)] : []),
    ...(lies ? [`it ended with exit code 0 although its report says that ${tests(failed.length)} failed`] : []),
    ...(said.lost.length > 0 ? [lostWords(said.lost)] : []),
    ...(failed.length === 0 ? redWords(end, said.counts, rules, missing) : []),
  ]
  if (reasons.length === 0) {
    const isGreen = (other: CheckEnd): boolean => judge(other, [], { ...rules, kind: 'goal' }).outcome === 'pass'
    const vacuous = rules.kind === 'goal' && base.length > 0 && base.every(isGreen)
    return { ...said, outcome: 'pass', vacuous, reasons: passWords(said, rules, vacuous) }
  }
  const comparable =
    rules.kind === 'goal' || lies || said.lost.length > 0 || !base.some((other) => isRedWithoutNames(other, rules))
  if (comparable) return { ...said, outcome: 'fail', reasons }
  const unclear = 'the attempt base is red too, and it does not say by name what fails there: a person has to compare'
  return { ...said, outcome: 'error', needsPerson: true, reasons: [...reasons, unclear] }
}

/** It did not come to an end that says anything about the work. */
function brokenBecause({ timedOut, signal, exitCode }: CheckEnd, hasFailures: boolean): string | null {
  if (timedOut) return 'it did not end in its time'
  if (signal !== null) return `it was ended by ${signal}`
  if (exitCode === null) return 'how it ended is not known'
  // mocha's exit code is the number of failed tests: with failures at hand, these codes mean nothing.
  if (hasFailures) return null
  if (exitCode === 127) return 'command not found (exit code 127)'
  if (exitCode === 126) return 'command not executable (exit code 126)'
  return exitCode > 128 && exitCode < 160 ? `it was ended by signal ${exitCode - 128} (exit code ${exitCode})` : null
}

function problemOf(report: CheckEnd['report'], baseHasReport: boolean): string | null {
  if (report === null) return baseHasReport ? 'it has no report, though on the attempt base it had one' : null
  return 'problem' in report ? `its report cannot be used: ${report.problem}` : null
}

/** Why a run in which no test failed is red all the same; nothing if it is green. */
function redWords(end: CheckEnd, counts: TestCounts | null, rules: CheckRules, missing: string | null): string[] {
  const exit = `it ended with exit code ${end.exitCode}`
  if (missing !== null) return [`${exit}, and ${missing}`]
  if (rules.tests && counts?.executed === 0) {
    return [
      `no test was executed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''} (exit code ${end.exitCode})`,
    ]
  }
  if (end.exitCode === 0) return []
  return [counts === null ? exit : `${exit} although no test of its report failed`]
}

/** Red, but with nothing in it that a later failure could be compared with. */
function isRedWithoutNames(end: CheckEnd, rules: CheckRules): boolean {
  const { outcome, failing } = judge(end, [], { ...rules, kind: 'goal' })
  return outcome === 'fail' && failing.length === 0
}

function lostTests(report: TestReport, baseReports: readonly TestReport[]): LostTest[] {
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

function usable(report: CheckEnd['report']): TestReport | null {
  return report === null || 'problem' in report ? null : report
}

function namesOf(report: TestReport | null, wanted: TestStatus): string[] {
  return (report?.tests ?? []).filter(({ status }) => status === wanted).map(({ name }) => name)
}

function countsOf(report: TestReport): TestCounts {
  const skipped = namesOf(report, 'skipped').length
  return { executed: report.tests.length - skipped, failed: namesOf(report, 'failed').length, skipped }
}

function passWords(
  { counts, excused }: Pick<Judgement, 'counts' | 'excused'>,
  rules: CheckRules,
  vacuous: boolean,
): string[] {
  return [
    ...(excused.length > 0 ? [`${tests(excused.length)} failed that failed on the attempt base already`] : []),
    ...(rules.tests && counts === null ? ['it makes no report that can be read: how many tests ran is not known'] : []),
    ...(vacuous ? ['it was green on the attempt base already'] : []),
  ]
}

function failedWords({ failing, excused, counts }: Pick<Judgement, 'failing' | 'excused' | 'counts'>): string {
  const old = excused.length > 0 ? `, and ${excused.length} that failed on the attempt base already` : ''
  return `${failing.length} of ${tests(counts?.executed ?? 0)} failed${old}`
}

function lostWords(lost: readonly LostTest[]): string {
  const skipped = lost.filter(({ now }) => now === 'skipped').length
  const absent = lost.length - skipped
  const parts = [...(skipped > 0 ? [`${skipped} skipped`] : []), ...(absent > 0 ? [`${absent} absent`] : [])]
  return `${tests(lost.length)} that ran on the attempt base did not run: ${parts.join(', ')}`
}

function tests(count: number): string {
  return count === 1 ? '1 test' : `${count} tests`
}
