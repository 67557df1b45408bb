/**
 * How many tests ran, from the last lines that runners print: an estimate, for commands without a report. It names no
 * tests, so it excuses none; only the number can be compared. Pure.
 */
import { stripVTControlCharacters } from 'node:util'

interface Estimate {
  executed: number
  failed: number
  skipped: number
}

/** Lines of which each counts; those of one runner that belong together are one entry. */
const LINES: readonly RegExp[] = [
  // jasmine, rspec
  /^(?<total>\d+) (?:specs?|examples?), (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?(?:.*, (?<errors>\d+) errors? occurred outside)?/,
  // minitest, test-unit
  /^(?<total>\d+) (?:runs|tests), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, (?:\d+ pendings, \d+ omissions|(?<skipped>\d+) skips))?/,
  // bats, ExUnit
  /^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) (?:skipped|excluded))?$/,
  // phpunit
  /^OK \((?<total>\d+) tests?, \d+ assertions?\)/,
  /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:.*Skipped: (?<skipped>\d+))?/,
  // surefire's sum, gradle, dotnet
  /^(?:\[\w+\] )?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)$/,
  /^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/,
  /^(?:Passed|Failed|Skipped)! +- Failed: +(?<failed>\d+), Passed: +(?<passed>\d+), Skipped: +(?<skipped>\d+), Total: +\d+/,
  // Rust, nextest, gotestsum
  /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored;/,
  /^ *Summary \[.*\] +(?:\d+\/)?\d+ tests? run: (?<passed>\d+) passed(?: \([^)]*\))?(?:, (?<failed>\d+) failed)?(?:, \d+ timed out)?(?:, (?<skipped>\d+) skipped)?/,
  /^DONE (?:\d+ runs, )?(?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)?(?:, (?<errors>\d+) errors?)? in /,
  // ctest, googletest, Catch2 and doctest
  /^\d+% tests passed, (?<failed>\d+) tests failed out of (?<total>\d+)/,
  /^\[ {2}PASSED {2}\] (?<passed>\d+) tests?\.$/,
  /^\[ {2}FAILED {2}\] (?<failed>\d+) tests?, listed below:$/,
  /^All tests passed \(\d+ assertions? in (?<passed>\d+) test cases?\)/,
  /^(?:\[doctest\] )?test cases: +\d+ \| +(?:(?<passed>\d+) passed)?(?:(?: \| +)?(?<failed>\d+) failed)?(?:(?: \| +)?(?<skipped>\d+) skipped)?/,
  // deno, karma, node-tap
  /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed(?: \([^)]*\))?(?: \| (?<skipped>\d+) ignored)?/,
  /^# \{ total: (?<total>\d+)(?:, pass: \d+)?(?:, fail: (?<failed>\d+))?(?:, todo: (?<todo>\d+))?(?:, skip: (?<skipped>\d+))? \}/,
]

/** Lines with counts in any order: of jest and vitest, and of pytest. */
const LISTS: readonly RegExp[] = [
  /^ *Tests:? +.*(?:\btotal|\(\d+\))$/,
  /^=* *(?:\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun)(?:, )?)+ in [\d.]+/,
]
const WORDS: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  xfailed: 'skipped',
}

/** Runners that print a count a line: the words that stand for each, and one without which the others mean nothing. */
const BLOCKS: readonly { line: RegExp; words: Readonly<Record<string, keyof Counted>>; needs: string }[] = [
  // mocha
  {
    line: /^ *(?<count>\d+) (?<word>passing|failing|pending)\b/,
    words: { passing: 'passed', failing: 'failed', pending: 'skipped' },
    needs: 'passing',
  },
  // ava, lab
  {
    line: /^ *(?<count>\d+) tests? (?<word>passed|failed|skipped|todo)$/,
    words: { passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped' },
    needs: '',
  },
  // node:test
  {
    line: /^(?:ℹ|#) (?<word>tests|fail|cancelled|skipped|todo) (?<count>\d+)$/,
    words: { tests: 'total', fail: 'failed', cancelled: 'failed', skipped: 'skipped', todo: 'skipped' },
    needs: 'tests',
  },
  // small runners that people write themselves
  {
    line: /^(?:Tests (?<word>passed|failed)|(?<word>PASSED|FAILED)): +(?<count>\d+)$/,
    words: { passed: 'passed', PASSED: 'passed', failed: 'failed', FAILED: 'failed' },
    needs: '',
  },
  // uvu
  {
    line: /^ *(?<word>Total|Passed|Skipped): +(?<count>\d+)$/,
    words: { Total: 'run', Passed: 'passed', Skipped: 'skipped' },
    needs: 'Total',
  },
  // bun
  {
    line: /^ *(?<count>\d+) (?<word>pass|fail|skip|todo)$/,
    words: { pass: 'passed', fail: 'failed', skip: 'skipped', todo: 'skipped' },
    needs: 'pass',
  },
  // playwright
  {
    line: /^ {2}(?<count>\d+) (?<word>passed|failed|skipped|flaky|did not run|interrupted)(?: \([\d.]+\w+\))?$/,
    words: {
      passed: 'passed',
      failed: 'failed',
      skipped: 'skipped',
      flaky: 'passed',
      'did not run': 'skipped',
      interrupted: 'failed',
    },
    needs: '',
  },
  // meson
  {
    line: /^(?<word>Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(?<count>\d+) *$/,
    words: {
      Ok: 'passed',
      'Expected Fail': 'passed',
      Fail: 'failed',
      'Unexpected Pass': 'failed',
      Skipped: 'skipped',
      Timeout: 'failed',
    },
    needs: 'Ok',
  },
  // automake
  {
    line: /^# (?<word>TOTAL|SKIP|FAIL|XPASS|ERROR): +(?<count>\d+)$/,
    words: { TOTAL: 'total', SKIP: 'skipped', FAIL: 'failed', XPASS: 'failed', ERROR: 'failed' },
    needs: 'TOTAL',
  },
]

interface Counted {
  /** All that there are, with those that were skipped. */
  total: number
  /** Those that ran. */
  run: number
  passed: number
  failed: number
  skipped: number
}

/** Said in words, and by nobody who counts: meson, ctest, phpunit. */
const NONE = /^No tests (?:defined|executed|were found)[.!]+$/

/** Null if no closing line that is known is among the lines. */
export function closingCounts(output: string): Estimate | null {
  // Some runners colour their output wherever it goes.
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trimEnd())
  const found = [
    ...unittestCounts(lines),
    ...lines.flatMap(lineCounts),
    ...lines.filter((line) => LISTS.some((pattern) => pattern.test(line))).map(listCounts),
    ...BLOCKS.flatMap((block) => blockCounts(block, lines)),
  ]
  if (found.length === 0) return lines.some((line) => NONE.test(line)) ? { executed: 0, failed: 0, skipped: 0 } : null
  const sum = (of: (one: Estimate) => number): number => found.reduce((all, one) => all + of(one), 0)
  return { executed: sum((one) => one.executed), failed: sum((one) => one.failed), skipped: sum((one) => one.skipped) }
}

function lineCounts(line: string): Estimate[] {
  const groups = LINES.map((pattern) => pattern.exec(line)?.groups).find((found) => found !== undefined)
  if (groups === undefined) return []
  const number = (name: string): number => Number(groups[name] ?? 0)
  const failed = number('failed') + number('errors')
  const skipped = number('skipped') + number('todo')
  const executed = groups['total'] === undefined ? number('passed') + failed : number('total') - skipped
  return [{ executed: Math.max(executed, 0), failed, skipped }]
}

function listCounts(line: string): Estimate {
  const counted = { passed: 0, failed: 0, skipped: 0 }
  for (const [, count, word = ''] of line.matchAll(/(\d+) ([a-z]+)/g)) {
    const key = WORDS[word]
    if (key !== undefined) counted[key] += Number(count)
  }
  return { executed: counted.passed + counted.failed, failed: counted.failed, skipped: counted.skipped }
}

function blockCounts({ line: pattern, words, needs }: (typeof BLOCKS)[number], lines: readonly string[]): Estimate[] {
  const counted: Counted = { total: 0, run: 0, passed: 0, failed: 0, skipped: 0 }
  const seen = new Set<string>()
  for (const groups of lines.map((line) => pattern.exec(line)?.groups)) {
    const word = groups?.['word'] ?? ''
    const key = words[word]
    if (key === undefined) continue
    seen.add(word)
    counted[key] += Number(groups?.['count'])
  }
  if (seen.size === 0 || (needs !== '' && !seen.has(needs))) return []
  const { total, run, passed, failed, skipped } = counted
  if (run > 0) return [{ executed: run, failed: Math.max(run - passed, 0), skipped }]
  const executed = total > 0 ? Math.max(total - skipped, 0) : passed + failed
  return [{ executed, failed, skipped }]
}

/** `Ran 3 tests in 0.001s`, and below it how they ended. */
function unittestCounts(lines: readonly string[]): Estimate[] {
  return lines.flatMap((line, index) => {
    const ran = /^Ran (\d+) tests? in [\d.]+s$/.exec(line)?.[1]
    if (ran === undefined) return []
    const end = lines.slice(index + 1, index + 4).find((next) => /^(?:OK|FAILED|NO TESTS RAN)\b/.test(next)) ?? ''
    const of = (name: string): number => Number(new RegExp(`(?<![a-z] )${name}=(\\d+)`).exec(end)?.[1] ?? 0)
    const failed = of('failures') + of('errors') + of('unexpected successes')
    return [{ executed: Math.max(Number(ran) - of('skipped'), 0), failed, skipped: of('skipped') }]
  })
}
