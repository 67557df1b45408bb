/** Several judges of one phase, and findings that come back: rules of `decide` that need no engine to be seen. */
import { worded } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import type { PhaseMap } from '../task/phase-map.ts'
import { fingerprint } from '../task/recurring.ts'
import { initialState, type TaskState } from '../task/task.ts'
import { decide } from '../task/transition.ts'
import { type Decided, type Rules, type StepResult } from '../task/event.ts'
import { WORK } from '../task/purpose.ts'
import type { Finding, FindingText, Verdict } from './verdict.ts'
import { outcomeOf } from './verdict.ts'

function phaseMap(panel: string[], attempts: number | null = null): PhaseMap {
  const common = { onWait: null, timeoutMs: null }
  return [
    {
      ...common,
      name: 'implement',
      step: { type: 'agent', name: 'implementer', does: 'work' },
      onPass: 'validate',
      onFail: 'implement',
      attempts: null,
    },
    {
      ...common,
      name: 'validate',
      step: { type: 'agent', name: 'validator', does: 'judge' },
      onPass: 'done',
      onFail: 'implement',
      attempts,
      panel,
    },
  ]
}

/** A task that goes round on such a map, told only what its judges say. */
class Judged {
  state: TaskState
  readonly rules: Rules
  readonly findings: Finding[] = []
  decided!: Decided

  constructor(panel: string[], attempts: number | null = null) {
    this.rules = {
      map: phaseMap(panel, attempts),
      limits: DEFAULT_LIMITS,
      agent: null,
      checked: false,
      purpose: WORK,
      contract: null,
      handsUp: false,
    }
    this.state = initialState('t', 50)
  }

  #ends(verdict: Verdict, detail: string, findings: FindingText[], commit?: string): string {
    this.#decide({ type: 'step' })
    const { id = '', name = '' } = this.state.run ?? {}
    const result: StepResult = { outcome: outcomeOf(verdict), verdict, detail, findings, commit }
    this.#decide({ type: 'run-ended', runId: id, result })
    return name
  }

  #decide(event: Parameters<typeof decide>[1]): void {
    this.decided = decide(this.state, event, this.rules)
    this.state = this.decided.state
    this.findings.push(...this.decided.findings)
  }

  works(): this {
    this.#ends('PASS', '', [], `c${this.state.runs}`)
    return this
  }

  /** The next judge says this; who it was. */
  says(verdict: Verdict, detail = '', ...findings: FindingText[]): string {
    return this.#ends(verdict, detail, findings)
  }
}

const fail = (message: string, more: Partial<FindingText> = {}): FindingText => ({ severity: 'FAIL', message, ...more })

describe('several judges of a phase', () => {
  test('S4.21, S4.24 are asked one after the other, and all that pass advance it', () => {
    const task = new Judged(['validator', 'code-reviewer']).works()
    expect(task.says('PASS')).toBe('validator')
    expect(task.state).toMatchObject({ phase: 'validate', round: 0 })
    expect(task.says('PASS')).toBe('code-reviewer')
    expect(task.state).toMatchObject({ status: 'completed', panel: [] })
  })

  test.each<[Verdict, Verdict, 'completed' | 'in-progress', number]>([
    ['WARN', 'PASS', 'completed', 0],
    ['PASS', 'WARN', 'completed', 0],
    ['FAIL', 'PASS', 'in-progress', 1],
    ['PASS', 'FAIL', 'in-progress', 1],
    ['FAIL', 'WARN', 'in-progress', 1],
  ])('L34 the worst verdict counts, not the last: %s, then %s', (first, second, status, round) => {
    const task = new Judged(['validator', 'code-reviewer']).works()
    task.says(first, 'one', fail('from the first', { file: 'a' }))
    task.says(second, 'two', fail('from the second', { file: 'b' }))
    expect(task.state).toMatchObject({ status, round })
    const severity = (message: string) => task.findings.find((finding) => finding.message === message)
    expect(severity('from the first')).toMatchObject({
      source: 'validator',
      severity: first === 'FAIL' ? 'FAIL' : 'WARN',
    })
    expect(severity('from the second')).toMatchObject({
      source: 'code-reviewer',
      severity: round === 0 ? 'WARN' : 'FAIL',
    })
  })

  test('L27, S4.19 each keeps its own findings, of the same round', () => {
    const task = new Judged(['validator', 'code-reviewer']).works()
    task.says('FAIL', '', fail('no test'))
    task.says('FAIL', '', fail('no types'))
    expect(task.findings.map(({ source, round, message }) => [source, round, message])).toEqual([
      ['validator', 0, 'no test'],
      ['code-reviewer', 0, 'no types'],
    ])
  })

  test('L33 one that could not tell is asked again, and the one before it is not', () => {
    const task = new Judged(['validator', 'code-reviewer']).works()
    task.says('PASS')
    task.says('ERROR', 'no answer')
    expect(task.says('PASS')).toBe('code-reviewer')
    expect(task.state.status).toBe('completed')
  })

  test('L34 a new attempt is judged by all of them anew', () => {
    const task = new Judged(['validator', 'code-reviewer']).works()
    task.says('FAIL', 'no')
    task.says('PASS')
    task.works()
    expect(task.says('PASS')).toBe('validator')
  })
})

describe('validation attempts', () => {
  test('S4.22, E-16, L30 used up hold the task for a person, and never pass it', () => {
    const task = new Judged([], 2).works()
    task.says('FAIL', 'no')
    expect(task.state).toMatchObject({ phase: 'implement', held: null })
    task.works().says('FAIL', 'still no')
    expect(task.state).toMatchObject({ status: 'in-progress', phase: 'validate' })
    expect(worded(task.state).held).toMatch(/^validation attempts exhausted: .* still no$/)
  })

  test('S4.22 a hold names what was found, where the judge said nothing else', () => {
    const task = new Judged([], 1).works()
    task.says('FAIL', '', fail('no test covers the total'))
    expect(worded(task.state).held).toMatch(/used its only attempt: no test covers the total$/)
  })
})

describe('a finding that comes back', () => {
  const again = (task: Judged, ...said: FindingText[]) => task.works().says('FAIL', '', ...said)

  test('L18, L23 three rounds in a row holds the task instead of a fourth try', () => {
    const task = new Judged([])
    again(task, fail('the token is never checked', { file: 'src/auth.ts', line: 42 }))
    again(task, fail('The token is NEVER checked', { file: 'src/auth.ts', line: 57 }))
    expect(task.state).toMatchObject({ phase: 'implement', held: null, round: 2 })
    again(task, fail('the token is never checked.', { file: 'src/auth.ts' }))
    expect(worded(task.state).held).toBe(
      'validator failed in the same way 3 rounds in a row: src/auth.ts the token is never checked.',
    )
  })

  test('not when another one came in between', () => {
    const task = new Judged([])
    again(task, fail('one', { file: 'a' }))
    again(task, fail('one', { file: 'a' }))
    again(task, fail('two', { file: 'a' }))
    again(task, fail('one', { file: 'a' }))
    again(task, fail('one', { file: 'a' }))
    expect(task.state.held).toBeNull()
  })

  test('a person who retries gives it three more rounds', () => {
    const task = new Judged([])
    for (let n = 0; n < 3; n++) again(task, fail('one', { criterion: 'c1' }))
    task.state = decide(task.state, { type: 'retried', by: 'ann' }, task.rules).state
    expect(task.state).toMatchObject({ held: null, recurring: {} })
  })

  test('is known by its criterion, or by its file and words without numbers', () => {
    const print = (message: string, more: Partial<FindingText> = {}) => fingerprint(fail(message, more))
    expect(print('3 of 7 tests fail at 0x3f')).toBe(print('4 of 9 tests fail at 0xab3'))
    expect(print('a', { criterion: 'c1' })).toBe(print('b', { criterion: 'c1' }))
    expect(print('a', { criterion: 'c1' })).not.toBe(print('a', { criterion: 'c2' }))
    expect(print('same', { file: 'a.ts' })).not.toBe(print('same', { file: 'b.ts' }))
  })
})
