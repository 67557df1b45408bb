import { expect, test } from 'vitest'
import { failureTitle, gist } from './gist.ts'

const fail = (message: string, file?: string) => ({
  severity: 'FAIL' as const,
  message,
  ...(file === undefined ? {} : { file }),
})

test.each([
  ['the first line of the detail', { detail: 'the page is empty\nsee above', findings: [] }, 'the page is empty'],
  ['what was found, where there is no detail', { detail: ' ', findings: [fail('no total', 'a.ts')] }, 'a.ts: no total'],
  [
    'what fails before what is only a remark',
    { detail: '', findings: [{ severity: 'WARN' as const, message: 'slow' }, fail('no total')] },
    'no total',
  ],
  [
    'the last line behind an exit code',
    { detail: 'exit 1\nasking\nthe page says 500', findings: [] },
    'exit 1: the page says 500',
  ],
  [
    'the error behind an exit code',
    { detail: 'exit 1\nTypeError: x failed\n  at a.js', findings: [] },
    'exit 1: TypeError: x failed',
  ],
  ['what was found behind a bare exit code', { detail: 'exit 1', findings: [fail('no total')] }, 'exit 1: no total'],
  ['an exit code, where nothing else is known', { detail: 'exit 1', findings: [fail('exit 1')] }, 'exit 1'],
  ['that there is nothing', { detail: '', findings: [] }, 'no detail'],
])('%s', (_, said, line) => {
  expect(gist(said)).toBe(line)
})

test.each([
  ['exit 1\nthe page says 500', 'the page says 500'],
  ['the page is empty\nsee above', 'the page is empty'],
  ['exit 1', 'exit 1'],
])('%j as a title', (text, title) => {
  expect(failureTitle(text)).toBe(title)
})

test('a long line is cut', () => {
  expect(gist({ detail: 'x'.repeat(1000), findings: [] })).toHaveLength(200)
})
