/** Looking for something in a log. */
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../web/logs/search.ts'
import { firstError, markedParts, matchesMax, matchesOf } from '../../web/logs/search.ts'

const lines = (...texts: string[]): Entry[] => texts.map((text) => ({ kind: 'output', text }))

describe('a search', () => {
  test('finds lines whatever the case, and no more than a bound', () => {
    expect(matchesOf(lines('One', 'two', 'bone'), 'ONE')).toEqual([0, 2])
    expect(matchesOf(lines('a'), '')).toEqual([])
    expect(
      matchesOf(
        Array.from({ length: 5000 }, () => ({ kind: 'text', text: 'x' })),
        'x',
      ),
    ).toHaveLength(matchesMax)
  })

  test('marks every place of it, and keeps every letter', () => {
    expect(markedParts('aXbxc', 'x')).toEqual([
      { text: 'a', hit: false },
      { text: 'X', hit: true },
      { text: 'b', hit: false },
      { text: 'x', hit: true },
      { text: 'c', hit: false },
    ])
    // Some letters are longer in lower case.
    expect(markedParts('İx', 'x')).toEqual([{ text: 'İx', hit: false }])
    expect(markedParts('aaa', 'aa').map(({ text }) => text)).toEqual(['aa', 'a'])
  })
})

describe('the first error', () => {
  test.each([
    'Error: no such table',
    'src/a.ts(3,1): error TS2322: x',
    'not ok 4 - it works',
    '  ✗ it works',
    'TypeError: x is not a function',
    'sh: 1: foo: command not found',
    'Tests: 2 failed, 3 passed',
    'thread main panicked at x',
    'E       AssertionError',
  ])('%s', (text) => {
    expect(firstError(lines('all is well', text))).toBe(1)
  })

  test.each([
    '0 errors',
    'no errors found',
    'Tests: 0 failed',
    'failures: 0',
    '# fail 0',
    'without any errors',
    'terror',
    '',
  ])('not: %s', (text) => {
    expect(firstError(lines(text))).toBe(-1)
  })

  test('in a timeline it is what the program tells, not what the agent talks about', () => {
    const entries: Entry[] = [
      { kind: 'text', text: 'I fix the error' },
      { kind: 'tool-started', text: 'grep error' },
      { kind: 'tool-ended', text: '✗ exit 1', bad: true },
    ]
    expect(firstError(entries)).toBe(2)
  })

  test('a line of a megabyte takes no time to speak of', () => {
    expect(firstError(lines('x '.repeat(5e5), `${'0 '.repeat(5e5)}error`))).toBe(-1)
  })
})
