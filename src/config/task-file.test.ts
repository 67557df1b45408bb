import { describe, expect, test } from 'vitest'
import { parseTaskFile } from './task-file.ts'

describe('S1.7 a task file', () => {
  test('has a title, fields and instructions', () => {
    const text =
      '# [TASK-7b] Fix the form\n\nROLE: tester\nPRIORITY: P1\nCHECKS: unit-test, lint,unit-test\n\nMake it work.\n\nNOTE: mind this.\n'
    expect(parseTaskFile(text, 't.md')).toEqual({
      title: 'Fix the form',
      agent: 'tester',
      checks: ['unit-test', 'lint'],
      instructions: 'Make it work.\n\nNOTE: mind this.',
    })
  })

  test('of a title alone says what to do with it', () => {
    expect(parseTaskFile('\n# Fix it\n', 't.md')).toMatchObject({
      title: 'Fix it',
      instructions: 'Fix it',
      checks: [],
      agent: null,
    })
  })

  test.each(['', 'Fix it', '#', 'CHECKS: a\n# Fix it'])('%j is refused', (text) => {
    expect(() => parseTaskFile(text, 't.md')).toThrow('t.md: the first line must be the title')
  })
})
