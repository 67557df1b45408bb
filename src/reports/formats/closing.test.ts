import { expect, test } from 'vitest'
import { closingCounts } from './closing.ts'

/** As each runner printed them, colours taken out; most with one passed, one failed and one skipped. */
test.each([
  ['mocha', '  1 passing (4ms)\n  1 pending\n  1 failing\n', [2, 1, 1]],
  ['jest', 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 passed, 3 total\n', [2, 1, 1]],
  ['vitest', ' Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 1 skipped (3)\n', [2, 1, 1]],
  ['pytest', '========= 1 failed, 1 passed, 1 skipped in 0.16s =========\n', [2, 1, 1]],
  ['pytest -q, with errors', '1 failed, 2 passed, 3 errors in 1.20s\n', [6, 4, 0]],
  [
    'unittest',
    'Ran 8 tests in 0.007s\n\nFAILED (failures=2, errors=3, skipped=1, expected failures=1, unexpected successes=1)\n',
    [7, 6, 1],
  ],
  ['unittest, green', 'Ran 1 test in 0.000s\n\nOK\n', [1, 0, 0]],
  ['unittest, without any', 'Ran 0 tests in 0.000s\n\nOK\n', [0, 0, 0]],
  ['node:test', 'ℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n', [2, 1, 1]],
  ['ava', '  1 test failed\n  1 known failure\n  1 test skipped\n  1 test todo\n  1 uncaught exception\n', [1, 1, 2]],
  ['ava, green', '  3 tests passed\n', [3, 0, 0]],
  ['jasmine', '5 specs, 1 failure, 2 pending specs\n', [3, 1, 2]],
  ['a runner of its own', 'Tests failed: 1\nTests passed: 340\n', [341, 1, 0]],
  ['another, run twice', 'PASSED: 16\nFAILED: 0\nPASSED: 15\nFAILED: 1\n', [32, 1, 0]],
  ['uvu', '  Total:     3\n  Passed:    2\n  Skipped:   1\n  Duration:  1.81ms\n', [3, 1, 1]],
  ['node-tap', '# { total: 6, pass: 2, fail: 2, todo: 1, skip: 1 }\n', [4, 2, 2]],
  [
    'playwright',
    '  1 failed\n    [p1] › tests/a.spec.js:3:1 › is wrong ──\n  1 skipped\n  2 passed (5.1s)\n',
    [3, 1, 1],
  ],
  ['bun', ' 2 pass\n 1 skip\n 1 todo\n 2 fail\n 1 error\n 2 expect() calls\nRan 6 tests across 2 files.\n', [4, 2, 2]],
  ['deno', 'FAILED | 2 passed (1 step) | 1 failed | 1 ignored (12ms)\n', [3, 1, 1]],
  ['rspec', '5 examples, 1 failure, 2 pending\n', [3, 1, 2]],
  ['rspec, unread', '0 examples, 0 failures, 1 error occurred outside of examples\n', [0, 1, 0]],
  ['minitest', '4 runs, 2 assertions, 1 failures, 1 errors, 1 skips\n', [3, 2, 1]],
  ['phpunit', 'Tests: 7, Assertions: 4, Errors: 1, Failures: 2, Skipped: 1, Incomplete: 1.\n', [6, 3, 1]],
  ['phpunit, green', 'OK (3 tests, 4 assertions)\n', [3, 0, 0]],
  ['phpunit, without any', 'No tests executed!\n', [0, 0, 0]],
  [
    'surefire',
    '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.087 s <<< FAILURE!\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n',
    [2, 1, 1],
  ],
  ['gradle', '3 tests completed, 1 failed, 1 skipped\n', [2, 1, 1]],
  [
    'cargo',
    'test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.07s\n',
    [3, 1, 1],
  ],
  ['gotestsum', 'DONE 4 tests, 1 skipped, 1 failure in 0.480s\n', [3, 1, 1]],
  ['ctest', '50% tests passed, 2 tests failed out of 4\n', [4, 2, 0]],
  [
    'meson',
    'Ok:                 1   \nExpected Fail:      1   \nFail:               2   \nUnexpected Pass:    0   \nSkipped:            1   \nTimeout:            0   \n',
    [4, 2, 1],
  ],
  ['meson, without any', 'No tests defined.\n', [0, 0, 0]],
  ['automake', '# TOTAL: 5\n# PASS:  1\n# SKIP:  1\n# XFAIL: 1\n# FAIL:  1\n# XPASS: 0\n# ERROR: 1\n', [4, 2, 1]],
])('%s', (_, output, [executed, failed, skipped]) => {
  expect(closingCounts(output)).toEqual({ executed, failed, skipped })
})

/** From their documentation: nobody ran these here. */
test.each([
  [
    'dotnet',
    'Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 15 ms - a.dll\n',
    [3, 1, 1],
  ],
  ['nextest', '     Summary [   0.006s] 3 tests run: 2 passed, 1 failed, 1 skipped\n', [3, 1, 1]],
  [
    'googletest',
    '[==========] 3 tests from 1 test suite ran.\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n',
    [3, 1, 0],
  ],
  ['Catch2', 'All tests passed (4 assertions in 2 test cases)\n', [2, 0, 0]],
  ['doctest', '[doctest] test cases:  3 |  2 passed | 1 failed | 1 skipped\n', [3, 1, 1]],
  ['ExUnit', '3 tests, 1 failure, 1 skipped\n', [2, 1, 1]],
])('%s, as documented', (_, output, [executed, failed, skipped]) => {
  expect(closingCounts(output)).toEqual({ executed, failed, skipped })
})

test('several runs add up', () => {
  expect(closingCounts('  2 passing (4ms)\n…\n  3 passing (1s)\n  1 failing\n')).toEqual({
    executed: 6,
    failed: 1,
    skipped: 0,
  })
})

test('words that only sound like it are none', () => {
  for (const text of [
    '',
    'done',
    '1 failed attempt was made',
    'found 0 errors',
    'Tests are fun (3)!',
    'I ran 3 tests in 2s',
  ]) {
    expect(closingCounts(text), text).toBeNull()
  }
})

test('colours do not count: uvu prints them wherever its output goes', () => {
  const [green, plain] = ['\u001B[32m', '\u001B[39m']
  const output = `  Total:     32${green}\n  Passed:    32${plain}\n  Skipped:   0\n  Duration:  2.97ms\n`
  expect(closingCounts(output)).toEqual({ executed: 32, failed: 0, skipped: 0 })
})
