import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combine } from './combine.ts'
import { type CheckRules, judge } from './judge.ts'
import { type CheckEnd } from './check-end.ts'
import type { TestCase, TestReport } from '../domain/verdict/test-report.ts'

const status = fc.constantFrom('passed', 'failed', 'skipped')
const name = fc.constantFrom('a', 'b', 'c', 'c > d', 'c > e', 'f')
const message = fc.constantFrom('no 1', 'no 2', 'never')
const someTest = fc.oneof(
  fc.record({ name, status }),
  fc.record({ name, status: fc.constant('failed' as const), message }),
  fc.record({ name, status: fc.constant('failed' as const), message, kind: fc.constant('load' as const) }),
)
const tests: fc.Arbitrary<TestCase[]> = fc.uniqueArray(someTest, { selector: (test) => test.name })
const someReport = fc.oneof(
  tests.map((tests): TestReport => ({ tests })),
  fc.constant({ problem: 'x' }),
  fc.constant(null),
)
const exitCode = fc.oneof(fc.constantFrom(0, 1, 126, 127, 137, null), fc.integer())
const end: fc.Arbitrary<CheckEnd> = fc.record({
  exitCode: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: exitCode }),
  signal: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('SIGKILL') }),
  timedOut: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  report: someReport,
})
const base = fc.array(end, { maxLength: 2 })
const rules: fc.Arbitrary<CheckRules> = fc.record({ tests: fc.boolean(), kind: fc.constantFrom('goal', 'guard') })

function testsOf({ report }: CheckEnd): TestCase[] {
  return report !== null && 'tests' in report ? report.tests : []
}

function namesOf(end: CheckEnd, ...wanted: string[]): string[] {
  return testsOf(end)
    .filter(({ status }) => wanted.includes(status))
    .map(({ name }) => name)
}

describe('whatever ran and however it ended (S3.26, E-19, L17)', () => {
  test('a pass has no failure that the base does not have, and runs what the base ran', () => {
    fc.assert(
      fc.property(end, base, rules, (end, base, rules) => {
        const judged = judge(end, base, rules)
        fc.pre(judged.outcome === 'pass')
        const onBase = rules.kind === 'guard' ? base.flatMap((other) => namesOf(other, 'failed')) : []
        expect(onBase).toEqual(expect.arrayContaining(namesOf(end, 'failed')))
        expect([end.exitCode === 0, namesOf(end, 'failed').length > 0]).toContain(true)
        expect([end.timedOut, end.signal]).toEqual([false, null])
        expect([end.report]).not.toContainEqual({ problem: 'x' })
        if (!rules.tests) return
        expect(judged.counts?.executed).not.toBe(0)
        const passedBefore = base.flatMap((other) => namesOf(other, 'passed'))
        expect(namesOf(end, 'passed', 'failed')).toEqual(expect.arrayContaining(passedBefore))
      }),
      { numRuns: 500 },
    )
  })

  test('H-4 what is excused failed in the same way on a base where a test passed, and a suite that ran nowhere is no pass', () => {
    fc.assert(
      fc.property(end, base, rules, (end, base, rules) => {
        const judged = judge(end, base, rules)
        const said = (of: CheckEnd, wanted: string) =>
          testsOf(of)
            .filter(({ name }) => name === wanted)
            .map(({ message = '', kind }) => `${kind} ${message.replace(/\d/, '#')}`)
        for (const name of judged.excused) {
          expect(base.some((other) => namesOf(other, 'passed').length > 0)).toBe(true)
          expect(base.flatMap((other) => said(other, name))).toEqual(expect.arrayContaining(said(end, name)))
        }
        const ran = testsOf(end).some(({ status, kind }) => status !== 'skipped' && kind !== 'load')
        const nothing = rules.tests && judged.counts !== null && !ran
        expect([nothing, judged.outcome]).not.toEqual([true, 'pass'])
      }),
      { numRuns: 500 },
    )
  })

  test('everything but a pass says why, and every failed test is named or excused', () => {
    fc.assert(
      fc.property(end, base, rules, (end, base, rules) => {
        const judged = judge(end, base, rules)
        expect([judged.outcome === 'pass', judged.reasons.length > 0]).toContain(true)
        const told = [...judged.failing, ...judged.excused, ...judged.unclear]
        expect(told.toSorted()).toEqual(namesOf(end, 'failed').toSorted())
      }),
    )
  })

  test('neither the order of the tests nor that of the runs of the base matters', () => {
    const sorted = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, item: unknown) =>
        Array.isArray(item) ? item.map((one) => JSON.stringify(one)).toSorted() : item,
      )
    const turned = (end: CheckEnd): CheckEnd =>
      end.report === null || 'problem' in end.report
        ? end
        : { ...end, report: { tests: end.report.tests.toReversed() } }
    fc.assert(
      fc.property(end, base, rules, (end, base, rules) => {
        const other = judge(turned(end), base.toReversed().map(turned), rules)
        expect(sorted(other)).toEqual(sorted(judge(end, base, rules)))
      }),
    )
  })
})

describe('several runs of one tree (L29, E-33)', () => {
  const runs = fc.array(
    fc.tuple(end, base, rules).map(([end, base, rules]) => judge(end, base, rules)),
    { minLength: 1, maxLength: 5 },
  )

  test('one red among them is never a pass, and the order they ran in changes nothing about the outcome', () => {
    fc.assert(
      fc.property(runs, (runs) => {
        const combined = combine(runs)
        const other = combine(runs.toReversed())
        const outcomes = runs.map(({ outcome }) => outcome)
        expect(combined.outcome === 'pass').toBe(outcomes.includes('pass') && !outcomes.includes('fail'))
        expect([other.outcome, other.flaky, other.runAgain]).toEqual([
          combined.outcome,
          combined.flaky,
          combined.runAgain,
        ])
        expect(combined.firstRed).toBe(outcomes.includes('fail') ? outcomes.indexOf('fail') : null)
      }),
    )
  })
})
