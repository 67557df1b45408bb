import { expect, test } from 'vitest'
import type { Evidence } from '../domain/evidence.ts'
import type { FindingText } from '../domain/verdict.ts'
import { type Answer, outcomeOf, plainResult } from './answer.ts'

function answer(
  id: string,
  status: 'pass' | 'fail' | 'error',
  error: string | null,
  ...findings: FindingText[]
): Answer {
  return { result: plainResult({ id, activity: 'check' }, status, error), findings, needsPerson: false }
}

const RAN: Evidence = {
  command: '',
  commit: 'c',
  tree: 't',
  exit: 1,
  durationMs: 1,
  counts: null,
  failing: [],
  excused: [],
  flaky: [],
  runs: 1,
  logDigest: null,
  log: null,
  sandbox: null,
  reused: false,
  base: null,
  vacuous: false,
  at: '',
}

const no: FindingText = { severity: 'FAIL', message: 'it ended with exit code 1' }

test('H-4 of criteria that fail and criteria that are unclear, only those that fail are the author’s', () => {
  const said = outcomeOf(
    [
      answer('c1', 'fail', 'it ended with exit code 1', no),
      { ...answer('c2', 'error', 'nobody knows'), needsPerson: true },
    ],
    [],
  )
  expect(said).toEqual({
    verdict: 'FAIL',
    detail: 'c1 check: it ended with exit code 1',
    findings: [{ ...no, message: 'c1 check: it ended with exit code 1' }],
    hold: null,
  })
})

test('unclear ones alone are ERROR, and those that trying again cannot change hold at once', () => {
  const tried = answer('c1', 'error', 'it did not end in its time')
  expect(outcomeOf([tried], [])).toMatchObject({ verdict: 'ERROR', findings: [], hold: null })
  const unclear = { ...answer('c2', 'error', 'red in another way'), needsPerson: true }
  expect(outcomeOf([tried, unclear], [])).toMatchObject({ verdict: 'ERROR', hold: 'c2 check: red in another way' })
})

test('S3.9 criteria that one command answers are told once, others one by one', () => {
  const sameCommand = (id: string): Answer => {
    const { result, ...rest } = answer(id, 'fail', '1 of 2 tests failed', no)
    const evidence = { ...RAN, command: 'npm test' }
    return { ...rest, result: { ...result, evidence } }
  }
  const said = outcomeOf([sameCommand('c1'), sameCommand('c2'), answer('c3', 'fail', '1 of 2 tests failed', no)], [])
  expect(said.detail).toBe('c1, c2 check: 1 of 2 tests failed\nc3 check: 1 of 2 tests failed')
  expect(said.findings.map(({ message }) => message)).toEqual([
    'c1, c2 check: it ended with exit code 1',
    'c3 check: it ended with exit code 1',
  ])
})
