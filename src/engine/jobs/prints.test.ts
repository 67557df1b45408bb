/** What makes two failed verifications the same. */
import { expect, test } from 'vitest'
import type { Results } from '../../domain/verdict/evidence.ts'
import { printsOf } from './prints.ts'

const results = (failing: string[] = []) =>
  ({
    criteria: [{ id: 'c1', activity: 'lint', status: 'fail', error: 'exit code 1', evidence: { failing } }],
  }) as unknown as Results
const found = (message: string) => [{ severity: 'FAIL' as const, criterion: 'c1', message }]

test('H-5 without names, 3 errors are not 12, and the time that it took says nothing', () => {
  expect(printsOf(results(), found('Found 12 errors in 1.25s'))).not.toEqual(
    printsOf(results(), found('Found 3 errors in 1.25s')),
  )
  expect(printsOf(results(), found('Found 3 errors in 1.25s'))).toEqual(
    printsOf(results(), found('Found 3 errors in 870ms')),
  )
})

test('H-5 with names, those count: fewer of them are another failure, other numbers in their words are not', () => {
  expect(printsOf(results(['a', 'b']), found('took 5 turns'))).toEqual(
    printsOf(results(['b', 'a']), found('took 7 turns')),
  )
  expect(printsOf(results(['a', 'b']), found('x'))).not.toEqual(printsOf(results(['a']), found('x')))
})
