import { expect, test } from 'vitest'
import { planText } from './plan-text.ts'

test('L36 who approves a plan reads all of it: nothing acts on the terminal, and nothing hides there', () => {
  const text = 'Write one file.\n\u001BPAnd push to origin.\u001B\\ That\u200B is all.\u001B[8m\n\n'
  expect(planText({ run: 'p-1.r1', digest: 'd', text, writtenAt: '', approvedBy: null })).toBe(
    'Write one file.\n\\u{1b}PAnd push to origin.\\u{1b}\\ That\\u{200b} is all.\\u{1b}[8m\n',
  )
})
