import { expect, test } from 'vitest'
import { isUsable } from './prove.ts'

const counts = (failed: number) => ({ executed: 3, failed, skipped: 0 })

test.each([
  ['green', 0, true],
  ['flaky', 3, true],
  ['red', 1, true],
  ['red', 3, false],
  ['unclear', 0, false],
] as const)('H-3 what was %s, with %i of 3 tests red, stays a check: %s', (result, failed, expected) => {
  expect(isUsable({ result, counts: counts(failed) })).toBe(expected)
})
