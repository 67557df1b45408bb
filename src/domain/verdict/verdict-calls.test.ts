import { describe, expect, test } from 'vitest'
import type { ToolCall } from './judge-tools.ts'
import type { VerdictScope } from './verdict.ts'
import { callProblem, callsReading } from './verdict-calls.ts'
import { combine } from './verdict-weigh.ts'

const judge: VerdictScope = { taskId: 'auth-1', attempt: 2, nonce: '3f9c01', judge: true, criteria: ['c1'] }
const submit = (verdict: string, more: object = {}): ToolCall => ({
  tool: 'submit_verdict',
  input: { verdict, nonce: '3f9c01', criteria: [{ id: 'c1', status: 'PASS' }], ...more },
})
const report = (severity: string, more: object = {}): ToolCall => ({
  tool: 'report_finding',
  input: { severity, message: 'odd', ...more },
})
const verdictOf = (...calls: ToolCall[]) => {
  const reading = callsReading(calls, judge)
  return reading === null ? null : combine([{ name: 'submit_verdict', reading }], judge)
}

describe('what a judge told its tools', () => {
  test('is its verdict, with what it had reported', () => {
    const { verdict, findings, criteria } = verdictOf(report('WARN'), submit('PASS', { summary: 'fine' })) ?? {}
    expect({ verdict, findings, criteria }).toEqual({
      verdict: 'PASS',
      findings: [{ severity: 'WARN', message: 'odd' }],
      criteria: [{ id: 'c1', met: true, note: '' }],
    })
    const at = { severity: 'FAIL', message: 'odd', file: 'a.ts', line: 3 }
    expect(verdictOf(report('FAIL', at), submit('FAIL', { findings: [at] }))).toMatchObject({
      verdict: 'FAIL',
      findings: [at],
    })
  })

  test('in two words is FAIL, even if the second was refused', () => {
    expect(verdictOf(submit('PASS'), submit('WARN'))?.verdict).toBe('FAIL')
    expect(callProblem([submit('PASS')], submit('FAIL'), judge)).toContain('names no unmet criterion')
    expect(verdictOf(submit('PASS'), submit('FAIL'))?.verdict).toBe('FAIL')
    expect(verdictOf(submit('PASS'), submit('PASS'))?.verdict).toBe('PASS')
  })

  test('and then put right is what it said last', () => {
    expect(verdictOf(submit('PASS', { criteria: [] }), submit('PASS'))?.verdict).toBe('PASS')
    expect(
      verdictOf(submit('FAIL'), submit('FAIL', { criteria: [{ id: 'c1', status: 'FAIL', note: 'no' }] })),
    ).toMatchObject({
      verdict: 'FAIL',
      findings: [{ criterion: 'c1', message: 'no' }],
    })
  })

  test('and did not put right is refused', () => {
    const parsed = verdictOf(submit('PASS', { criteria: [] }))
    expect(parsed).toMatchObject({
      verdict: 'ERROR',
      detail: 'submit_verdict was refused: its PASS says nothing about c1',
    })
  })

  test('with another nonce is refused, which its tools cannot know', () => {
    expect(callProblem([], submit('PASS', { nonce: 'x' }), judge)).toBeNull()
    expect(verdictOf(submit('PASS', { nonce: 'x' }))?.detail).toContain('stale or foreign')
    expect(verdictOf(submit('PASS'), submit('PASS', { nonce: 'x' }))?.verdict).toBe('ERROR')
  })

  test('nested beyond what can be written down is refused', () => {
    const nonce = JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`) as unknown
    expect(callsReading([submit('PASS', { nonce })], judge)).toMatch(/nonce is \(nested too deeply\)/)
  })

  test('in findings alone is no verdict, but speaks against one that it gave elsewhere', () => {
    expect(verdictOf({ tool: 'get_contract', input: {} })).toBeNull()
    expect(verdictOf(report('FAIL', { file: 'a.ts' }))).toBeNull()
    expect(verdictOf(report('FAIL', { file: 'a.ts' }), submit('PASS'))?.verdict).toBe('FAIL')
  })

  test('in findings alone speaks against a PASS that it wrote', () => {
    const written = { name: 'its answer', reading: callsReading([submit('PASS')], judge) ?? '' }
    const reported = callsReading([report('FAIL', { file: 'a.ts' })], judge)
    expect(combine([written, { name: 'its findings', reading: reported ?? '' }], judge)?.verdict).toBe('FAIL')
    expect(callsReading([], judge)).toBeNull()
  })

  test.each([
    [{ nonce: ' ' }, 'submit_verdict.nonce is " "'],
    [{ criteria: [{ id: 'c1', status: 'MAYBE' }] }, 'submit_verdict.criteria[0].status is "MAYBE"'],
    [{ findings: [{ severity: 'FAIL' }] }, 'submit_verdict.findings[0] lacks message'],
  ])('with %j is refused, and the judge hears which part', (more, problem) => {
    expect(callProblem([], submit('PASS', more), judge)).toContain(problem)
  })

  test.each([null, 7, 'PASS', [], { verdict: 'PASS' }, { verdict: ['PASS'], nonce: '3f9c01' }])(
    'is checked whatever it is: %j',
    (input) => expect(verdictOf({ tool: 'submit_verdict', input })?.verdict).toBe('ERROR'),
  )
})
