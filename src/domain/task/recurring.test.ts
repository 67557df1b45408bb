import { expect, test } from 'vitest'
import { withFirstRound } from './recurring.ts'
import type { Finding } from '../verdict/verdict.ts'

const found = (round: number, message: string, file?: string): Finding => ({
  round,
  source: 'checker',
  severity: 'FAIL',
  message,
  ...(file === undefined ? {} : { file }),
})

test('a finding that was there before says since when, whatever its numbers and quotes', () => {
  const shown = withFirstRound([
    found(1, 'takes 120 ms', 'a.ts'),
    found(1, 'another'),
    found(2, 'takes "340" ms', 'a.ts'),
    found(3, 'takes 9 ms', 'a.ts'),
    found(3, 'takes 9 ms', 'b.ts'),
  ])
  expect(shown.map(({ since }) => since)).toEqual([undefined, undefined, 1, 1, undefined])
})
