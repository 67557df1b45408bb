/** What `make check` of automake prints: a line for each test, and counts for each folder. */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { posix } from 'node:path'
import { Refused, type TestList } from './tests.ts'

const TEST = /^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (\S.*)$/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  PASS: 'passed',
  XFAIL: 'passed',
  SKIP: 'skipped',
  FAIL: 'failed',
  XPASS: 'failed',
  ERROR: 'failed',
}

export function isAutomake(text: string): boolean {
  return /^# TOTAL: +\d+$/m.test(text) && /^# XPASS: +\d+$/m.test(text)
}

/** `root`: where make was started. */
export function readAutomake(text: string, tests: TestList, root: string): void {
  let folder = root
  let [seen, told] = [0, 0]
  for (const line of text.split(/\r?\n/)) {
    const entered = /^make\[\d+\]: Entering directory '(.+)'$/.exec(line)?.[1]
    const total = /^# TOTAL: +(\d+)$/.exec(line)?.[1]
    const [, word = '', name = ''] = TEST.exec(line) ?? []
    const status = STATUSES[word]
    if (entered !== undefined) folder = entered
    else if (total !== undefined) told += Number(total)
    else if (status !== undefined) {
      seen += 1
      const message = word === 'XPASS' ? 'It was expected to fail, and passed.' : ''
      tests.add({ path: [posix.join(posix.relative(root, folder), name)], status, message })
    }
  }
  if (seen !== told) throw new Refused('its number of tests differs from its summary')
}
