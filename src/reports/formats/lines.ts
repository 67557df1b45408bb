/** Parses reports of Muster's own helpers: one test per line as JSON, and a last line with their number. */
import type { TestStatus } from '../../domain/verdict/test-report.ts'
import { Refused, type TestList } from './tests.ts'

const STATUSES: readonly unknown[] = ['passed', 'failed', 'skipped'] satisfies TestStatus[]

export function readLines(text: string, tests: TestList): void {
  const lines = text.trimEnd().split('\n')
  const last: unknown = JSON.parse(lines.pop() ?? '')
  if (!isFields(last) || last['end'] !== lines.length) throw new Refused('its end is missing')
  for (const line of lines) {
    const value: unknown = JSON.parse(line)
    if (!isFields(value) || !STATUSES.includes(value['status'])) throw new Refused('it has a line that is not a test')
    const { file, path, status, message, line: at, load } = value
    tests.add({
      file: typeof file === 'string' && file !== '' ? file : undefined,
      path: Array.isArray(path) ? path.filter((part) => typeof part === 'string') : [],
      status: status as TestStatus,
      message: typeof message === 'string' ? message : '',
      line: typeof at === 'number' ? at : undefined,
      load: load === true,
    })
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
