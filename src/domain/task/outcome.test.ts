import { expect, test } from 'vitest'
import { firstLine } from './outcome.ts'

test.each([
  ['\n one \ntwo', 'one '],
  [' ', 'no detail'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), `${'x'.repeat(199)}…`],
])('%j is told in one line', (text, line) => {
  expect(firstLine(text)).toBe(line)
})
