import { expect, test } from 'vitest'
import { type CriterionResult, type Evidence, excusedTests, excusedWords } from './evidence.ts'
import { sampleEvidence } from '../fixtures/samples.ts'

const evidence: Evidence = { ...sampleEvidence, counts: { executed: 2, failed: 1, skipped: 0 }, base: 'red' }

function answered(command: string, ...excused: string[]): CriterionResult {
  const result = { id: 'c1', activity: 'unit-test', status: 'pass', error: null, attempts: 1 } as const
  return { ...result, evidence: { ...evidence, command, excused } }
}

test('H-4 excused tests are counted once for each command, however many criteria it answers', () => {
  const criteria = [answered('npm test', 'a', 'b'), answered('npm test', 'a', 'b'), answered('npm run e2e', 'a')]
  expect(excusedTests({ criteria })).toEqual(['a', 'b', 'a'])
  expect(excusedWords({ criteria })).toBe('3 tests failed as before and are excused')
  expect(excusedWords({ criteria: [answered('npm test', 'a')] })).toBe('1 test failed as before and is excused')
})

test('H-4 a verification without any says nothing', () => {
  const skipped = { id: 'c2', activity: 'lint', status: 'skipped', error: 'none', attempts: 0, evidence: null } as const
  expect(excusedWords({ criteria: [answered('npm test'), skipped] })).toBeNull()
})
