import { describe, expect, test } from 'vitest'
import { type CheckEnd, type CheckRules, judge } from './judge.ts'
import type { TestReport, TestStatus } from './report/tests.ts'

/** `report('passed a', 'failed b')` */
function report(...tests: string[]): TestReport {
  return {
    tests: tests.map((text) => {
      const [status, ...name] = text.split(' ')
      return { status: status as TestStatus, name: name.join(' ') }
    }),
  }
}

function end(exitCode: number | null, report: CheckEnd['report'] = null, more: Partial<CheckEnd> = {}): CheckEnd {
  return { exitCode, signal: null, timedOut: false, report, ...more }
}

const goal: CheckRules = { tests: true, kind: 'goal' }
const guard: CheckRules = { tests: true, kind: 'guard' }
const lint: CheckRules = { tests: false, kind: 'guard' }
const unwritten = { problem: 'it was not written' }

describe('green and red (S3.25, S3.26, S1.12)', () => {
  test('green is exit code 0 and a report in which tests passed; skipped ones are counted (L10)', () => {
    expect(judge(end(0, report('passed a', 'passed b', 'skipped c')), [], goal)).toEqual({
      outcome: 'pass',
      needsPerson: false,
      counts: { executed: 2, failed: 0, skipped: 1 },
      failing: [],
      excused: [],
      lost: [],
      vacuous: false,
      reasons: [],
    })
  })

  test('red names the tests', () => {
    const judged = judge(end(1, report('passed a', 'failed b')), [], goal)
    expect(judged).toMatchObject({ outcome: 'fail', failing: ['b'], counts: { executed: 2, failed: 1, skipped: 0 } })
    expect(judged.reasons).toEqual(['1 of 2 tests failed'])
  })

  test('a check without a report goes by its exit code, and says that nobody counted', () => {
    expect(judge(end(0), [], lint)).toMatchObject({ outcome: 'pass', counts: null, reasons: [] })
    expect(judge(end(0), [], goal).reasons).toEqual([
      'it makes no report that can be read: how many tests ran is not known',
    ])
    expect(judge(end(2), [], lint)).toMatchObject({ outcome: 'fail', reasons: ['it ended with exit code 2'] })
  })

  test.each([
    [0, report('passed a', 'failed b'), 'it ended with exit code 0 although its report says that 1 test failed'],
    [1, report('passed a'), 'it ended with exit code 1 although no test of its report failed'],
  ])('a report that contradicts exit code %d is a failure (E-19)', (exitCode, found, why) => {
    const base = [end(exitCode, found)]
    expect(judge(end(exitCode, found), [], goal)).toMatchObject({ outcome: 'fail' })
    expect(judge(end(exitCode, found), [end(0, report('passed a'))], guard)).toMatchObject({ outcome: 'fail' })
    expect(judge(end(exitCode, found), base, guard).outcome).not.toBe('pass')
    expect(judge(end(exitCode, found), [], goal).reasons).toContain(why)
  })

  test('a failure that the exit code hides is not excused by the base', () => {
    const hidden = end(0, report('failed a'))
    expect(judge(hidden, [hidden], guard)).toMatchObject({ outcome: 'fail', failing: ['a'], excused: [] })
  })

  test.each([
    ['nothing', end(0, report()), 'no test was executed (exit code 0)'],
    ['only skipped tests', end(0, report('skipped a')), 'no test was executed, 1 skipped (exit code 0)'],
    ['nothing, and pytest says so', end(5, report()), 'no test was executed (exit code 5)'],
  ])('no test executed is not a pass: %s (L35)', (_, ended, why) => {
    expect(judge(ended, [], goal)).toMatchObject({ outcome: 'fail', reasons: [why] })
    expect(judge(ended, [end(0, report())], guard)).toMatchObject({ outcome: 'error', needsPerson: true })
  })

  test('a report of something else than tests may be empty', () => {
    expect(judge(end(0, report()), [], lint).outcome).toBe('pass')
  })
})

describe('ERROR is not FAIL (L12)', () => {
  test.each([
    [end(null, report('passed a'), { timedOut: true, signal: 'SIGTERM' }), 'it did not end in its time'],
    [end(null, null, { signal: 'SIGKILL' }), 'it was ended by SIGKILL'],
    [end(null), 'how it ended is not known'],
    [end(127, unwritten), 'command not found (exit code 127)'],
    [end(126), 'command not executable (exit code 126)'],
    [end(137, unwritten), 'it was ended by signal 9 (exit code 137)'],
  ])('%j', (ended, why) => {
    for (const rules of [goal, guard, lint]) {
      expect(judge(ended, [], rules)).toMatchObject({ outcome: 'error', needsPerson: false, reasons: [why] })
    }
  })

  test('mocha ends with the number of failed tests: a report tells 127 of them from a missing command', () => {
    expect(judge(end(127, report('failed a')), [], goal)).toMatchObject({ outcome: 'fail', failing: ['a'] })
  })

  test('a report that cannot be used is nobody’s fault, unless the same command wrote a good one on the base', () => {
    const missing = 'its report cannot be used: it was not written'
    expect(judge(end(0, unwritten), [], goal)).toMatchObject({ outcome: 'error', reasons: [missing] })
    expect(judge(end(0, unwritten), [end(0, unwritten)], goal)).toMatchObject({ outcome: 'error' })
    expect(judge(end(0, unwritten), [end(0, report('passed a'))], goal)).toMatchObject({ outcome: 'fail' })
    expect(judge(end(0), [end(0, report('passed a'))], goal)).toMatchObject({ outcome: 'fail' })
    expect(judge(end(1, unwritten), [], goal)).toMatchObject({
      outcome: 'fail',
      reasons: [`it ended with exit code 1, and ${missing}`],
    })
  })
})

describe('tests that are gone (E-19)', () => {
  const base = [end(1, report('passed a', 'failed b', 'skipped c', 'passed old.ts > d'))]

  test('executed on the base and now skipped, absent, renamed or moved: a failure that names it, goal or guard', () => {
    const now = end(0, report('skipped a', 'passed b renamed', 'passed new.ts > d'))
    for (const rules of [goal, guard]) {
      const judged = judge(now, base, rules)
      expect(judged).toMatchObject({
        outcome: 'fail',
        failing: [],
        lost: [
          { name: 'a', was: 'passed', now: 'skipped' },
          { name: 'b', was: 'failed', now: 'absent' },
          { name: 'old.ts > d', was: 'passed', now: 'absent' },
        ],
      })
      expect(judged.reasons).toEqual(['3 tests that ran on the attempt base did not run: 1 skipped, 2 absent'])
    }
  })

  test('a file or a suite that failed as a whole is absent when its tests run; without them it is gone', () => {
    const broken = [end(1, report('failed a.ts', 'failed b.ts > suite', 'failed c.ts'))]
    const judged = judge(end(0, report('passed a.ts > x', 'passed b.ts > suite > y', 'skipped c.ts > z')), broken, goal)
    expect(judged.lost).toEqual([{ name: 'c.ts', was: 'failed', now: 'absent' }])
  })

  test('a test that passed and became a suite is gone all the same', () => {
    const base = [end(1, report('passed a', 'failed s'))]
    const judged = judge(end(0, report('passed a > x', 'passed s > y')), base, goal)
    expect(judged.lost).toEqual([{ name: 'a', was: 'passed', now: 'absent' }])
  })

  test('a test skipped on the base may go, a new one may come, and of other things than tests nothing is asked', () => {
    const all = report('passed a', 'passed b', 'passed old.ts > d', 'passed new')
    expect(judge(end(0, all), base, goal).outcome).toBe('pass')
    expect(judge(end(0, report('passed new')), base, lint).outcome).toBe('pass')
  })
})

describe('baseline (L17)', () => {
  const red = [end(1, report('passed a', 'failed old'))]

  test('a guard is excused what failed on the base by name, and lists it', () => {
    const judged = judge(end(1, report('passed a', 'failed old')), red, guard)
    expect(judged).toMatchObject({ outcome: 'pass', failing: [], excused: ['old'] })
    expect(judged.reasons).toEqual(['1 test failed that failed on the attempt base already'])
  })

  test('a new failure is named alone', () => {
    const judged = judge(end(1, report('failed a', 'failed old')), red, guard)
    expect(judged).toMatchObject({ outcome: 'fail', failing: ['a'], excused: ['old'] })
    expect(judged.reasons).toEqual(['1 of 2 tests failed, and 1 that failed on the attempt base already'])
  })

  test('a goal is excused nothing', () => {
    expect(judge(end(1, report('passed a', 'failed old')), red, goal)).toMatchObject({
      outcome: 'fail',
      failing: ['old'],
    })
  })

  test('a test that failed in one of several runs of the base is known to fail there (E-33)', () => {
    const base = [end(0, report('passed flaky')), end(1, report('failed flaky'))]
    expect(judge(end(1, report('failed flaky')), base, guard)).toMatchObject({ outcome: 'pass', excused: ['flaky'] })
  })

  test.each([
    ['neither has a report', end(2), end(2)],
    ['only the base has none', end(1, report('failed a')), end(2)],
    ['both are red beside their tests', end(1, report('passed a')), end(1, report('passed a'))],
  ])('a red base without names is for a person to compare: %s', (_, now, base) => {
    expect(judge(now, [base], guard)).toMatchObject({ outcome: 'error', needsPerson: true })
    expect(judge(now, [base], goal)).toMatchObject({ outcome: 'fail', needsPerson: false })
  })

  test('with a green, broken or unknown base there is nothing to be excused', () => {
    const timedOut = end(null, null, { timedOut: true })
    for (const base of [[], [end(0)], [timedOut]]) {
      expect(judge(end(1), base, lint).outcome).toBe('fail')
      expect(judge(end(1, report('failed a')), base, guard)).toMatchObject({ outcome: 'fail', failing: ['a'] })
    }
  })

  test('a goal that was green on the base is vacuous; a guard never is', () => {
    const green = end(0, report('passed a'))
    expect(judge(green, [green], goal)).toMatchObject({
      outcome: 'pass',
      vacuous: true,
      reasons: ['it was green on the attempt base already'],
    })
    expect(judge(green, [green], guard)).toMatchObject({ vacuous: false })
    expect(judge(green, [end(0, report())], goal)).toMatchObject({ outcome: 'pass', vacuous: false })
    expect(judge(green, red, goal).vacuous).toBe(false)
    expect(judge(green, [], goal)).toMatchObject({ outcome: 'pass', vacuous: false })
  })
})
