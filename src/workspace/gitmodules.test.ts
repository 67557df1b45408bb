import { expect, test } from 'vitest'
import { isSafe } from './gitmodules.ts'

test.each([
  ['libs/x', true],
  ['Ünïcode name', true],
  ['..', false],
  ['a/../../b', false],
  ['/etc', false],
  ['.git', false],
  ['a/.GIT/b', false],
  ['a//b', false],
  ['a\\..\\b', false],
  ['a\nb', false],
  ['-x', false],
  ['', false],
])('the name %j is safe: %s', (name, safe) => {
  expect(isSafe(name)).toBe(safe)
})
