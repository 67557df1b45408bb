/** Reports and output that real runners have left, for machines that do not have them. test/runners runs them. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseOutput } from './output.ts'
import { merged, parseReport, parseReports, type ReportFormat } from './report.ts'
import type { TestCase } from '../../domain/verdict/test-report.ts'

const root = '/checkout'
const recorded = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url))

function testsOf(name: string, format: ReportFormat): TestCase[] {
  const report = parseReport(recorded(name), { root, format })
  if ('problem' in report) throw new Error(report.problem)
  return report.tests
}

const lines = (tests: readonly TestCase[]): string[] => tests.map(({ status, name }) => `${status} ${name}`)
const placeOf = (tests: readonly TestCase[], name: string) => {
  const { file, line, kind } = tests.find((each) => each.name.endsWith(name)) ?? {}
  return [file, line, kind]
}

test('go test -json: packages, subtests, what could not be built, and a panic', () => {
  const tests = testsOf('go.jsonl', 'go')
  expect(lines(tests)).toEqual([
    'passed example.org/tally > TestAdds',
    'failed example.org/tally > TestWrong',
    'skipped example.org/tally > TestLater',
    'failed example.org/tally > TestTable',
    'passed example.org/tally > TestTable/one',
    'failed example.org/tally > TestTable/two_words',
    'passed example.org/tally > ExampleAdd',
    'passed example.org/tally/panics > TestOk',
    'failed example.org/tally/panics > TestPanics',
    'passed example.org/tally/sub > TestSub',
    'failed example.org/tally/broken',
  ])
  expect(placeOf(tests, 'TestWrong')).toEqual(['tally_test.go', 11, undefined])
  expect(placeOf(tests, 'TestPanics')).toEqual(['panics/panics_test.go', 4, undefined])
  expect(placeOf(tests, 'broken')).toEqual(['broken/broken_test.go', 3, 'load'])
})

test('go test -v behind something else: the same, out of what it printed', () => {
  const printed = recorded('go.txt')
  const report = parseOutput(printed, { root })
  if (report === null || 'problem' in report) throw new Error('it names its tests')
  expect(lines(report.tests)).toEqual([
    'failed example.org/tally/broken',
    'passed example.org/tally/panics > TestOk',
    'failed example.org/tally/panics > TestPanics',
    'passed example.org/tally/sub > TestAdds',
    'passed example.org/tally/sub > TestAdds/one_part',
    'failed example.org/tally/sub > TestIsWrong',
    'skipped example.org/tally/sub > TestIsSkipped',
  ])
  expect(placeOf(report.tests, 'broken')).toEqual(['broken/broken_test.go', 5, 'load'])
  expect(placeOf(report.tests, 'TestIsWrong')).toEqual(['tally_test.go', 10, undefined])
  // A line that a test did not end hides the end of the test; a run that broke off has no end.
  const text = printed.toString()
  const green = text.slice(text.indexOf('=== RUN   TestAdds'), text.indexOf('=== RUN   TestIsWrong'))
  const end = 'ok  \texample.org/tally/sub\t0.005s\n'
  const read = (output: string) => parseOutput(new TextEncoder().encode(output), { root })
  expect(read(green + end)).toMatchObject({ tests: [{ status: 'passed' }, { status: 'passed' }] })
  expect(read(green.replace('--- PASS: TestAdds (', 'x--- PASS: TestAdds (') + end)).toBeNull()
  expect(read(`${green + end}=== RUN   TestMore\n`)).toBeNull()
})

test('cargo test: targets, documentation, and nothing that a test has printed', () => {
  const tests = testsOf('cargo.txt', 'cargo')
  expect(lines(tests)).toEqual([
    'skipped tally (src/lib.rs) > tests::later',
    'passed tally (src/lib.rs) > tests::adds',
    'failed tally (src/lib.rs) > tests::wrong',
    'passed tally (src/lib.rs) > tests::panics',
    'passed whole (tests/whole.rs) > whole',
    'passed tally (doc tests) > src/lib.rs - add',
  ])
  expect(placeOf(tests, 'wrong')).toEqual(['src/lib.rs', 16, undefined])
})

test('cargo test, which gives up after the first program that failed, says so', () => {
  const text = recorded('cargo.txt').toString()
  const given = text.slice(0, text.indexOf('     Running tests/whole.rs'))
  expect(parseReport(text, { root, format: 'cargo' })).not.toHaveProperty('stopped')
  expect(parseReport(given, { root, format: 'cargo' })).toMatchObject({ stopped: true, tests: { length: 4 } })
})

test('automake: folders, expected failures, hard errors', () => {
  expect(lines(testsOf('automake.txt', 'automake'))).toEqual([
    'passed sub/inner.sh',
    'passed passes.sh',
    'failed fails.sh',
    'skipped skips.sh',
    'passed expected.sh',
    'failed hard.sh',
  ])
})

test('tape: a test is what a comment names, and the worst of its assertions counts', () => {
  const tests = testsOf('tape.tap', 'tap')
  expect(lines(tests)).toEqual(['passed adds', 'failed is wrong', 'skipped to do', 'skipped empty', 'passed same'])
  expect(placeOf(tests, 'is wrong')).toEqual(['a.test.js', 4, undefined])
})

test('node-tap: assertions are no tests, and a file that cannot be loaded is one that failed', () => {
  const tests = testsOf('tap.tap', 'tap')
  expect(lines(tests)).toEqual([
    'passed test/a.test.js > adds',
    'failed test/a.test.js > is wrong',
    'skipped test/a.test.js > is skipped',
    'skipped test/a.test.js > to do',
    'passed test/a.test.js > suite > inner',
    'failed test/unread.test.js',
  ])
  expect(placeOf(tests, 'is wrong')).toEqual(['test/a.test.js', 4, undefined])
  expect(placeOf(tests, 'unread.test.js')[2]).toBe('load')
})

test('unittest: parts of a test are one, and setup that fails is told from a test', () => {
  const tests = testsOf('unittest.jsonl', 'lines')
  expect(lines(tests)).toEqual([
    'failed setUpClass (tests.test_tally.Broken)',
    'passed tests/test_tally.py > TallyTest > test_adds',
    'passed tests/test_tally.py > TallyTest > test_expected',
    'skipped tests/test_tally.py > TallyTest > test_later',
    'failed tests/test_tally.py > TallyTest > test_parts',
    'failed tests/test_tally.py > TallyTest > test_raises',
    'failed tests/test_tally.py > TallyTest > test_surprise',
    'failed tests/test_tally.py > TallyTest > test_wrong',
    'failed tests.test_unread',
  ])
  expect(placeOf(tests, 'test_wrong')).toEqual(['tests/test_tally.py', 10, undefined])
  expect(placeOf(tests, 'test_unread')[2]).toBe('load')
})

test.each([
  [
    'ctest.xml',
    ['passed passes', 'failed fails.hard', 'skipped skips', 'failed missing', 'skipped off'],
    ['fails.hard', 'tally.c', 7],
  ],
  [
    'meson.xml',
    [
      'passed tally > passes',
      'failed tally > fails',
      'skipped tally > skips',
      'passed tally > expected',
      'passed tally.points > 1 - a',
      'failed tally.points > 2 - b',
    ],
    ['fails', 'tally.c', 7],
  ],
  [
    'bun.xml',
    [
      'passed a.test.ts > adds',
      'failed a.test.ts > is wrong',
      'skipped a.test.ts > is skipped',
      'skipped a.test.ts > to do',
      'passed a.test.ts > suite > inner',
    ],
    ['is wrong', 'a.test.ts', 4],
  ],
  [
    'deno.xml',
    [
      'passed a_test.ts > adds',
      'failed a_test.ts > is wrong',
      'skipped a_test.ts > is skipped',
      'passed a_test.ts > steps',
      'passed a_test.ts > steps > one',
    ],
    ['is wrong', 'a_test.ts', 3],
  ],
  [
    'surefire.xml',
    [
      'passed org.example.TallyTest > adds',
      'skipped org.example.TallyTest > isSkipped',
      'failed org.example.TallyTest > isWrong',
    ],
    ['isWrong', 'TallyTest.java', 11],
  ],
] as const)('JUnit XML of %s', (name, expected, [wrong, file, line]) => {
  const tests = testsOf(name, 'junit')
  expect(lines(tests)).toEqual(expected)
  expect(placeOf(tests, wrong)).toEqual([file, line, undefined])
})

test('phpunit: data sets, errors, and what is incomplete', () => {
  const tests = testsOf('phpunit.xml', 'junit')
  expect(lines(tests).map((line) => line.replace('tests/TallyTest.php > tests > TallyTest > ', ''))).toEqual([
    'passed testAdds',
    'failed testWrong',
    'failed testRaises',
    'skipped testLater',
    'skipped testUnfinished',
    'passed TallyTest::testPairs > TallyTest > testPairs with data set "one"',
    'failed TallyTest::testPairs > TallyTest > testPairs with data set "two"',
  ])
  expect(placeOf(tests, 'testWrong')).toEqual(['tests/TallyTest.php', 9, undefined])
})

describe('of what is cut off, no part is read as the whole', () => {
  test.each([
    ['go.jsonl', 'go'],
    ['unittest.jsonl', 'lines'],
  ] as const)('%s', (name, format) => {
    const whole = recorded(name)
    const parts = Array.from({ length: 20 }, (_, part) => whole.subarray(0, Math.floor((whole.length * part) / 20)))
    const counts = parts
      .map((part) => parseReport(part, { root, format }))
      .map((read) => ('tests' in read ? read.tests : []))
    // Whole packages may be missing at the end; then go has not ended well either.
    expect(counts.every((tests) => tests.length < testsOf(name, format).length)).toBe(true)
    expect(format === 'lines' ? counts.flat() : []).toEqual([])
  })
})

describe('a report out of what was printed', () => {
  const printed = (text: string) => parseOutput(Buffer.from(text), { root })

  test('is found among other words, several in a row, in colour', () => {
    const tap = (name: string): string =>
      `> npm run ${name}\nTAP version 13\n\u001b[32mok 1 - ${name}\u001b[39m\n1..1\n`
    expect(printed(tap('a') + tap('b'))).toMatchObject({ tests: [{ name: 'a' }, { name: 'b' }] })
    expect(parseOutput(recorded('cargo.txt'), { root })).toMatchObject({ tests: expect.any(Array) as unknown })
    expect(parseOutput(recorded('automake.txt'), { root })).toMatchObject({ tests: expect.any(Array) as unknown })
  })

  test('is none where nothing names tests, or where the numbers do not fit', () => {
    expect(printed('all good\n')).toBeNull()
    expect(printed('1..1\nok 1 - looks like it\n')).toBeNull()
    const forged = recorded('cargo.txt').toString().replace('test tests::adds ... ok', 'test tests::adds ... o k')
    expect(printed(forged)).toBeNull()
    expect(printed(`${recorded('automake.txt').toString()}PASS: one-more\n`)).toBeNull()
    expect(printed(`TAP version 13\nok 1\n… 12 bytes left out …\n1..1\n`)).toBeNull()
  })

  test('that breaks off is a problem where the runner is known to print it, and nothing anywhere else', () => {
    const text = Buffer.from('TAP version 13\nok 1 - a\n')
    expect(parseOutput(text, { root, format: 'tap' })).toMatchObject({
      problem: expect.stringContaining('no plan') as string,
    })
    expect(parseOutput(text, { root })).toBeNull()
  })
})

test('parts are one report, and tests of one name in two of them are told apart', () => {
  const part = (status: string): string => `{"file":"a.py","path":["x"],"status":"${status}"}\n{"end":1}\n`
  const report = parseReports([part('failed'), part('passed')], { root, format: 'lines' })
  expect(report).toMatchObject({ tests: [{ name: 'a.py > x #2', status: 'failed' }, { name: 'a.py > x' }] })
  const one = parseReport(part('passed'), { root, format: 'lines' })
  if ('problem' in one) throw new Error(one.problem)
  expect(merged([one, structuredClone(one)], false).tests.map(({ name }) => name)).toEqual(['a.py > x', 'a.py > x #2'])
})

test('TAP: a level between others gets what lies below it', () => {
  const text =
    'TAP version 14\n# Subtest: f\n    # Subtest: a\n        ok 1 - same\n        1..1\n    ok 1 - a\n    1..1\nok 1 - f\n1..1\n'
  const report = parseReport(text, { root, format: 'tap' })
  expect(report).toEqual({ tests: [{ name: 'f > a', status: 'passed' }] })
})
