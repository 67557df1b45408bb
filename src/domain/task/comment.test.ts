import { describe, expect, test } from 'vitest'
import { checkComments, isCommentFile, parseComment, rejectionOf } from './comment.ts'
import { findingCharsMax, findingsMax } from '../limits.ts'

describe('a comment on the command line', () => {
  test.each([
    ['src/a.ts:12: too slow', { file: 'src/a.ts', line: 12, message: 'too slow' }],
    ['a b.ts:3:no space', { file: 'a b.ts', line: 3, message: 'no space' }],
    ['c:d:7: x: y:8: z', { file: 'c:d', line: 7, message: 'x: y:8: z' }],
    ['a.ts:1: two\nlines', { file: 'a.ts', line: 1, message: 'two\nlines' }],
  ])('%j', (text, comment) => {
    expect(parseComment(text)).toEqual(comment)
  })

  test.each(['', 'just words', 'a.ts: no line', ':3: no file', 'a.ts:x: y'])('%j is refused in words', (text) => {
    expect(() => parseComment(text)).toThrow(/file:line: text/)
  })
})

describe('comments of a rejection', () => {
  const comment = { file: 'src/a.ts', line: 1, message: 'no' }

  test('a file is a path inside of the repository, and shows what it is', () => {
    for (const file of ['a', 'src/é b.ts', '.github/x', 'a:b', '"q"']) expect(isCommentFile(file), file).toBe(true)
    for (const file of [
      '',
      '/etc/passwd',
      '../x',
      'a/../b',
      'a//b',
      'a/',
      './a',
      'a\nb',
      'a\u202Eb',
      'a\\b',
      'a\u200Bb',
    ])
      expect(isCommentFile(file), file).toBe(false)
    expect(isCommentFile('x'.repeat(1001))).toBe(false)
  })

  test.each([
    ['a path that leads out', [{ ...comment, file: '../x' }]],
    ['no line', [{ ...comment, line: 0 }]],
    ['half a line', [{ ...comment, line: 1.5 }]],
    ['no words', [{ ...comment, message: ' \n' }]],
    ['a book', [{ ...comment, message: 'x'.repeat(findingCharsMax + 1) }]],
    ['too many', Array.from({ length: findingsMax + 1 }, () => comment)],
  ])('%s is refused', (_what, comments) => {
    expect(() => checkComments(comments)).toThrow(/^(?:a comment|there are 101 comments)/)
  })

  test('become findings with their place, below the words; without any, the first of them stands for them', () => {
    const finding = { severity: 'FAIL', message: 'no', file: 'src/a.ts', line: 1 }
    checkComments([comment])
    expect(rejectionOf('change it', [comment])).toEqual({ detail: 'change it', findings: [finding] })
    expect(rejectionOf(' ', [comment])).toEqual({ detail: 'no', findings: [finding] })
    expect(rejectionOf('words')).toEqual({ detail: 'words', findings: [] })
  })
})
