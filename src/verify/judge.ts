/**
 * What the end of a check means, compared with the same command on the attempt base. Pure, and fails closed: anything
 * missing, contradictory or unknown is not a pass. FAIL is the fault of the work; ERROR is nobody's fault, or a person
 * must decide.
 */
import type { CheckEnd } from './check-end.ts'
import { sameWay } from './failure.ts'
import { loadError, unloaded } from './loading.ts'
import { type LostTest, lostTests } from './lost.ts'
import { closingCounts } from '../reports/formats/closing.ts'
import type { TestCase, TestReport, TestStatus } from '../domain/verdict/test-report.ts'

export interface CheckRules {
  /** It runs tests: it must have executed some, and those that the base has must still be there. */
  tests: boolean
  /** A `goal` must be green; a `guard` is excused what already failed on the base, test by test. */
  kind: 'goal' | 'guard'
}

interface TestCounts {
  executed: number
  failed: number
  skipped: number
  /** There is no report: they are those of the closing lines. */
  estimate?: true
}

export interface Judgement {
  outcome: 'pass' | 'fail' | 'error'
  /** An error that trying again cannot change. */
  needsPerson: boolean
  /** Null if there is nothing to count in. */
  counts: TestCounts | null
  /** Failed tests that count; the ones that failed in the same way on a base that works otherwise are `excused`. */
  failing: string[]
  excused: string[]
  /** Failed on the base too, but in another way, or on a base where nothing passes: for a person to compare. */
  unclear: string[]
  /** Why the command did not get as far as its tests, with and without the change, in its own words. */
  unloaded: string | null
  lost: LostTest[]
  /** A goal that was reached before anybody worked on it. */
  vacuous: boolean
  /** Why, in words; never empty unless it passed with nothing to say. */
  reasons: string[]
}

type Said = Omit<Judgement, 'outcome' | 'reasons'>

/** `base` are the ends of the same command on the attempt base: none if that is unknown, several if it was tried again. */
export function judge(end: CheckEnd, base: readonly CheckEnd[], rules: CheckRules): Judgement {
  const report = usable(end.report)
  const failed = testsOf(report, 'failed')
  const blank: Said = {
    needsPerson: false,
    counts: report === null ? estimateOf(end, rules) : countsOf(report),
    failing: failed.map(({ name }) => name),
    excused: [],
    unclear: [],
    unloaded: null,
    lost: [],
    vacuous: false,
  }
  const baseReports = base.flatMap((other) => usable(other.report) ?? [])
  const missing = problemOf(end.report, baseReports.length > 0)
  const nothing = showsNothing(end, base, rules, blank, missing, baseReports.length > 0)
  if (nothing !== null) return nothing

  const lies = end.exitCode === 0 && failed.length > 0
  const stopped = report?.stopped === true && failed.length > 0
  const said: Said = {
    ...blank,
    ...sortedOut(failed, rules.kind === 'guard' && !lies ? base : [], base),
    lost: rules.tests && report !== null && !stopped ? lostTests(report, baseReports) : [],
  }
  const reasons = [
    ...(said.failing.length > 0 ? [failedWords(said)] : []),
    ...(lies ? [`it ended with exit code 0 although its report says that ${tests(failed.length)} failed`] : []),
    ...(said.lost.length > 0 ? [lostWords(said.lost)] : []),
    ...(failed.length === 0 ? redWords(end, said.counts, rules, missing) : []),
  ]
  if (reasons.length > 0) return judgeRed(end, base, rules, said, reasons, lies)
  const doubt = doubtAbout(end, base, rules, said, failed.length)
  if (doubt !== null) return { ...said, outcome: 'error', needsPerson: true, reasons: [doubt] }
  const isGreen = (other: CheckEnd): boolean => judge(other, [], { ...rules, kind: 'goal' }).outcome === 'pass'
  const vacuous = rules.kind === 'goal' && base.length > 0 && base.every(isGreen)
  return { ...said, outcome: 'pass', vacuous, reasons: passWords(said, rules, vacuous) }
}

/** It did not come to its end, or not to its tests, or its report is missing: what it says is not about the work. */
function showsNothing(
  end: CheckEnd,
  base: readonly CheckEnd[],
  rules: CheckRules,
  said: Said,
  missing: string | null,
  baseHasReport: boolean,
): Judgement | null {
  const broken = brokenBecause(end, said.failing.length)
  if (broken !== null) {
    return { ...said, outcome: 'error', unloaded: isMissing(end) ? broken : null, reasons: [broken] }
  }
  if (missing !== null && end.exitCode === 0) {
    // Where the same command wrote a good report on the base, the change is what spoilt it.
    return { ...said, outcome: baseHasReport ? 'fail' : 'error', reasons: [missing] }
  }
  const nowhere = rules.tests && base.length > 0 && base.every((other) => unloaded(other) !== null)
  const words = nowhere ? unloaded(end) : null
  if (words === null) return null
  const reasons = [`its tests do not run, neither with nor without the change (${words})`]
  return { ...said, outcome: 'error', failing: [], unclear: said.failing, unloaded: words, reasons }
}

/** Which failed tests count. `excusing`: the ends of the base that may excuse some; a failure there in another way is unclear. */
function sortedOut(
  failed: readonly TestCase[],
  excusing: readonly CheckEnd[],
  base: readonly CheckEnd[],
): Pick<Judgement, 'failing' | 'excused' | 'unclear'> {
  const old = oldFailures(excusing)
  const works = anyPasses(base)
  const isSame = (test: TestCase): boolean => works && (old.get(test.name) ?? []).some((was) => sameWay(was, test))
  const names = (of: readonly TestCase[]): string[] => of.map(({ name }) => name)
  return {
    failing: names(failed.filter(({ name }) => !old.has(name))),
    excused: names(failed.filter(isSame)),
    unclear: names(failed.filter((test) => old.has(test.name) && !isSame(test))),
  }
}

const anyPasses = (base: readonly CheckEnd[]): boolean =>
  base.some((other) => testsOf(usable(other.report), 'passed').length > 0)

/** What a person has to look at although nothing is red that counts; null if there is nothing. */
function doubtAbout(
  end: CheckEnd,
  base: readonly CheckEnd[],
  rules: CheckRules,
  said: Said,
  failures: number,
): string | null {
  if (contradicts(end, rules) && !base.some((other) => contradicts(other, rules)))
    return `it ended with exit code 0 although the last lines of its output say that ${tests(said.counts?.failed ?? 0)} failed`
  const fewer = usable(end.report) === null ? fewerWords(said.counts, base, rules) : null
  if (fewer !== null) return fewer
  if (said.excused.length > 0 && !endsAsBefore(end, base, failures))
    return `it ended with exit code ${end.exitCode}, which neither its failing tests nor the base explain`
  return said.unclear.length > 0 ? unclearWords(said.unclear, anyPasses(base)) : null
}

/** Red is the work's fault, unless the base is red too and nobody can compare. */
function judgeRed(
  end: CheckEnd,
  base: readonly CheckEnd[],
  rules: CheckRules,
  said: Said,
  reasons: string[],
  lies: boolean,
): Judgement {
  const comparable =
    rules.kind === 'goal' || lies || said.lost.length > 0 || !base.some((other) => isRedWithoutNames(other, rules))
  if (comparable) return { ...said, outcome: 'fail', reasons }
  const unclear =
    'the base already fails, and its output names no tests, so new failures cannot be told from old ones: compare them yourself, or add a report'
  const loads = base.every(({ output = '' }) => loadError(output) === null)
  return {
    ...said,
    outcome: 'error',
    needsPerson: true,
    unloaded: loads ? null : loadError(end.output ?? ''),
    reasons: [...reasons, unclear],
  }
}

/** Without a report, the closing lines of the end of the output. */
function estimateOf({ report, output = '' }: CheckEnd, rules: CheckRules): TestCounts | null {
  const counts = rules.tests && report === null ? closingCounts(output) : null
  return counts === null ? null : { ...counts, estimate: true }
}

/** Closing lines may be anybody's, those of a runner that is itself tested say: a person has to look. */
function contradicts(end: CheckEnd, rules: CheckRules): boolean {
  return end.exitCode === 0 && (estimateOf(end, rules)?.failed ?? 0) > 0
}

/**
 * Without names nobody knows which tests are gone, but fewer than on the base are some. Whether they may be is for a person
 * to say: closing lines are no proof.
 */
function fewerWords(counts: TestCounts | null, base: readonly CheckEnd[], rules: CheckRules): string | null {
  const before = base.filter(({ exitCode }) => exitCode === 0).map((end) => estimateOf(end, rules)?.executed ?? 0)
  const least = Math.min(...before)
  if (before.length === 0 || least <= (counts?.executed ?? 0)) return null
  const here = counts === null ? 'none reported here' : `${counts.executed} here`
  return `fewer tests ran than on the attempt base, by the last lines of its output: ${least} there, ${here}`
}

/** Whether the exit code is what failing tests give: the base's own, or their number (mocha). A crash has another. */
function endsAsBefore({ exitCode }: CheckEnd, base: readonly CheckEnd[], failures: number): boolean {
  return exitCode === failures || base.some((other) => other.exitCode === exitCode)
}

/** What failed on the base, by name. One that did not come to its end shows nothing. */
function oldFailures(base: readonly CheckEnd[]): Map<string, TestCase[]> {
  const ended = base.map((end) => ({ end, failed: testsOf(usable(end.report), 'failed') }))
  const shown = ended.filter(({ end, failed }) => brokenBecause(end, failed.length) === null)
  return Map.groupBy(
    shown.flatMap(({ failed }) => failed),
    ({ name }) => name,
  )
}

/** It did not come to an end that says anything about the work. */
function brokenBecause({ timedOut, signal, exitCode }: CheckEnd, failures: number): string | null {
  if (timedOut) return 'it timed out'
  if (signal !== null) return `it was ended by ${signal}`
  if (exitCode === null) return 'Muster does not know how it ended'
  // mocha's exit code is the number of failed tests. With any other number, a report was written and then the runner crashed.
  if (failures > 0 && exitCode === failures) return null
  if (exitCode === 127) return 'command not found (exit code 127)'
  if (exitCode === 126) return 'command not executable (exit code 126)'
  return exitCode > 128 && exitCode < 160 ? `it was ended by signal ${exitCode - 128} (exit code ${exitCode})` : null
}

const isMissing = ({ exitCode }: CheckEnd): boolean => exitCode === 126 || exitCode === 127

function problemOf(report: CheckEnd['report'], baseHasReport: boolean): string | null {
  if (report === null) return baseHasReport ? 'it wrote no report, but on the attempt base it did' : null
  return 'problem' in report ? `Muster cannot use its report: ${report.problem}` : null
}

/** Why a run in which no test failed is red all the same; nothing if it is green. */
function redWords(end: CheckEnd, counts: TestCounts | null, rules: CheckRules, missing: string | null): string[] {
  const exit = `it ended with exit code ${end.exitCode}`
  if (missing !== null) return [`${exit}, and ${missing}`]
  if (rules.tests && counts?.executed === 0) {
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    const by = counts.estimate === true ? ', by the last lines of its output' : ''
    return [`no test was executed${skipped}${by} (exit code ${end.exitCode})`]
  }
  if (end.exitCode === 0) return []
  if (counts === null || counts.estimate === true) return [exit]
  return [`${exit} although no test of its report failed`]
}

/** Red, but with nothing in it that a later failure could be compared with. One whose tests did not run excuses nothing. */
function isRedWithoutNames(end: CheckEnd, rules: CheckRules): boolean {
  if (rules.tests && unloaded(end) !== null) return false
  const { outcome, failing } = judge(end, [], { ...rules, kind: 'goal' })
  return outcome === 'fail' && failing.length === 0
}

function usable(report: CheckEnd['report']): TestReport | null {
  return report === null || 'problem' in report ? null : report
}

function testsOf(report: TestReport | null, wanted: TestStatus): TestCase[] {
  return (report?.tests ?? []).filter(({ status }) => status === wanted)
}

function countsOf(report: TestReport): TestCounts {
  const skipped = testsOf(report, 'skipped').length
  return { executed: report.tests.length - skipped, failed: testsOf(report, 'failed').length, skipped }
}

function passWords(
  { counts, excused }: Pick<Judgement, 'counts' | 'excused'>,
  rules: CheckRules,
  vacuous: boolean,
): string[] {
  return [
    ...(excused.length > 0 ? [`${tests(excused.length)} failed that already failed on the attempt base`] : []),
    ...(rules.tests && counts === null
      ? ['it writes no report that Muster can read, so the number of tests is unknown']
      : []),
    ...(vacuous ? ['it already passed before the change'] : []),
  ]
}

function failedWords({ failing, excused, counts }: Pick<Judgement, 'failing' | 'excused' | 'counts'>): string {
  const old = excused.length > 0 ? `, and ${excused.length} that already failed on the attempt base` : ''
  return `${failing.length} of ${tests(counts?.executed ?? 0)} failed${old}`
}

function unclearWords(unclear: readonly string[], works: boolean): string {
  const many = `${tests(unclear.length)} failed that already failed on the attempt base`
  return works
    ? `${many}, but in another way there: a person must compare`
    : `${many}, where no test passes. That shows nothing about the change: a person must compare`
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
