import { describe, expect, test } from 'vitest'
import { NO_VERDICT } from '../../domain/verdict/verdict.ts'
import { describeEnd, type VerdictFile } from '../worker/end.ts'
import { outcomeOfEnd as outcomeOf, type OutcomeScope } from './outcome.ts'
import type { ProcessEnd } from '../../process/record.ts'

const author: OutcomeScope = {
  taskId: 'task-1',
  attempt: 2,
  nonce: 'n0nce',
  judge: false,
  agent: { verdict: 'file', timeoutMs: 30 * 60_000 },
}
const judge: OutcomeScope = { ...author, judge: true }
const byExit = (scope: OutcomeScope): OutcomeScope => ({ ...scope, agent: { ...scope.agent, verdict: 'exit' } })

const exit = (code: number): ProcessEnd => ({ code, signal: null, timedOut: false, stopped: false })
const killed = (signal: string): ProcessEnd => ({ code: null, signal, timedOut: false, stopped: false })
const missing: VerdictFile = { kind: 'missing' }
const outcomeOfEnd = (
  scope: OutcomeScope,
  end: ProcessEnd,
  file: VerdictFile,
  tail: string,
  output = '',
  calls: VerdictFile = missing,
) => outcomeOf(scope, end, { file, calls }, { output, tail })
const verdict = (fields: object): VerdictFile => ({
  kind: 'text',
  text: JSON.stringify({ task: 'task-1', attempt: 2, nonce: 'n0nce', verdict: 'pass', ...fields }),
})

describe('by verdict file', () => {
  test('the verdict counts, whatever the exit code (S2.14)', () => {
    expect(outcomeOfEnd(author, exit(0), verdict({ detail: 'done' }), '')).toEqual({
      verdict: 'PASS',
      detail: 'done',
      findings: [],
      exit: 'exit 0',
      crashed: false,
      interrupted: false,
    })
    expect(outcomeOfEnd(judge, exit(3), verdict({ verdict: 'fail', findings: ['a.ts no'] }), '')).toMatchObject({
      verdict: 'FAIL',
      findings: [{ severity: 'FAIL', message: 'no', file: 'a.ts' }],
      exit: 'exit 3',
    })
  })

  test("an author's silence is FAIL and says how it ended and what it printed last (S2.16, E-28)", () => {
    expect(outcomeOfEnd(author, killed('SIGSEGV'), missing, 'last words')).toEqual({
      verdict: 'FAIL',
      detail: `${NO_VERDICT}\nkilled by SIGSEGV\nlast words`,
      findings: [],
      exit: 'killed by SIGSEGV',
      crashed: true,
      interrupted: false,
    })
    expect(outcomeOfEnd(author, exit(0), missing, '').detail.split('\n')[0]).toBe(
      'worker completed without writing verdict',
    )
  })

  test("a judge's silence is ERROR (S2.16)", () => {
    expect(outcomeOfEnd(judge, exit(0), missing, '')).toMatchObject({ verdict: 'ERROR', crashed: true })
  })

  test.each([
    ['another task', { task: 'task-2' }],
    ['another attempt', { attempt: 1 }],
    ['another run', { nonce: 'stale' }],
  ])('a verdict of %s is refused (L13)', (_, fields) => {
    expect(outcomeOfEnd(author, exit(0), verdict(fields), '')).toMatchObject({ verdict: 'FAIL', crashed: false })
    expect(outcomeOfEnd(judge, exit(0), verdict(fields), '')).toMatchObject({ verdict: 'ERROR', crashed: false })
  })

  test('a file that may not be read is refused', () => {
    const file: VerdictFile = { kind: 'refused', why: 'it is a symbolic link' }
    const detail = 'the verdict file was refused: it is a symbolic link'
    expect(outcomeOfEnd(author, exit(0), file, '')).toMatchObject({ verdict: 'FAIL', detail })
    expect(outcomeOfEnd(judge, exit(0), file, '')).toMatchObject({ verdict: 'ERROR', detail })
  })
})

describe('a judge by what it says', () => {
  const said = (word: string) => `looking\n**Verdict: ${word}**\n**Nonce: n0nce**\n`
  const told = (word: string): VerdictFile => ({
    kind: 'text',
    text: `${JSON.stringify({ tool: 'submit_verdict', input: { verdict: word, nonce: 'n0nce' } })}\n`,
  })

  test('its output alone is a verdict, and so is what it told its tools (S4.2)', () => {
    expect(outcomeOfEnd(judge, exit(1), missing, 'tail', said('PASS')).verdict).toBe('ERROR')
    expect(outcomeOfEnd(judge, exit(1), missing, 'tail', said('FAIL')).verdict).toBe('FAIL')
    expect(outcomeOfEnd(judge, exit(0), missing, 'tail', said('PASS'))).toMatchObject({
      verdict: 'PASS',
      detail: 'looking',
      crashed: false,
    })
    expect(outcomeOfEnd(judge, exit(0), missing, '', said('WARN')).verdict).toBe('WARN')
    expect(outcomeOfEnd(judge, exit(127), missing, '', said('WARN')).verdict).toBe('ERROR')
    expect(outcomeOfEnd(judge, exit(0), missing, '', '', told('PASS')).verdict).toBe('PASS')
  })

  test('all channels are read, and two that disagree are FAIL', () => {
    expect(outcomeOfEnd(judge, exit(0), verdict({}), '', said('PASS'), told('PASS')).verdict).toBe('PASS')
    const outcome = outcomeOfEnd(judge, exit(0), verdict({}), '', said('WARN'), told('PASS'))
    expect(outcome.verdict).toBe('FAIL')
    expect(outcome.detail).toContain(
      'the verdict file says PASS, the record of submit_verdict says PASS, its output says WARN',
    )
  })

  test('a channel that is refused, or a record that is damaged, is no pass', () => {
    const outcome = outcomeOfEnd(judge, exit(0), verdict({}), '', '**Verdict: PASS**')
    expect(outcome).toMatchObject({ verdict: 'ERROR', crashed: false })
    expect(outcome.detail).toContain('its output was refused')
    const damaged: VerdictFile = { kind: 'text', text: '{"tool":' }
    expect(outcomeOfEnd(judge, exit(0), verdict({}), '', '', damaged).verdict).toBe('ERROR')
  })

  test('who answers some of the criteria must answer all of them; a command may also pass them at once (E-2, L31)', () => {
    const judging = { commit: 'abcdef0123', criteria: ['c1', 'c2'], warns: true, contract: '' }
    const c1 = { id: 'c1', status: 'pass', note: 'ran it' }
    expect(outcomeOfEnd({ ...judge, judging }, exit(0), verdict({ criteria: [c1] }), '')).toMatchObject({
      verdict: 'ERROR',
      detail: 'its PASS says nothing about c2',
    })
    expect(outcomeOfEnd({ ...judge, judging }, exit(0), verdict({}), '').verdict).toBe('PASS')
    const criteria = [c1, { ...c1, id: 'c2' }]
    expect(outcomeOfEnd({ ...judge, judging }, exit(0), verdict({ criteria, commit: 'abcdef0' }), '')).toMatchObject({
      verdict: 'PASS',
      criteria: ['c1', 'c2'].map((id) => ({ id, met: true, note: 'ran it' })),
    })
    expect(outcomeOfEnd({ ...judge, judging }, exit(0), verdict({ criteria, commit: 'fedcba0' }), '').verdict).toBe(
      'ERROR',
    )
  })

  test('an author has its file and nothing else', () => {
    expect(outcomeOfEnd(author, exit(0), missing, '', said('PASS'), told('PASS')).verdict).toBe('FAIL')
    expect(outcomeOfEnd(author, exit(0), verdict({}), '', said('FAIL'), told('FAIL')).verdict).toBe('PASS')
  })
})

describe('by exit code', () => {
  test('0 is PASS, anything else FAIL with the end of the output', () => {
    expect(outcomeOfEnd(byExit(judge), exit(0), missing, 'x')).toMatchObject({ verdict: 'PASS', detail: 'exit 0' })
    expect(outcomeOfEnd(byExit(judge), exit(1), missing, '2 failed')).toMatchObject({
      verdict: 'FAIL',
      detail: 'exit 1\n2 failed',
      crashed: false,
    })
  })

  test('death by a signal is FAIL and names it', () => {
    expect(outcomeOfEnd(byExit(author), killed('SIGKILL'), missing, '')).toMatchObject({
      verdict: 'FAIL',
      detail: 'killed by SIGKILL',
    })
  })

  test('a verdict file does not outvote the exit code', () => {
    expect(outcomeOfEnd(byExit(author), exit(1), verdict({}), '')).toMatchObject({ verdict: 'FAIL' })
  })
})

describe('in either mode', () => {
  test.each([author, judge, byExit(author), byExit(judge)])('a command that cannot run is ERROR (%#)', (scope) => {
    expect(outcomeOfEnd(scope, exit(127), missing, 'sh: x: not found')).toMatchObject({
      verdict: 'ERROR',
      detail: 'command not found (exit 127)\nsh: x: not found',
      crashed: false,
    })
    expect(outcomeOfEnd(scope, exit(126), missing, '').detail).toBe('command not executable (exit 126)')
    expect(outcomeOfEnd(scope, { ...killed(''), error: 'no folder' }, missing, '')).toMatchObject({
      verdict: 'ERROR',
      detail: 'the command could not be started: no folder',
      exit: 'not started',
    })
  })

  test('127 of something that gave its verdict is just its exit code', () => {
    expect(outcomeOfEnd(author, exit(127), verdict({}), '').verdict).toBe('PASS')
  })

  test('a timeout is FAIL of an author and ERROR of a judge, even with a verdict in place', () => {
    const end = { ...killed('SIGTERM'), timedOut: true }
    expect(outcomeOfEnd(author, end, verdict({}), 'thinking')).toMatchObject({
      verdict: 'FAIL',
      detail: 'timed out after 30m\nthinking',
      exit: 'timed out after 30m',
      crashed: false,
      interrupted: false,
    })
    expect(outcomeOfEnd(byExit(judge), end, missing, '').verdict).toBe('ERROR')
  })

  test('F-1 an author whose end nobody saw has done its work if it said so; a judge has to end well', () => {
    const unseen: ProcessEnd = { code: null, signal: null, timedOut: false, stopped: true, unseen: true }
    expect(outcomeOfEnd(author, unseen, verdict({ detail: 'done' }), '')).toMatchObject({
      verdict: 'PASS',
      detail: 'done',
      interrupted: false,
    })
    expect(outcomeOfEnd(author, unseen, missing, '')).toMatchObject({ interrupted: true })
    expect(outcomeOfEnd(judge, unseen, verdict({}), '')).toMatchObject({ interrupted: true })
    expect(outcomeOfEnd(byExit(author), unseen, verdict({}), '')).toMatchObject({ interrupted: true })
  })

  test.each([author, judge, byExit(author)])('stopped from outside or started before is interrupted (%#)', (scope) => {
    const interrupted = { verdict: 'ERROR', interrupted: true, crashed: false }
    expect(outcomeOfEnd(scope, { ...exit(0), stopped: true }, verdict({}), '')).toMatchObject(interrupted)
    expect(outcomeOfEnd(scope, { ...exit(125), refused: true }, missing, '')).toMatchObject(interrupted)
  })
})

test('ends read as people say them', () => {
  expect(describeEnd(exit(0), 0)).toBe('exit 0')
  expect(describeEnd(exit(139), 0)).toBe('exit 139 (SIGSEGV)')
  expect(describeEnd({ ...exit(0), stopped: true }, 0)).toBe('stopped')
})

test.each([author, judge, byExit(author), byExit(judge)])(
  'a run that came to a limit is ERROR and names it, whatever it said and however it ended',
  (scope) => {
    const met = { limit: 'memory', at: 4 * 1024 ** 3 } as const
    const ends: ProcessEnd[] = [
      exit(0),
      killed('SIGKILL'),
      { ...exit(0), timedOut: true },
      { ...exit(0), why: 'stalled' },
    ]
    for (const end of ends) {
      expect(outcomeOfEnd(scope, { ...end, met }, verdict({ detail: 'done' }), 'last words')).toMatchObject({
        verdict: 'ERROR',
        detail:
          'it reached its limit of 4.0 GB of memory (to change the limit: sandbox.limits.memory in muster.yaml)\nlast words',
        interrupted: false,
      })
    }
    const unseen: ProcessEnd = { ...exit(0), stopped: true, unseen: true, met }
    expect(outcomeOfEnd(scope, unseen, verdict({}), '')).toMatchObject({ verdict: 'ERROR', interrupted: true })
  },
)
