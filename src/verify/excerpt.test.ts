import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { excerptCharsMax } from '../domain/limits.ts'
import { type ExcerptOf, findingsOf } from './excerpt.ts'
import type { Judgement } from './judge.ts'
import { errorsIn } from './log-errors.ts'
import type { TestCase } from '../domain/verdict/test-report.ts'
import { cleaner } from '../reports/text.ts'

const root = '/tmp/checkout-1'
const red: Judgement = {
  outcome: 'fail',
  needsPerson: false,
  counts: null,
  failing: [],
  excused: [],
  unclear: [],
  unloaded: null,
  lost: [],
  vacuous: false,
  reasons: ['it ended with exit code 1'],
}

function findings(
  of: Partial<Omit<ExcerptOf, 'judgement'>> & { judgement?: Partial<Judgement> & { flaky?: string[] } },
) {
  const judgement = { ...red, ...of.judgement }
  return findingsOf({ command: 'npm test', report: null, log: '', root, ...of, judgement })
}

function errors(log: string): string[] {
  return errorsIn(cleaner(root)(log)).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

describe('errors of a log, as the tools print them (S1.14)', () => {
  test.each([
    [
      'tsc',
      `${root}/src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.`,
      ["src/a.ts:1 error TS2322: Type 'string' is not assignable to type 'number'."],
    ],
    [
      'tsc, in colour',
      "\u001b[96msrc/a.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType\n\n\u001b[7m1\u001b[0m const x = 'a'\nFound 1 error in src/a.ts:1",
      ['src/a.ts:1 error TS2322: Type'],
    ],
    [
      'eslint',
      `${root}/src/a.ts\n  1:7  error    'x' is never used  no-unused-vars\n  2:5  warning  Unexpected console  no-console\n\n✖ 2 problems`,
      ["src/a.ts:1 'x' is never used  no-unused-vars"],
    ],
    [
      'eslint, unix',
      `${root}/src/a.ts:3:1: Unexpected debugger [Error/no-debugger]`,
      ['src/a.ts:3 Unexpected debugger [Error/no-debugger]'],
    ],
    [
      'oxlint',
      '  x eslint(no-debugger): `debugger` is not allowed\n   ,-[src/a.ts:3:1]\n 3 | debugger\n   : ^^^^^^^^\n   `----\n  ! eslint(no-console): Unexpected\n   ,-[src/b.ts:1:1]',
      ['src/a.ts:3 x eslint(no-debugger): `debugger` is not allowed'],
    ],
    [
      'go',
      '# example.com/x\n./a.go:3:5: undefined: y\nvet: ./b.go:7:2: unreachable code\n--- FAIL: TestAdd (0.00s)\n    add_test.go:12: got 3, want 4\nFAIL',
      ['a.go:3 undefined: y', 'b.go:7 unreachable code', 'add_test.go:12 got 3, want 4'],
    ],
    [
      'rustc',
      'warning: unused variable: `x`\n --> src/lib.rs:2:18\n\nerror[E0308]: mismatched types\n --> src/lib.rs:5:17\n  |\n5 | fn f() -> i32 { "a" }\n',
      ['src/lib.rs:5 error[E0308]: mismatched types'],
    ],
    [
      'cargo test',
      "thread 'fails' (15180) panicked at src/lib.rs:2:30:\ncalled `Option::unwrap()` on a `None` value\n             at /rustc/59807/library/std/src/panicking.rs:689:5\n",
      ['src/lib.rs:2 called `Option::unwrap()` on a `None` value'],
    ],
    [
      'gcc',
      'b.c: In function ‘main’:\nb.c:1:27: error: ‘x’ undeclared\n    1 | int main(){ return x; }\nb.c:1:27: note: each undeclared\nb.c:2:17: warning: unused variable',
      ['b.c:1 error: ‘x’ undeclared'],
    ],
    [
      'pytest',
      "    def test_a():\n>       assert {'a': 1} == {'a': 2}\nE       AssertionError: assert {'a': 1} == {'a': 2}\nE         \nE         Use -v\n\ntests/test_a.py:3: AssertionError\n",
      ["tests/test_a.py:3 AssertionError: assert {'a': 1} == {'a': 2}"],
    ],
    [
      'pytest that cannot import',
      "/usr/lib/python3.11/importlib/__init__.py:126: in import_module\n    return _bootstrap\ntests/test_c.py:1: in <module>\n    import absent\nE   ModuleNotFoundError: No module named 'absent'\n",
      ["tests/test_c.py:1 ModuleNotFoundError: No module named 'absent'"],
    ],
    [
      'Python',
      `Traceback (most recent call last):\n  File "${root}/t.py", line 5, in <module>\n    f()\n  File "${root}/t.py", line 4, in g\n    raise ValueError("bad")\n  File "/usr/lib/python3/json.py", line 9, in x\nValueError: bad\n`,
      ['t.py:4 ValueError: bad'],
    ],
    [
      'Node',
      `node:fs:573\n  return binding.open(\n                 ^\n\nError: ENOENT: no such file\n    at Object.openSync (node:fs:573:18)\n    at g (${root}/node_modules/x/i.js:1:1)\n    at f (file://${root}/src/t.mjs:2:15)\n    at file://${root}/src/t.mjs:3:1\n`,
      ['src/t.mjs:2 Error: ENOENT: no such file'],
    ],
    [
      'Node, syntax',
      `file://${root}/s.mjs:1\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at compileSourceTextModule (node:internal/modules/esm/utils:317:16)\n`,
      ["s.mjs:1 SyntaxError: Unexpected token ';'"],
    ],
    [
      'vitest',
      ' FAIL  src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n\n- Expected\n+ Received\n\n ❯ src/a.test.ts:3:57\n      1| import\n ❯ node_modules/x/y.js:1:1\n',
      ['src/a.test.ts:3 AssertionError: expected 1 to be 2'],
    ],
    [
      'jest',
      '  ● adds\n\n    expect(received).toBe(expected)\n\n    > 2 | test()\n        |    ^\n      at Object.toBe (__tests__/a.test.js:2:40)\n',
      ['__tests__/a.test.js:2 ● adds'],
    ],
    [
      'a host and a time',
      'Error: connect ECONNREFUSED\nGET example.com:443 at 12.30:45 http://127.0.0.1:8080/a.js:3',
      [],
    ],
  ])('%s', (_, log, expected) => {
    expect(errors(log)).toEqual(expected)
  })
})

describe('findings (S1.12, S1.14, S3.29)', () => {
  const test1: TestCase = {
    name: 'a.ts > adds',
    status: 'failed',
    message: 'expected 1 to be 2',
    file: 'a.ts',
    line: 3,
  }
  const report = { tests: [test1, { name: 'a.ts > old', status: 'failed' as const }] }

  test('failing tests with what they said and where, how to see it again, and nothing of what is excused as FAIL', () => {
    expect(
      findings({ report, log: 'a.ts:9: noise', judgement: { failing: ['a.ts > adds'], excused: ['a.ts > old'] } }),
    ).toEqual([
      { severity: 'FAIL', message: 'it ended with exit code 1.\nTo reproduce: npm test' },
      { severity: 'FAIL', message: 'a.ts > adds\nexpected 1 to be 2', file: 'a.ts', line: 3 },
      { severity: 'WARN', message: 'These tests already failed on the attempt base:\n- a.ts > old' },
    ])
  })

  test('tests that are gone are listed with what they were', () => {
    const lost = [{ name: 'a', was: 'passed' as const, now: 'absent' as const }]
    expect(findings({ judgement: { lost }, log: 'all is well' }).slice(1)).toEqual([
      {
        severity: 'FAIL',
        message:
          'These tests ran on the attempt base and no longer run. Run them again under the same names: a person must accept a test that was renamed or removed:\n- a (passed there, now absent)',
      },
    ])
  })

  test('without a test that says where, the errors of the log; without those, its end', () => {
    expect(findings({ log: `${root}/a.ts(3,1): error TS1: no` }).slice(1)).toEqual([
      { severity: 'FAIL', message: 'error TS1: no', file: 'a.ts', line: 3 },
    ])
    expect(findings({ log: `${'x'.repeat(9000)}\nmake: *** [test] Error 1\n` })[1]?.message).toMatch(
      /^The end of its output:\n.*\nmake: \*\*\* \[test\] Error 1$/s,
    )
  })

  test('the errors of the log, too, where the report knows none of the tests that failed', () => {
    const found = findings({ judgement: { failing: ['gone'] }, report: { tests: [] }, log: 'a.ts(3,1): error TS1: no' })
    expect(found.slice(1).map(({ message }) => message)).toEqual(['These tests also failed:\n- gone', 'error TS1: no'])
  })

  test('what passed has only warnings, and an error is nothing for the author to mend', () => {
    expect(findings({ judgement: { outcome: 'pass', reasons: [] }, log: 'a.ts:1: error' })).toEqual([])
    const flaky = findings({
      judgement: { outcome: 'error', reasons: ['flaky'], flaky: ['a'] },
      log: 'a.ts:1:1: error: x',
    })
    expect(new Set(flaky.map(({ severity }) => severity))).toEqual(new Set(['WARN']))
    expect(flaky.at(-1)?.message).toContain('failed only in some runs of the same tree:\n- a')
  })

  test('a thousand failures are a few kilobytes, with the first ones and how many there are', () => {
    const tests = Array.from({ length: 1000 }, (_, at): TestCase => ({
      name: `t${at}`,
      status: 'failed',
      message: 'y'.repeat(4000),
    }))
    const failing = tests.map(({ name }) => name)
    const found = findings({
      report: { tests },
      judgement: { failing, reasons: ['1000 of 1000 tests failed'] },
      log: 'z\n'.repeat(1e4),
    })
    expect(found[0]?.message).toContain('1000 of 1000 tests failed')
    expect(found[1]?.message).toMatch(/^t0\n/)
    expect(found.at(-1)?.message).toMatch(/^These tests also failed:\n- t5\n.*- t24\n… and 975 more$/s)
    expect(found.reduce((chars, { message }) => chars + message.length, 0)).toBeLessThanOrEqual(excerptCharsMax)
  })

  test('whatever a log holds: no escapes, no other folder, a bounded size, no exception', () => {
    const piece = fc.constantFrom(
      '\u001b]0;x\u0007',
      '\u009b31m',
      '\u202e',
      `${root}/a.ts:1:1: error: x`,
      '\n',
      '    at f (',
      'a.ts:2',
      'E   x',
      'File "',
      '\ud800',
      'x'.repeat(2000),
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), (parts) => {
        const found = findings({ log: parts.join(''), command: parts.join('') })
        const text = found.map(({ message, file }) => `${message}${file}`).join('')
        // oxlint-disable-next-line no-control-regex -- that there is none is what is tested
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain(` ${root}/`)
      }),
    )
  })
})
