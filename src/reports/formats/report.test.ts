/** Recordings of real runners in `fixtures/` (their folder written as /checkout), and everything a report should not be. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reportBytesMax, reportDepthMax, reportTestsMax } from '../../domain/limits.ts'
import { parseReport, type ReportFormat, REPORT_FORMATS } from './report.ts'
import type { TestCase } from '../../domain/verdict/test-report.ts'

const root = '/checkout'

function recorded(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', name))
}

function testsOf(text: string | Uint8Array, format?: ReportFormat): TestCase[] {
  const report = parseReport(text, { root, format })
  if ('problem' in report) throw new Error(report.problem)
  return report.tests
}

function lines(text: string | Uint8Array): string[] {
  return testsOf(text).map(({ status, name }) => `${status} ${name}`)
}

function problem(text: string | Uint8Array, format?: ReportFormat): string {
  const report = parseReport(text, { root, format })
  return 'problem' in report ? report.problem : `none: ${report.tests.length} tests`
}

describe('recordings of real runners (S1.14, L10)', () => {
  test('node:test as JUnit XML: files, suites, hooks, what is still to do, files that cannot be loaded', () => {
    expect(lines(recorded('node.xml'))).toEqual([
      'passed test/a.test.js > adds # really',
      'passed test/a.test.js > same name',
      'failed test/a.test.js > fails <here> & &quot;there&quot;',
      'skipped test/a.test.js > skipped one',
      'skipped test/a.test.js > todo one',
      'passed test/a.test.js > suite > inner',
      'passed test/a.test.js > suite > deep > inner',
      'passed test/a.test.js > parent > child',
      'failed test/a.test.js > hooked > never',
      'skipped test/a.test.js > skipped suite',
      'passed test/b.test.js > same name',
      'failed test/c.test.js',
    ])
    expect(testsOf(recorded('node.xml'))[2]).toMatchObject({
      file: 'test/a.test.js',
      line: 5,
      message: expect.stringContaining('at TestContext.<anonymous> (test/a.test.js:5:47)') as string,
    })
  })

  test('node:test of Node 20, which does not say the file: the same name twice stays two tests', () => {
    const found = lines(recorded('node20.xml'))
    expect(found).toContain('passed same name')
    expect(found).toContain('passed same name #2')
    expect(found).toContain('failed test/c.test.js')
  })

  test('node:test as TAP: suites count only when they fail by themselves', () => {
    expect(lines(recorded('node.tap'))).toEqual([
      'passed adds # really',
      'passed same name',
      'failed fails <here> & "there"',
      'skipped skipped one',
      'skipped todo one',
      'passed suite > inner',
      'passed suite > deep > inner',
      'passed parent > child',
      'failed parent',
      'failed hooked > never',
      'skipped skipped suite',
      'passed same name #2',
      'failed test/c.test.js',
    ])
    expect(testsOf(recorded('node.tap'))[2]).toMatchObject({ file: 'test/a.test.js', line: 5 })
  })

  const vitest = [
    'passed src/a.test.ts > same name',
    'failed src/a.test.ts > fails <here> & "there"',
    'skipped src/a.test.ts > skipped',
    'skipped src/a.test.ts > todo',
    'passed src/a.test.ts > expected to fail',
    'passed src/a.test.ts > suite > inner',
    'passed src/a.test.ts > suite > deep > inner',
    'passed src/a.test.ts > suite > deep > inner #2',
    'skipped src/a.test.ts > hooked > never',
    'skipped src/a.test.ts > skipped suite > x',
    'passed src/a.test.ts > flaky',
    'passed src/b.test.ts > same name',
    'failed src/c.test.ts',
    'failed src/d.test.ts',
  ]

  test('vitest: JSON, JUnit XML and TAP give the same names', () => {
    expect(lines(recorded('vitest.json'))).toEqual(vitest)
    // Only these two know of a suite's failed hook.
    const withHook = [...vitest, 'failed src/a.test.ts > hooked'].toSorted()
    expect(lines(recorded('vitest.xml')).toSorted()).toEqual(withHook)
    expect(lines(recorded('vitest.tap')).toSorted()).toEqual(withHook)
  })

  test('vitest: where it failed and what it said', () => {
    for (const name of ['vitest.json', 'vitest.xml', 'vitest.tap']) {
      const failed = testsOf(recorded(name)).find((found) => found.name.includes('fails'))
      expect(failed, name).toMatchObject({ file: 'src/a.test.ts', line: 3 })
      expect(failed?.message, name).toContain('expected { a: 1 } to deeply equal { a: 2 }')
    }
  })

  test('jest', () => {
    expect(lines(recorded('jest.json'))).toEqual([
      'passed __tests__/a.test.js > same name',
      'failed __tests__/a.test.js > fails',
      'skipped __tests__/a.test.js > skipped',
      'skipped __tests__/a.test.js > todo',
      'passed __tests__/a.test.js > expected',
      'passed __tests__/a.test.js > suite > inner',
      'passed __tests__/a.test.js > suite > deep > inner',
      'failed __tests__/a.test.js > hooked > never',
      'passed __tests__/b.test.js > same name',
      'failed __tests__/c.test.js',
      'failed __tests__/d.test.js',
    ])
    expect(testsOf(recorded('jest.json'))[1]).toMatchObject({ file: '__tests__/a.test.js', line: 2 })
  })

  test('H-4 a file that could not be loaded is told from a test that failed, and says why where the runner does', () => {
    const unread = (name: string) => testsOf(recorded(name)).filter(({ kind }) => kind === 'load')
    for (const [name, ...files] of [
      ['node.xml', 'test/c.test.js'],
      ['node20.xml', 'test/c.test.js'],
      ['node.tap', 'test/c.test.js'],
      ['vitest.json', 'src/c.test.ts', 'src/d.test.ts'],
      ['vitest.xml', 'src/c.test.ts', 'src/d.test.ts'],
      ['vitest.tap', 'src/c.test.ts', 'src/d.test.ts'],
      ['jest.json', '__tests__/c.test.js', '__tests__/d.test.js'],
      ['pytest.xml', 'tests/test_c.py'],
      ['pytest-xunit2.xml', 'pytest > tests.test_c'],
    ] as const) {
      expect(
        unread(name).map((test) => test.name),
        name,
      ).toEqual(files)
      expect(
        unread(name).every(({ message = '' }) => message !== ''),
        name,
      ).toBe(true)
    }
  })

  test('mocha: a failed hook is its file that failed', () => {
    expect(lines(recorded('mocha.json'))).toEqual([
      'passed mtest/a.js > same name',
      'passed mtest/b.js > same name',
      'passed mtest/a.js > suite inner',
      'passed mtest/a.js > suite deep inner',
      'skipped mtest/a.js > skipped',
      'skipped mtest/a.js > pending',
      'failed mtest/a.js > fails',
      'failed mtest/a.js',
    ])
  })

  test('pytest: modules, classes and parameters; a body and its teardown are one test; a module that cannot be imported', () => {
    expect(lines(recorded('pytest.xml'))).toEqual([
      'failed tests/test_c.py',
      'passed tests/test_a.py > test_same',
      'failed tests/test_a.py > test_fails',
      'skipped tests/test_a.py > test_skipped',
      'skipped tests/test_a.py > test_xfail',
      'passed tests/test_a.py > test_xpass',
      'failed tests/test_a.py > test_xpass_strict',
      'passed tests/test_a.py > test_p[1]',
      'passed tests/test_a.py > test_p[a b]',
      'passed tests/test_a.py > test_p[\\x1b[31m]',
      'passed tests/test_a.py > TestC > test_same',
      'failed tests/test_a.py > test_pass_teardown',
      'failed tests/test_a.py > test_fail_teardown',
      'failed tests/test_a.py > test_setup',
      'passed tests/test_b.py > test_same',
    ])
    expect(lines(recorded('pytest-xunit2.xml'))).toEqual(['failed pytest > tests.test_c'])
    expect(testsOf(recorded('pytest.xml'))[2]).toMatchObject({ file: 'tests/test_a.py', line: 3 })
  })

  test.each(['node.xml', 'vitest.xml', 'pytest.xml', 'vitest.json', 'jest.json', 'mocha.json', 'node.tap'])(
    'of %s no part is read as the whole',
    (name) => {
      const whole = recorded(name)
      // What follows the plan of node's TAP are comments.
      const end = name === 'node.tap' ? whole.indexOf('\n1..') : whole.length
      const parts = Array.from({ length: 20 }, (_, part) => whole.subarray(0, Math.floor((end * part) / 20)))
      expect(parts.map((part) => problem(part)).filter((why) => why.startsWith('none:'))).toEqual([])
    },
  )
})

describe('names, by which runs are compared (E-19, L17)', () => {
  test('do not depend on the folder the tests ran in, in whichever form it is written', () => {
    const junit = (folder: string): string =>
      `<testsuites><testcase name="reads ${folder}/a.txt" file="${folder}/test/a.js"><failure>at file://${folder}/test/a.js:3:1 and ${folder}</failure></testcase></testsuites>`
    const one = parseReport(junit('/tmp/w-1'), { root: '/tmp/w-1' })
    expect(parseReport(junit('/tmp/w-2'), { root: '/tmp/w-2/' })).toEqual(one)
    expect(one).toEqual({
      tests: [
        {
          name: 'test/a.js > reads a.txt',
          status: 'failed',
          file: 'test/a.js',
          line: 3,
          message: 'at test/a.js:3:1 and .',
        },
      ],
    })
  })

  test('another folder that begins alike is not taken for the root', () => {
    const xml = '<testsuite><testcase name="/checkout2/a /srv/checkout/b /checkout/c"/></testsuite>'
    expect(lines(xml)).toEqual(['passed /checkout2/a /srv/checkout/b c'])
  })

  test('a repeated name is numbered, passed first, whatever the order and whatever else is called so', () => {
    const cases = ['<testcase name="x"/>', '<testcase name="x"><failure/></testcase>', '<testcase name="x #2"/>']
    const expected = ['failed x #3', 'passed x', 'passed x #2']
    for (const order of [cases, cases.toReversed()]) {
      expect(lines(`<testsuite>${order.join('')}</testsuite>`).toSorted()).toEqual(expected)
    }
  })

  test('escapes, controls and line breaks are gone; a name that is too long keeps both ends', () => {
    const ansi = JSON.stringify({
      testResults: [
        {
          name: '/checkout/a.js',
          status: 'failed',
          assertionResults: [
            {
              title: '\u001b[31mred\u001b[0m\n\u202eevil',
              status: 'failed',
              failureMessages: ['\u001b]0;title\u0007\u001b[2Jboom'],
            },
            { title: `${'x'.repeat(5000)}end`, status: 'passed' },
          ],
        },
      ],
    })
    const [first, second] = testsOf(ansi)
    expect(first).toMatchObject({ name: 'a.js > red evil', message: 'boom' })
    expect(second?.name).toMatch(/^a\.js > xxx.*xend$/)
    expect(second?.name.length).toBeLessThanOrEqual(500)
  })

  test('an absolute file outside of the project, or an installed one, is no file to point at', () => {
    const xml =
      '<testsuite><testcase name="a" file="/etc/passwd" line="1"/><testcase name="b" file="node_modules/x/y.js"/></testsuite>'
    expect(testsOf(xml).map(({ file }) => file)).toEqual([undefined, undefined])
  })
})

describe('JUnit XML', () => {
  test('the worst reading counts: a failure outside of a test, a status in words, an error beside a skip', () => {
    expect(
      lines(`<testsuites><testsuite name="s"><error message="setup"/>
        <testcase name="a" status="failed"/><testcase name="b" status="notrun"/><testcase name="c" result="suppressed"/>
        <testcase name="d"><skipped/><error>boom</error></testcase></testsuite></testsuites>`),
    ).toEqual(['failed s', 'failed s > a', 'skipped s > b', 'skipped s > c', 'failed s > d'])
  })

  test('a file without any test, which node:test reports as a test that passed, is none', () => {
    expect(
      lines('<testsuites><testcase name="a.test.js" classname="test" file="/checkout/x/a.test.js"/></testsuites>'),
    ).toEqual([])
    expect(lines('<testsuites><testcase name="/checkout/a.test.js" classname="test"/></testsuites>')).toEqual([])
    expect(lines('TAP version 13\nok 1 - a.test.js\n  ---\n  duration_ms: 1\n  ...\n1..1\n')).toEqual([])
  })

  test('colours that a runner left in its XML do not make it unreadable', () => {
    const xml =
      '<testsuite><testcase name="a"><failure message="&#27;[31mred&#x1B;[0m">\u001b[1mbold\u001b[22m \u0000</failure></testcase></testsuite>'
    expect(testsOf(xml)[0]?.message).toBe('red\nbold')
  })

  test('entities never expand', () => {
    const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`
    expect(problem(laughs)).toContain('undefined entity')
    expect(problem('<!DOCTYPE l SYSTEM "file:///etc/passwd"><testsuite><testcase name="&x;"/></testsuite>')).toContain(
      'entity',
    )
  })

  test.each([
    ['<testsuite tests="3" failures="0"/>', 'it says it has 3 tests and has none'],
    ['<testsuite tests="1" failures="1"><testcase name="a"/></testsuite>', 'it says 1 failed and shows none that did'],
    ['<testsuite tests="-1"/>', 'its tests are "-1"'],
    ['<testsuite failures="1e9"/>', 'its failures are "1e9"'],
    ['<html><body/></html>', 'it is XML, but starts with <html>'],
    ['<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>', 'it has a testcase inside a test'],
    ['<testsuite><testcase name="a"><testsuite/></testcase></testsuite>', 'it has a testsuite inside a test'],
    ['<testsuite><testcase name="a" name="b"/></testsuite>', 'malformed'],
    ['<testsuite/><testsuite/>', 'malformed'],
    ['<testsuite>'.repeat(reportDepthMax + 1), 'nested deeper than'],
    ['<x>'.repeat(1_000_000), 'starts with <x>'],
  ])('%.60s is refused', (xml, why) => {
    expect(problem(xml)).toContain(why)
  })
})

describe('TAP', () => {
  test('13 and 14: without descriptions, with directives, with words between the lines', () => {
    expect(
      lines(
        '> npm test\nTAP version 14\n1..6\nok\nok 2\nnot ok 3 - c # TODO later\nok 4 d # skip\nnot ok 5 - e\nhello\nok 6 - issue \\#6 # time=1ms\n',
      ),
    ).toEqual(['passed test', 'passed test 2', 'skipped c', 'skipped d', 'failed e', 'passed issue #6'])
  })

  test('a diagnostic may contain what looks like points', () => {
    expect(lines('1..1\nnot ok 1 - a\n  ---\n  actual: "\nok 2 - forged\n}\n1..2\n"\n  ...\n')).toEqual(['failed a'])
  })

  test.each([
    ['TAP version 13\nok 1 - a\n', 'no plan'],
    ['1..2\nok 1 - a\n', 'plans 2 tests but has 1'],
    ['1..1\nok 1 - a\nok 2 - b\n', 'plans 1 tests but has 2'],
    ['1..2\nok 1\nBail out! no database\n', 'aborted: Bail out! no database'],
    ['1..1\nok 1 - a\n  ---\n  x: 1\n', 'middle of a diagnostic'],
    ['1..1\nok 1 - a {\n    ok 1 - b\n', 'middle of a suite'],
    ['1..0\n    ok 1 - b\n1..0\nok\n', 'plans 0'],
    [
      Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}ok 1 - x`).join('\n') + '\n1..1',
      'nested deeper than',
    ],
  ])('%j is refused', (tap, why) => {
    expect(problem(tap, 'tap')).toContain(why)
  })
})

describe('JSON', () => {
  test.each([
    ['{"testResults":{}}', 'not from jest'],
    ['{"stats":{}}', 'not from jest'],
    ['{"testResults":[1]}', 'not a list of objects'],
    ['{"testResults":[{"assertionResults":[{"title":"a","status":"fine"}]}]}', 'did not pass, fail or skip'],
    ['{"testResults":[],"numTotalTests":3}', 'says it has 3 tests and has none'],
    ['{"testResults":[{"assertionResults":[{"title":"a","status":"passed"}]}],"numFailedTests":2}', 'says 2 failed'],
    ['{"testResults":[],"numFailedTests":-2}', 'one of its counts is -2'],
    ['{"stats":{"failures":1},"passes":[],"failures":[]}', 'says 1 failed'],
    ['[]', 'not JUnit XML'],
    ['{"testResults":[', 'malformed or cut off'],
    [`{"testResults":${'['.repeat(100_000)}`, 'malformed or cut off'],
    [`{"testResults":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'not a list of objects'],
  ])('%.60s is refused', (json, why) => {
    expect(problem(json)).toContain(why)
  })
})

describe('anything else that is written there (E-19)', () => {
  test('a report of no tests is one', () => {
    expect(lines('<testsuites/>')).toEqual([])
    expect(lines('{"testResults":[]}')).toEqual([])
    expect(lines('TAP version 13\n1..0 # SKIP nothing\n')).toEqual([])
  })

  test('bytes that are not UTF-8 are replaced; a byte order mark is no text', () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff<testsuite><testcase name="a'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"/></testsuite>'),
    ])
    expect(lines(bytes)).toEqual(['passed a\ufffd\ufffd'])
  })

  test('too large is refused before it is read, too many tests while it is', () => {
    expect(problem(new Uint8Array(reportBytesMax + 1))).toBe('it has 33 MiB; the limit is 32')
    expect(problem('ok\n'.repeat(reportTestsMax + 1), 'tap')).toBe(`it has more than ${reportTestsMax} tests`)
  })

  test('nothing is empty, and empty is no report', () => {
    for (const text of ['', ' \n', '\ufeff']) expect(problem(text)).toBe('it is empty')
    expect(problem('hello')).toContain('not JUnit XML')
  })

  test('never throws, whatever the text and whatever it is said to be', () => {
    const words =
      '<testsuite> </testsuite> <testcase> </testcase> <failure/> & <![CDATA[ ]]> { } [ " ok not 1..2 - --- ... # SKIP "testResults": stats'
    const pieces = fc.constantFrom(...words.split(' '), ' ', '    ', '\n', '\u001b[', '\ud800')
    const text = fc.oneof(
      fc.string(),
      fc.uint8Array(),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.json(),
    )
    const format = fc.option(fc.constantFrom(...REPORT_FORMATS), { nil: undefined })
    fc.assert(
      fc.property(text, format, fc.string(), (text, format, root) => {
        const report = parseReport(text, { format, root })
        const names = 'problem' in report ? [report.problem] : report.tests.map(({ name }) => name)
        expect(names).not.toContain('')
        expect(new Set(names).size).toBe(names.length)
      }),
      { numRuns: 200 },
    )
  })
})
