/** The JSON of jest, which vitest's is modelled on, and of mocha. */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { Refused, type RawTest, type TestList } from './tests.ts'

type Fields = Record<string, unknown>

const STATUSES: Record<string, TestStatus> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
}

function isJest(value: unknown): value is Fields {
  return isFields(value) && Array.isArray(value['testResults'])
}

export function isMocha(value: unknown): value is Fields & { stats: Fields } {
  return isFields(value) && isFields(value['stats']) && Array.isArray(value['passes'])
}

export function readJest(value: unknown, tests: TestList): void {
  if (!isJest(value)) throw new Refused('it is JSON, but not from jest or vitest')
  for (const result of listOf(value, 'testResults')) {
    const file = textOf(result['name'])
    const before = tests.failed
    for (const assertion of listOf(result, 'assertionResults')) {
      const status = STATUSES[textOf(assertion['status'])]
      if (status === undefined) throw new Refused('it has a test that did not pass, fail or skip')
      const message = stringsOf(assertion['failureMessages']).join('\n')
      const path = [...stringsOf(assertion['ancestorTitles']), textOf(assertion['title'])]
      tests.add({ file, path, status, message, line: lineOf(assertion['location']) })
    }
    // The file could not be loaded, or a hook failed that belongs to no test.
    if (result['status'] === 'failed' && tests.failed === before) {
      tests.add({ file, path: [], status: 'failed', message: textOf(result['message']) })
    }
  }
  tests.checkAgainst({ tests: value['numTotalTests'], failed: value['numFailedTests'] }, tests.failed)
}

export function readMocha(value: unknown, tests: TestList): void {
  if (!isMocha(value)) throw new Refused('it is JSON, but not from mocha')
  for (const test of listOf(value, 'passes')) tests.add(mochaTest(test, 'passed'))
  for (const test of listOf(value, 'pending')) tests.add(mochaTest(test, 'skipped'))
  const broken = new Map<string, RawTest>()
  for (const test of listOf(value, 'failures')) {
    const raw = mochaTest(test, 'failed')
    if (!/^"(?:before|after) (?:all|each)" hook/.test(textOf(test['title']))) tests.add(raw)
    else {
      // A hook is no test: what it broke is its file.
      const { file } = raw
      const message = `${raw.path.join(' ')}\n${raw.message}`
      const other = broken.get(file)
      broken.set(file, { ...raw, path: [], message: other === undefined ? message : `${other.message}\n${message}` })
    }
  }
  for (const test of broken.values()) tests.add(test)
  tests.checkAgainst({ tests: value.stats['tests'], failed: value.stats['failures'] }, tests.failed)
}

function mochaTest(test: Fields, status: TestStatus): RawTest & { file: string } {
  const error = isFields(test['err']) ? test['err'] : {}
  const message = textOf(error['stack']) || textOf(error['message'])
  return { file: textOf(test['file']), path: [textOf(test['fullTitle'])], status, message }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(fields: Fields, name: string): Fields[] {
  const list = fields[name] ?? []
  if (!Array.isArray(list) || !list.every(isFields)) throw new Refused(`its ${name} are not a list of objects`)
  return list
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function lineOf(location: unknown): number | undefined {
  return isFields(location) && typeof location['line'] === 'number' ? location['line'] : undefined
}
