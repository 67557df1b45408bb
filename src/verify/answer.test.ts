import { expect, test } from 'vitest'
import { sampleEvidence } from '../domain/fixtures/samples.ts'
import type { Criterion } from '../domain/contract/contract.ts'
import type { FindingText } from '../domain/verdict/verdict.ts'
import { type Answer, answerOf, outcomeOf, plainResult } from './answer.ts'
import { combine } from './combine.ts'
import type { JobResult } from '../ports/executor.ts'
import { checkEnd, type Command } from './execute.ts'
import { judge } from './judge.ts'
import { type CheckEnd } from './check-end.ts'

function answer(
  id: string,
  status: 'pass' | 'fail' | 'error',
  error: string | null,
  ...findings: FindingText[]
): Answer {
  return { result: plainResult({ id, activity: 'check' }, status, error), findings, needsPerson: false }
}

const COMMAND: Command = {
  resolved: { cwd: '', prefix: '', command: 'x', placed: [], scripts: [], files: [], loose: false },
  shown: 'x',
  env: [],
  timeoutMs: 1,
  network: true,
  report: null,
}
const CRITERION: Criterion = { id: 'c1', activity: 'check', description: '', kind: 'guard', judge: 'machine' }
const no: FindingText = { severity: 'FAIL', message: 'it ended with exit code 1' }

test.each([
  ['fail', 'passed'],
  ['error', 'failed'],
] as const)(
  'H-4 a check that comes out as %s: its findings are the author’s only if the work is to blame',
  (outcome, was) => {
    const ended = (before: 'passed' | 'failed'): CheckEnd => ({
      exitCode: before === 'passed' ? 0 : 1,
      signal: null,
      timedOut: false,
      report: { tests: [{ name: 'old', status: before, message: 'no' }] },
    })
    const said = combine([judge(ended('failed'), [ended(was)], { tests: true, kind: 'guard' })])
    const here = { key: '', tree: 't', executions: [], reused: false }
    const answered = answerOf(CRITERION, COMMAND, { here, before: null, mend: null, unshown: null }, said, 'c')
    expect(answered.result).toMatchObject({ status: outcome, evidence: { unclear: outcome === 'fail' ? [] : ['old'] } })
    expect(answered.findings.map(({ severity }) => severity).includes('FAIL')).toBe(outcome === 'fail')
    expect(answered.findings.length > 0).toBe(outcome === 'fail')
  },
)

test('evidence says how the run that is shown ended, and where its log is', () => {
  const run: JobResult = {
    id: 't-1.r2/command-1',
    end: { is: 'exited', code: 3, signal: null },
    report: null,
    asked: false,
    covered: [],
    durationMs: 12,
    sandbox: 'bubblewrap',
    logDigest: 'd1',
    output: '',
    root: '/',
    at: 'then',
  }
  const said = combine([judge(checkEnd(run), [], { tests: false, kind: 'goal' })])
  const found = {
    here: { key: '', tree: 't', executions: [run], reused: false },
    before: null,
    mend: null,
    unshown: null,
  }
  expect(answerOf(CRITERION, COMMAND, found, said, 'c').result.evidence).toMatchObject({
    exit: 3,
    durationMs: 12,
    sandbox: 'bubblewrap',
    logDigest: 'd1',
    log: 't-1.r2/command-1',
    at: 'then',
  })
})

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
    findings: [{ ...no, message: 'c1 check: it ended with exit code 1', criterion: 'c1' }],
    hold: null,
  })
})

test('unclear ones alone are ERROR, and those that trying again cannot change hold at once', () => {
  const tried = answer('c1', 'error', 'it timed out')
  expect(outcomeOf([tried], [])).toMatchObject({ verdict: 'ERROR', findings: [], hold: null })
  const unclear = { ...answer('c2', 'error', 'red in another way'), needsPerson: true }
  expect(outcomeOf([tried, unclear], [])).toMatchObject({
    verdict: 'ERROR',
    hold: { params: { said: 'c2 check: red in another way' } },
  })
})

test('S3.9 criteria that one command answers are told once, others one by one', () => {
  const sameCommand = (id: string): Answer => {
    const { result, ...rest } = answer(id, 'fail', '1 of 2 tests failed', no)
    const evidence = { ...sampleEvidence, command: 'npm test' }
    return { ...rest, result: { ...result, evidence } }
  }
  const said = outcomeOf([sameCommand('c1'), sameCommand('c2'), answer('c3', 'fail', '1 of 2 tests failed', no)], [])
  expect(said.detail).toBe('c1, c2 check: 1 of 2 tests failed\nc3 check: 1 of 2 tests failed')
  expect(said.findings.map(({ message }) => message)).toEqual([
    'c1, c2 check: it ended with exit code 1',
    'c3 check: it ended with exit code 1',
  ])
})
