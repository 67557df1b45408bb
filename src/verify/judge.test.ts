import { describe, expect, test } from 'vitest'
import { type CheckRules, judge } from './judge.ts'
import { type CheckEnd } from './check-end.ts'
import type { TestCase, TestReport, TestStatus } from '../domain/verdict/test-report.ts'

/** `report('passed a', 'failed b: why', 'unloaded c.js: why')` */
function report(...tests: string[]): TestReport {
  return { tests: tests.map(testOf) }
}

function testOf(text: string): TestCase {
  const [, status = '', name = '', message] = /^(\w+) (.*?)(?:: (.*))?$/s.exec(text) ?? []
  const said = message === undefined ? {} : { message }
  return status === 'unloaded'
    ? { status: 'failed', name, ...said, kind: 'load' }
    : { status: status as TestStatus, name, ...said }
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
      unclear: [],
      unloaded: null,
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
      'it writes no report that Muster can read, so the number of tests is unknown',
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
    expect(judge(ended, [end(0, report('passed a'))], guard)).toMatchObject({ outcome: 'fail' })
    expect(judge(ended, [end(0, report())], guard)).toMatchObject({ outcome: 'error', needsPerson: false })
  })

  test('a report of something else than tests may be empty', () => {
    expect(judge(end(0, report()), [], lint).outcome).toBe('pass')
  })
})

describe('ERROR is not FAIL (L12)', () => {
  test.each([
    [end(null, report('passed a'), { timedOut: true, signal: 'SIGTERM' }), 'it timed out'],
    [end(null, null, { signal: 'SIGKILL' }), 'it was ended by SIGKILL'],
    [end(null), 'Muster does not know how it ended'],
    [end(127, unwritten), 'command not found (exit code 127)'],
    [end(126), 'command not executable (exit code 126)'],
    [end(137, unwritten), 'it was ended by signal 9 (exit code 137)'],
  ])('%j', (ended, why) => {
    for (const rules of [goal, guard, lint]) {
      expect(judge(ended, [], rules)).toMatchObject({ outcome: 'error', needsPerson: false, reasons: [why] })
    }
  })

  test('mocha ends with the number of failed tests: a report tells 127 of them from a missing command', () => {
    const failed = Array.from({ length: 127 }, (_, index) => `failed t${index}`)
    expect(judge(end(127, report(...failed)), [], goal)).toMatchObject({ outcome: 'fail', failing: { length: 127 } })
    expect(judge(end(127, report('failed t0')), [], goal)).toMatchObject({ outcome: 'error' })
  })

  test('H-4 a runner that writes a report and then crashes is not excused by what the report says', () => {
    const base = [end(1, report('passed a', 'failed old'))]
    for (const code of [134, 139]) {
      const crashed = end(code, report('passed a', 'failed old'))
      expect(judge(crashed, base, guard)).toMatchObject({ outcome: 'error', needsPerson: false, excused: [] })
      // Nor does a base that crashed excuse anything.
      expect(judge(end(1, report('passed a', 'failed old')), [crashed], guard)).toMatchObject({
        outcome: 'fail',
        failing: ['old'],
      })
    }
    expect(judge(end(139, report('passed a')), base, guard).reasons).toEqual([
      'it was ended by signal 11 (exit code 139)',
    ])
    expect(judge(end(1, report('passed a')), [end(0, report('passed a'))], guard).outcome).toBe('fail')
  })

  test('a report that cannot be used is nobody’s fault, unless the same command wrote a good one on the base', () => {
    const missing = 'Muster cannot use its report: it was not written'
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

test('what a failure kept from being run is not lost; without a failure it is', () => {
  const base = [end(0, report('passed a', 'passed b'))]
  const red = judge(end(1, { ...report('failed a'), stopped: true }), base, goal)
  expect(red).toMatchObject({ outcome: 'fail', failing: ['a'], lost: [] })
  const green = judge(end(0, { ...report('passed a'), stopped: true }), base, goal)
  expect(green).toMatchObject({ outcome: 'fail', lost: [{ name: 'b' }] })
})

describe('baseline (L17)', () => {
  const red = [end(1, report('passed a', 'failed old'))]

  test('a guard is excused what failed on the base by name, and lists it', () => {
    const judged = judge(end(1, report('passed a', 'failed old')), red, guard)
    expect(judged).toMatchObject({ outcome: 'pass', failing: [], excused: ['old'] })
    expect(judged.reasons).toEqual(['1 test failed that already failed on the attempt base'])
  })

  test('a new failure is named alone', () => {
    const judged = judge(end(1, report('failed a', 'failed old')), red, guard)
    expect(judged).toMatchObject({ outcome: 'fail', failing: ['a'], excused: ['old'] })
    expect(judged.reasons).toEqual(['1 of 2 tests failed, and 1 that already failed on the attempt base'])
  })

  test('a goal is excused nothing', () => {
    expect(judge(end(1, report('passed a', 'failed old')), red, goal)).toMatchObject({
      outcome: 'fail',
      failing: ['old'],
    })
  })

  test('a test that failed in one of several runs of the base is known to fail there (E-33)', () => {
    const base = [end(0, report('passed flaky')), end(1, report('passed other', 'failed flaky'))]
    expect(judge(end(1, report('passed other', 'failed flaky')), base, guard)).toMatchObject({
      outcome: 'pass',
      excused: ['flaky'],
    })
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
      reasons: ['it already passed before the change'],
    })
    expect(judge(green, [green], guard)).toMatchObject({ vacuous: false })
    expect(judge(green, [end(0, report())], goal)).toMatchObject({ outcome: 'pass', vacuous: false })
    expect(judge(green, red, goal).vacuous).toBe(false)
    expect(judge(green, [], goal)).toMatchObject({ outcome: 'pass', vacuous: false })
  })
})

describe('H-4 a suite that does not run proves nothing', () => {
  const missing = "unloaded a.test.js: Error: Cannot find package 'left-pad' imported from a.test.js"
  const unread = report(missing, missing.replaceAll('a.test', 'b.test'))
  const loads = report('passed a.test.js > x', 'passed b.test.js > y')
  /** What each way of not loading looks like. */
  const ways: [string, CheckEnd][] = [
    ['every file misses a package', end(1, unread)],
    ['pytest gives up while collecting', end(2, report('unloaded a.test.js: E   SyntaxError: invalid syntax'))],
    ['all tests are skipped', end(0, report('skipped a', 'skipped b'))],
    ['there is no test', end(0, report())],
    ['no report, and the log says why', end(1, null, { output: "Error: Cannot find module 'vitest'\n at x" })],
    ['a known runner that says something else', end(1, null, { asked: true, output: 'shim: no such command\n' })],
    ['a known runner that says nothing', end(1, null, { asked: true })],
    ['a report that was not written', end(1, unwritten, { output: 'sh: 1: vitest: not found' })],
  ]

  test.each(ways)('%s on both sides: unclear for goal and guard, with the command’s words', (_, ended) => {
    for (const rules of [goal, guard]) {
      const judged = judge(ended, [ended], rules)
      expect(judged).toMatchObject({ outcome: 'error', needsPerson: false, failing: [], excused: [] })
      expect(judged.unloaded).toEqual(expect.any(String))
      expect(judged.reasons).toEqual([`its tests do not run, neither with nor without the change (${judged.unloaded})`])
    }
  })

  test.each(ways)('%s on the work alone: the author’s failure', (_, ended) => {
    for (const rules of [goal, guard]) expect(judge(ended, [end(0, loads)], rules).outcome).toBe('fail')
  })

  test.each(ways)('%s on the base alone: nothing is excused, and green work passes', (_, ended) => {
    expect(judge(end(0, loads), [ended], guard)).toMatchObject({ outcome: 'pass', excused: [] })
    const red = report('passed a.test.js > x', 'failed b.test.js > y: no')
    expect(judge(end(1, red), [ended], guard)).toMatchObject({
      outcome: 'fail',
      failing: ['b.test.js > y'],
      excused: [],
    })
  })

  test('the words are the first that say why', () => {
    expect(judge(end(1, unread), [end(1, unread)], guard).unloaded).toBe(
      "Error: Cannot find package 'left-pad' imported from a.test.js",
    )
    const shim = end(1, null, { asked: true, output: 'shim: no such command\n' })
    expect(judge(shim, [shim], guard).unloaded).toBe('shim: no such command')
    const ruby = end(1, null, {
      output: "<internal:/usr/lib/x.rb>:85:in `require': cannot load such file -- rake (LoadError)",
    })
    expect(judge(ruby, [ruby], guard).unloaded).toBe('cannot load such file -- rake (LoadError)')
    expect(judge(end(127), [], guard).unloaded).toBe('command not found (exit code 127)')
    expect(judge(end(126), [], lint).unloaded).toBe('command not executable (exit code 126)')
  })

  test('types and lint that miss a package on both sides are for a person, who is told that', () => {
    const ended = end(2, null, { output: "a.ts(1,1): error TS2307: Cannot find module 'left-pad'" })
    expect(judge(ended, [ended], lint)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      unloaded: expect.stringContaining('left-pad'),
    })
    expect(judge(ended, [end(0)], lint)).toMatchObject({ outcome: 'fail', unloaded: null })
  })

  test('half of the files fail to load: they are excused only where the other half passes, as they failed there', () => {
    const half = report(missing, 'passed b.test.js > y')
    expect(judge(end(1, half), [end(1, half)], guard)).toMatchObject({ outcome: 'pass', excused: ['a.test.js'] })
    const otherwise = report('unloaded a.test.js: SyntaxError: Unexpected token', 'passed b.test.js > y')
    expect(judge(end(1, otherwise), [end(1, half)], guard)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      failing: [],
      unclear: ['a.test.js'],
    })
    const worse = report(missing, 'failed b.test.js > y: no')
    expect(judge(end(1, worse), [end(1, half)], guard)).toMatchObject({ outcome: 'fail', failing: ['b.test.js > y'] })
    // Nothing loads there: what still does not load is nobody's new failure, and no excuse either.
    expect(judge(end(1, half), [end(1, unread)], guard)).toMatchObject({ outcome: 'error', unclear: ['a.test.js'] })
  })

  test('a base where everything is red excuses nothing: what failed there is for a person to compare', () => {
    const red = end(1, report('failed a: no', 'failed b: no'))
    expect(judge(red, [red], guard)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      failing: [],
      excused: [],
      unclear: ['a', 'b'],
      reasons: [expect.stringContaining('where no test passes')],
    })
    expect(judge(end(1, report('passed a', 'failed b: no')), [red], guard)).toMatchObject({ unclear: ['b'] })
    expect(judge(end(0, report('passed a', 'passed b')), [red], guard)).toMatchObject({ outcome: 'pass' })
    expect(judge(red, [red], goal)).toMatchObject({ outcome: 'fail', failing: ['a', 'b'] })
  })

  test('an old failure with a new message is for a person, and never the author’s', () => {
    const base = [end(1, report('passed a', 'failed old: expected 3 to be 4'))]
    const same = end(1, report('passed a', 'failed old: expected 17 to be 4'))
    expect(judge(same, base, guard)).toMatchObject({ outcome: 'pass', excused: ['old'] })
    const changed = end(1, report('passed a', 'failed old: TypeError: x is not a function'))
    expect(judge(changed, base, guard)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      failing: [],
      unclear: ['old'],
      reasons: [expect.stringContaining('in another way there: a person must compare')],
    })
    const both = end(1, report('failed a: no', 'failed old: TypeError: x is not a function'))
    const judged = judge(both, base, guard)
    expect(judged).toMatchObject({ outcome: 'fail', failing: ['a'], unclear: ['old'] })
    expect(judged.reasons).toEqual(['1 of 2 tests failed'])
  })
})

test('H-4 an exit code that neither failing tests nor the base explain is unclear: the runner may have crashed', () => {
  const red = report('failed old: boom', 'passed ok')
  expect(judge(end(7, red), [end(1, red)], guard)).toMatchObject({
    outcome: 'error',
    needsPerson: true,
    excused: ['old'],
    reasons: ['it ended with exit code 7, which neither its failing tests nor the base explain'],
  })
  expect(judge(end(1, red), [end(1, red)], guard)).toMatchObject({ outcome: 'pass', excused: ['old'] })
  const two = report('failed old: boom', 'failed older: boom', 'passed ok')
  // As mocha ends, with the number of its failures; and as the base did.
  expect(judge(end(2, two), [end(1, two)], guard).outcome).toBe('pass')
  expect(judge(end(1, two), [end(1, two)], guard).outcome).toBe('pass')
})

describe('without a report, closing lines are an estimate', () => {
  const closing = (exitCode: number, output: string): CheckEnd => end(exitCode, null, { output })

  test('that is counted and marked', () => {
    expect(judge(closing(0, '  3 passing (1s)\n  1 pending\n'), [], goal)).toMatchObject({
      outcome: 'pass',
      counts: { executed: 3, failed: 0, skipped: 1, estimate: true },
      reasons: [],
    })
  })

  test('by which no test executed is no pass', () => {
    const none = closing(0, 'Ran 0 tests in 0.000s\n\nOK\n')
    expect(judge(none, [], goal)).toMatchObject({
      outcome: 'fail',
      reasons: ['no test was executed, by the last lines of its output (exit code 0)'],
    })
    expect(judge(none, [none], goal)).toMatchObject({ outcome: 'error', unloaded: 'no test was executed' })
  })

  test('that names nothing, so nothing is excused by it', () => {
    const red = closing(1, '1 failed, 2 passed in 0.10s\n')
    expect(judge(red, [closing(0, '3 passed in 0.10s\n')], guard)).toMatchObject({ outcome: 'fail', failing: [] })
    expect(judge(red, [red], guard)).toMatchObject({ outcome: 'error', needsPerson: true, excused: [] })
  })

  test('that a person has to look at where it contradicts exit code 0, unless it always does', () => {
    const odd = closing(0, '1 failed, 2 passed in 0.10s\n')
    expect(judge(odd, [closing(0, '3 passed in 0.10s\n')], guard)).toMatchObject({
      outcome: 'error',
      needsPerson: true,
      reasons: ['it ended with exit code 0 although the last lines of its output say that 1 test failed'],
    })
    expect(judge(odd, [odd], guard)).toMatchObject({ outcome: 'pass' })
  })

  test('by which fewer tests than on the base are for a person to look at, and more are not (L10, E-19)', () => {
    const [ten, nine] = [closing(0, '10 passed in 0.10s\n'), closing(0, '9 passed, 1 skipped in 0.10s\n')]
    const words = 'fewer tests ran than on the attempt base, by the last lines of its output: 10 there, '
    const held = (here: string) => ({ outcome: 'error', needsPerson: true, reasons: [words + here] })
    expect(judge(nine, [ten], guard)).toMatchObject(held('9 here'))
    expect(judge(closing(0, 'all is well\n'), [ten], goal)).toMatchObject(held('none reported here'))
    for (const base of [[nine], [ten], [closing(1, '1 failed, 20 passed in 0.10s\n')], []])
      expect(judge(ten, base, guard)).toMatchObject({ outcome: 'pass' })
  })

  test('that is not looked for where no tests are run, or where there is a report', () => {
    expect(judge(closing(0, '3 passed in 0.10s\n'), [], lint).counts).toBeNull()
    const both = end(0, report('passed a'), { output: '3 passed in 0.10s\n' })
    expect(judge(both, [], goal).counts).toEqual({ executed: 1, failed: 0, skipped: 0 })
  })

  test('with which a runner that was asked in vain has run its tests all the same', () => {
    const asked = end(1, null, { asked: true, output: '1 failed, 2 passed in 0.10s\n' })
    expect(judge(asked, [asked], goal)).toMatchObject({ outcome: 'fail', unloaded: null })
  })
})
