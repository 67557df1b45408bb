/** What steps come to: outcomes, rounds, errors, signals, actions, and what a step needs first. */
import { pause, stop, worded } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS, interruptionsMax } from '../limits.ts'
import { buildPhaseMap } from './phase-map.ts'
import { because, wordsOf } from './reasons.ts'
import { needsPerson } from './stage.ts'
import { canStep, currentPhase, initialState } from './task.ts'
import type { StepResult, TaskEvent } from './event.ts'
import { decide } from './transition.ts'
import { waitsFor } from './event.ts'
import type { FindingText } from '../verdict/verdict.ts'
import { NO_VERDICT } from '../verdict/verdict.ts'
import { MAP, Walk } from '../fixtures/walk.ts'
import { WORK } from './purpose.ts'

describe('starting a step', () => {
  test('S2.12 S2.32 a task not started enters the first phase with its first run, as attempt 1', () => {
    const walk = new Walk().step()
    const run = { id: 't-1.r1', kind: 'agent', name: 'implementer', does: 'work' }
    expect(walk.state).toMatchObject({ status: 'in-progress', phase: 'implement', run, attempt: 1, runs: 1, round: 0 })
    expect(walk.commands).toEqual([{ type: 'start', run, phase: 'implement', attempt: 1, round: 0 }])
    expect(walk.types()).toEqual(['task-started', 'run-started'])
  })

  test('S2.13 a task with a run is left alone', () => {
    const walk = new Walk().step()
    const before = walk.state
    expect(walk.step().state).toBe(before)
    expect(walk.commands).toEqual([])
  })

  test.each(['verify', 'judge', 'land'])('the run at %s belongs to the attempt of the author before it', (phase) => {
    const walk = new Walk().to(phase).step()
    expect(walk.state.attempt).toBe(1)
    expect(walk.commands).toMatchObject([{ type: 'start', phase, attempt: 1 }])
  })

  test('S2.5 a signal starts no run', () => {
    const walk = new Walk().to('review')
    const before = walk.state
    expect(walk.step().state).toBe(before)
    expect(walk.commands).toEqual([])
  })

  test('S2.32 a task whose first phase is a signal starts there, without a run', () => {
    const walk = new Walk({ ask: { run: 'signal human-approval', on_pass: 'done' } }).step()
    expect(walk.state).toMatchObject({ status: 'in-progress', phase: 'ask', run: null, runs: 0 })
    expect(walk.types()).toEqual(['task-started'])
  })

  test('the role a task names takes the place of the implementer, and of no other role', () => {
    const walk = new Walk(MAP, { agent: { role: 'coder', does: 'work' } }).step()
    expect(walk.state.run?.name).toBe('coder')
    walk.ends('ADVANCE').runs('ADVANCE').step()
    expect(walk.state.run?.name).toBe('checker')
  })

  test('L20 a phase that is not in the map holds the task for a person instead of skipping it', () => {
    const walk = new Walk().step().ends('ADVANCE')
    walk.state = { ...walk.state, phase: 'gone' }
    walk.step()
    expect(worded(walk.state)).toMatchObject({ status: 'in-progress', held: 'its phase map has no phase "gone"' })
    expect(walk.commands).toMatchObject([{ type: 'notify', subject: 't-1 is held' }])
    expect(walk.types()).toContain('task-held')
  })

  test('the same holds for a run that ends in such a phase', () => {
    const walk = new Walk().step()
    walk.state = { ...walk.state, phase: 'gone' }
    walk.ends('ADVANCE')
    expect(worded(walk.state)).toMatchObject({ run: null, held: 'its phase map has no phase "gone"' })
  })
})

describe('outcomes', () => {
  test('S2.7 S2.14 PASS advances to on_pass and keeps the snapshot', () => {
    const walk = new Walk().runs('ADVANCE', 'done', { verdict: 'PASS', commit: 'c1' })
    expect(walk.state).toMatchObject({ phase: 'verify', run: null, commit: 'c1', round: 0 })
    expect(walk.types()).toEqual(['task-started', 'run-started', 'run-ended', 'phase-entered'])
    expect(Object.keys(walk.log[2]?.data ?? {})).toEqual([
      'run',
      'kind',
      'name',
      'outcome',
      'verdict',
      'detail',
      'commit',
    ])
    expect(walk.log[2]?.data).toMatchObject({ run: 't-1.r1', outcome: 'ADVANCE', verdict: 'PASS', commit: 'c1' })
  })

  test('warnings of a pass are kept as warnings, whatever they call themselves', () => {
    const findings: FindingText[] = [{ severity: 'FAIL', message: 'long function', file: 'a.ts', line: 3 }]
    const walk = new Walk().runs('ADVANCE', '', { verdict: 'WARN', findings })
    expect(walk.findings).toEqual([
      { severity: 'WARN', message: 'long function', file: 'a.ts', line: 3, round: 0, source: 'implementer' },
    ])
  })

  test('S2.8 S2.15 FAIL goes to on_fail with one more round and its detail as a finding', () => {
    const findings: FindingText[] = [{ severity: 'FAIL', message: 'expected 2, got 3', file: 'a.test.ts' }]
    const walk = new Walk().to('verify').runs('RETRY', '1 test failed', { findings })
    expect(walk.state).toMatchObject({ phase: 'implement', round: 1, attempt: 1 })
    expect(walk.findings).toEqual([
      { severity: 'FAIL', message: '1 test failed', round: 0, source: 'unit' },
      { severity: 'FAIL', message: 'expected 2, got 3', file: 'a.test.ts', round: 0, source: 'unit' },
    ])
    expect(walk.step().state.attempt).toBe(2)
  })

  test('a failure that says nothing still leaves a finding', () => {
    expect(new Walk().runs('RETRY', '').findings).toMatchObject([{ message: 'failed without saying why' }])
  })

  test('S2.9 WAIT stays, costs no round, and the step is started again next time', () => {
    const walk = new Walk().to('land').runs('WAIT', 'the checkout is dirty')
    expect(worded(walk.state)).toMatchObject({ phase: 'land', round: 0, run: null, wait: 'the checkout is dirty' })
    expect(walk.step().state).toMatchObject({ run: { name: 'merge' }, wait: null })
  })

  test('S2.9 L20 WAIT goes to on_wait where there is one, without a round', () => {
    const walk = new Walk({
      land: { run: 'action merge', on_pass: 'done', on_fail: 'fix', on_wait: 'ask' },
      ask: { run: 'signal human-approval', on_pass: 'land', on_fail: 'fix', on_wait: 'fix' },
      fix: { run: 'agent implementer', on_pass: 'done' },
    })
    expect(walk.runs('WAIT', 'busy').state).toMatchObject({ phase: 'ask', round: 0, wait: null })
    expect(walk.signals('WAIT', 'nobody').state).toMatchObject({ phase: 'fix', round: 0 })
    expect(walk.types().filter((type) => type === 'phase-entered')).toHaveLength(2)
  })

  test('S2.10 rounds follow the outcome, not the direction: a pass backwards costs none, a failure forwards one', () => {
    const walk = new Walk({
      implement: { run: 'agent implementer', on_pass: 'verify', on_fail: 'verify' },
      verify: { run: 'check unit', on_pass: 'implement', on_fail: 'land' },
      land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
    })
    expect(walk.runs('ADVANCE').runs('ADVANCE').state).toMatchObject({ phase: 'implement', round: 0 })
    expect(walk.runs('RETRY', 'no').state).toMatchObject({ phase: 'verify', round: 1 })
  })

  test('S2.11 a pass to done completes: no phase, and nothing is left to do', () => {
    const walk = new Walk().to('land').runs('ADVANCE', 'landed', { landed: { from: 'a', to: 'b' } })
    expect(walk.state).toMatchObject({ status: 'completed', phase: null, run: null })
    expect(walk.types().at(-1)).toBe('task-completed')
    expect(canStep(walk.state)).toBe(false)
    expect(currentPhase(walk.state, walk.rules.map)).toBeUndefined()
  })

  test('S2.16 S2.17 S2.18 a worker that ends without a verdict fails, is logged as crashed, and a person is told once', () => {
    const walk = new Walk().runs('RETRY', NO_VERDICT, { verdict: 'FAIL', crashed: true })
    expect(walk.state).toMatchObject({ phase: 'implement', round: 1 })
    expect(walk.findings).toMatchObject([{ message: 'worker completed without writing verdict' }])
    expect(walk.log.find((entry) => entry.type === 'run-ended')?.data).toMatchObject({ crashed: true })
    expect(walk.commands).toMatchObject([{ type: 'notify', key: 'crash:t-1.r1', subject: 't-1: worker crashed' }])
  })

  test('a judge that crashes is an error: no round, a notice, and the judge again', () => {
    const walk = new Walk().to('judge').runs('ERROR', NO_VERDICT, { verdict: 'ERROR', crashed: true })
    expect(walk.state).toMatchObject({ phase: 'judge', round: 0, errors: 1 })
    expect(walk.commands).toMatchObject([{ type: 'notify', subject: 't-1: worker crashed' }])
  })
})

describe('results that come too late', () => {
  test.each([
    ['of another run', (walk: Walk) => walk.step(), 't-9.r1'],
    ['of an earlier run', (walk: Walk) => walk.to('verify').step(), 't-1.r1'],
    ['when nothing runs', (walk: Walk) => walk.to('verify'), 't-1.r1'],
    ['after a cancel', (walk: Walk) => walk.step().cancels(), 't-1.r1'],
  ])('%s are written down and change nothing', (_, prepare, runId) => {
    const walk = prepare(new Walk())
    const before = walk.state
    const result: StepResult = { outcome: 'ADVANCE', detail: '', findings: [{ severity: 'FAIL', message: 'x' }] }
    walk.apply({ type: 'run-ended', runId, result })
    expect(walk.state).toBe(before)
    expect(walk.commands).toEqual([])
    expect(walk.findings).toEqual([])
    expect(walk.log.at(-1)).toEqual({
      type: 'late-result-ignored',
      data: { run: runId, outcome: 'ADVANCE', detail: '' },
    })
  })
})

describe('rounds', () => {
  const limits = { ...DEFAULT_LIMITS, maxTaskRounds: 3 }

  test('S2.28 E-25 the round that reaches the limit fails the task, with the reason and its finding', () => {
    const walk = new Walk(MAP, { limits })
    walk.runs('RETRY', 'one').runs('RETRY', 'two')
    expect(walk.state).toMatchObject({ status: 'in-progress', round: 2 })
    walk.runs('RETRY', 'three\nand more')
    expect(worded(walk.state)).toMatchObject({
      status: 'failed',
      round: 3,
      run: null,
      failureReason: 'exceeded max rounds (3): three',
    })
    expect(walk.findings.map((finding) => finding.message)).toEqual(['one', 'two', 'three\nand more'])
    expect(walk.commands).toMatchObject([{ type: 'notify', subject: 't-1 failed' }])
    expect(walk.types().at(-1)).toBe('task-failed')
  })

  test('S2.28 with the default limit that is the 50th', () => {
    const walk = new Walk()
    for (let round = 0; round < 49; round++) walk.runs('RETRY', 'no'.repeat(round + 1))
    expect(walk.state.status).toBe('in-progress')
    expect(walk.runs('RETRY', 'no').state).toMatchObject({ status: 'failed', round: 50 })
  })

  test('D-18 only that task fails: the state of another knows nothing of it', () => {
    const rules = new Walk(MAP, { limits: { ...limits, maxTaskRounds: 1 } }).rules
    const [one, two] = [initialState('t-1', 1), initialState('t-2', 1)]
    const begun = decide(one, { type: 'step' }, rules).state
    const result: StepResult = { outcome: 'RETRY', detail: 'no', findings: [] }
    const failed = decide(begun, { type: 'run-ended', runId: 't-1.r1', result }, rules)
    expect(failed.state.status).toBe('failed')
    expect(failed.commands.map((command) => command.type)).toEqual(['notify'])
    expect(decide(two, { type: 'step' }, rules).state).toMatchObject({ status: 'in-progress', attempt: 1 })
  })

  test('a failed task that a person retries gets as many rounds again; nothing of its history is lost', () => {
    const walk = new Walk(MAP, { limits }).runs('RETRY', 'a').runs('RETRY', 'b').runs('RETRY', 'c').retries()
    expect(walk.state).toMatchObject({
      status: 'not-started',
      phase: null,
      round: 3,
      roundsMax: 6,
      attempt: 3,
      runs: 3,
    })
    expect(worded(walk.state).failureReason).toBeNull()
    expect(walk.step().state).toMatchObject({ phase: 'implement', attempt: 4, run: { id: 't-1.r4' } })
    walk.ends('RETRY', 'd').runs('RETRY', 'e').runs('RETRY', 'f')
    expect(walk.state).toMatchObject({ status: 'failed', round: 6 })
  })
})

describe('a phase that bounds its own attempts', () => {
  const bounded = { ...MAP, verify: { run: 'check unit', on_pass: 'judge', on_fail: 'implement', attempts: 2 } }

  test('holds the task when they are used up, at its phase, with the findings, and never passes', () => {
    const walk = new Walk(bounded).to('verify').runs('RETRY', 'one')
    expect(walk.state.phase).toBe('implement')
    walk.runs('ADVANCE').runs('RETRY', 'two')
    expect(worded(walk.state)).toMatchObject({
      status: 'in-progress',
      phase: 'verify',
      held: 'phase "verify" used all its 2 attempts: two',
    })
    expect(walk.findings.map((finding) => finding.message)).toEqual(['one', 'two'])
    expect(walk.commands).toMatchObject([{ type: 'notify', subject: 't-1 is held' }])
    expect(canStep(walk.state)).toBe(false)
    expect(walk.step().state.run).toBeNull()
  })

  test('the rounds of the task count first: at the limit it fails, held or not', () => {
    const limits = { ...DEFAULT_LIMITS, maxTaskRounds: 2 }
    const walk = new Walk(bounded, { limits }).to('verify').runs('RETRY', 'one').runs('ADVANCE').runs('RETRY', 'two')
    expect(walk.state.status).toBe('failed')
  })

  test('a person retries the held phase with a fresh budget', () => {
    const walk = new Walk(bounded).to('verify').runs('RETRY', '1').runs('ADVANCE').runs('RETRY', '2').retries()
    expect(walk.state).toMatchObject({ phase: 'verify', held: null, retries: {}, round: 2 })
    expect(walk.types().at(-1)).toBe('task-retried')
    expect(walk.runs('RETRY', '3').state).toMatchObject({ phase: 'implement', held: null })
  })

  test.each([1, 2])('a person who rejects a held result sends it to the author, also with attempts: %d', (attempts) => {
    const walk = new Walk({ ...bounded, verify: { ...bounded.verify, attempts } }).to('verify')
    while (walk.state.held === null) walk.to('verify').runs('RETRY', 'red')
    const { round } = walk.state
    walk.decides('reject', 'look at the log')
    expect(walk.state).toMatchObject({ phase: 'implement', held: null, round: round + 1, retries: {} })
    expect(walk.findings.at(-1)).toMatchObject({ message: 'look at the log', source: 'ada' })
  })

  test('works for a phase with a name that objects have anyway', () => {
    const walk = new Walk({
      constructor: { run: 'agent implementer', on_pass: 'done', attempts: 1 },
    }).runs('RETRY', 'no')
    expect(worded(walk.state).held).toContain('used its only attempt')
  })
})

describe('errors are not failures', () => {
  test('an ERROR costs no round and leaves no finding; the step runs again', () => {
    const walk = new Walk().to('verify').runs('ERROR', 'no space left')
    expect(walk.state).toMatchObject({ phase: 'verify', round: 0, errors: 1, held: null })
    expect(walk.findings).toEqual([])
  })

  test('as many in a row as are allowed hold the task for a person, with the reason', () => {
    const walk = new Walk().to('verify').runs('ERROR', 'a').runs('ERROR', 'b').runs('ERROR', 'no space left\nat all')
    expect(worded(walk.state)).toMatchObject({
      status: 'in-progress',
      phase: 'verify',
      errors: 3,
      round: 0,
      held: 'unit could not run (tried 3 times): no space left',
    })
    expect(walk.commands).toMatchObject([{ type: 'notify', subject: 't-1 is held' }])
  })

  test('a phase entered anew has its errors behind it', () => {
    const walk = new Walk().to('verify').runs('ERROR').runs('ERROR').runs('RETRY', 'red').runs('ADVANCE').runs('ERROR')
    expect(walk.state).toMatchObject({ phase: 'verify', errors: 1, held: null })
  })

  test('an author whose run errors starts the next one as a new attempt', () => {
    expect(new Walk().runs('ERROR').step().state).toMatchObject({ attempt: 2, round: 0, run: { id: 't-1.r2' } })
  })

  test('runs that die with Muster have a budget of their own, then hold the task', () => {
    const walk = new Walk()
    for (let count = 1; count < interruptionsMax; count++) walk.runs('ERROR', 'killed', { interrupted: true })
    expect(walk.state).toMatchObject({ held: null, errors: 0, round: 0, interruptions: interruptionsMax - 1 })
    walk.runs('ERROR', 'killed', { interrupted: true })
    expect(worded(walk.state).held).toBe(`implementer was interrupted ${interruptionsMax} times in a row`)
  })

  test('L33, L38 a program at its limit is counted nowhere, however often', () => {
    const walk = new Walk()
    for (let count = 0; count < 100; count++) walk.runs('ERROR', 'limit reached', { limited: true })
    expect(walk.state).toMatchObject({ held: null, errors: 0, round: 0, interruptions: 0, phase: 'implement' })
    expect(walk.log.at(-1)).toMatchObject({ type: 'run-ended', data: { limited: true } })
  })

  test('E-31 what the engine must not start is held without a run, before its start too; a retry frees it', () => {
    const walk = new Walk().apply({ type: 'barred', reason: stop('no money') })
    expect(worded(walk.state)).toMatchObject({ status: 'not-started', held: 'no money', runs: 0 })
    expect(walk.commands).toMatchObject([{ type: 'notify', text: 't-1 needs you: no money' }])
    walk.apply({ type: 'retried', by: 'ann' }).step()
    expect(walk.state).toMatchObject({ held: null, run: { name: 'implementer' } })
    expect(walk.apply({ type: 'barred', reason: stop('late') }).state.held).toBeNull()
  })

  test('a retry gives the held phase its errors back', () => {
    const walk = new Walk().to('verify').runs('ERROR').runs('ERROR').runs('ERROR').retries()
    expect(walk.state).toMatchObject({ phase: 'verify', held: null, errors: 0 })
    expect(walk.step().state.run?.name).toBe('unit')
  })
})

describe('signals', () => {
  test('S2.19 L20 approved advances, and its message is written down', () => {
    const walk = new Walk().to('review').signals('ADVANCE', 'well done')
    expect(walk.state).toMatchObject({ phase: 'land', round: 0 })
    expect(walk.log.at(-2)).toMatchObject({ type: 'signal-read', data: { outcome: 'ADVANCE', detail: 'well done' } })
  })

  test('S2.20 D-20 rejected goes to on_fail: a round, and the message as a finding', () => {
    const walk = new Walk().to('review').signals('RETRY', 'wrong colour')
    expect(walk.state).toMatchObject({ phase: 'implement', round: 1 })
    expect(walk.findings).toEqual([{ severity: 'FAIL', message: 'wrong colour', round: 0, source: 'human-approval' }])
  })

  test('S2.21 pending stays; it is written down once, not at every look', () => {
    const walk = new Walk().to('review').signals('WAIT', 'a person has to look')
    const before = walk.state
    expect(worded(before)).toMatchObject({ phase: 'review', wait: 'a person has to look', round: 0 })
    expect(walk.step().signals('WAIT', 'a person has to look').state).toBe(before)
    expect(walk.types().filter((type) => type === 'waiting')).toHaveLength(1)
  })

  test('a pending look does not swallow a decision that came meanwhile', () => {
    const walk = new Walk().to('review').decides('accept').signals('WAIT', 'not seen yet')
    expect(walk.state.decision).toMatchObject({ kind: 'accept' })
  })

  test.each([
    ['another signal', 'pr-review', () => new Walk().to('review')],
    ['a signal at another phase', 'human-approval', () => new Walk().to('land')],
    ['a signal while a run is active', 'human-approval', () => new Walk().step()],
    ['a signal after the end', 'human-approval', () => new Walk().to('review').cancels()],
  ])('%s changes nothing', (_, name, make) => {
    const walk = make()
    const [state, types] = [walk.state, walk.types()]
    expect(walk.signals('ADVANCE', '', name).state).toBe(state)
    expect(walk.types()).toEqual(types)
  })

  test('S2.22 a signal moves no task that has not started', () => {
    const walk = new Walk({ ask: { run: 'signal human-approval', on_pass: 'done' } }).signals('ADVANCE')
    expect(walk.state).toEqual(initialState('t-1', 50))
    expect(walk.log).toEqual([])
  })
})

describe('an action that cannot run yet', () => {
  test('says why once; the reason goes when it starts', () => {
    const walk = new Walk().to('land').apply({ type: 'waited', reason: stop('approval') })
    const before = walk.state
    expect(worded(before)).toMatchObject({ phase: 'land', wait: 'approval', run: null })
    expect(walk.apply({ type: 'waited', reason: stop('approval') }).state).toBe(before)
    expect(walk.apply({ type: 'waited', reason: stop('a clean checkout') }).state.wait).toEqual(
      stop('a clean checkout'),
    )
    expect(walk.types().filter((type) => type === 'waiting')).toHaveLength(2)
    expect(walk.step().state.wait).toBeNull()
  })

  test('in the first phase it starts the task, so that a person can let it go on', () => {
    const walk = new Walk({
      land: { run: 'action merge', on_pass: 'done', on_fail: 'fix' },
      fix: { run: 'agent implementer', on_pass: 'land' },
    })
    walk.apply({ type: 'waited', reason: stop('approval') })
    expect(worded(walk.state)).toMatchObject({ status: 'in-progress', phase: 'land', wait: 'approval', attempt: 0 })
    expect(walk.types()).toEqual(['task-started', 'waiting'])
  })

  test('a task with a run, or over, waits for nothing', () => {
    const walk = new Walk().step()
    expect(walk.apply({ type: 'waited', reason: stop('x') }).state.wait).toBeNull()
    expect(walk.cancels().apply({ type: 'waited', reason: stop('x') }).state.wait).toBeNull()
  })
})

test('S2.1 the same state, event and rules give the same answer', () => {
  const walk = new Walk().to('review')
  const event: TaskEvent = {
    type: 'signal',
    name: 'human-approval',
    result: { outcome: 'RETRY', detail: 'no', findings: [] },
  }
  expect(decide(walk.state, event, walk.rules)).toEqual(decide(structuredClone(walk.state), event, walk.rules))
})

test('a turn or a wait that was meant for another phase changes nothing: the task has moved on meanwhile', () => {
  const direct = buildPhaseMap(
    new Map([
      ['implement', { run: 'agent implementer', on_pass: 'land', on_fail: 'implement' }],
      ['land', { run: 'action merge', on_pass: 'done', on_fail: 'implement' }],
    ]),
    { agent: ['implementer'], check: [], action: ['merge'], signal: [] },
  ).map
  const rules = {
    map: direct,
    limits: DEFAULT_LIMITS,
    agent: null,
    checked: false,
    purpose: WORK,
    contract: null,
    handsUp: false,
  }
  const back = { ...initialState('t', 50), status: 'in-progress' as const, phase: 'implement', round: 1 }
  for (const event of [
    { type: 'step' as const, phase: 'land' },
    { type: 'waited' as const, phase: 'land', reason: stop('approval') },
  ]) {
    expect(decide(back, event, rules)).toEqual({ state: back, commands: [], log: [], findings: [] })
  }
  expect(decide(back, { type: 'step', phase: 'implement' }, rules).commands).toHaveLength(1)
})

describe('what a step needs first', () => {
  const reviewing = () => new Walk().runs('ADVANCE', '', { commit: 'c1' }).runs('ADVANCE').runs('ADVANCE')
  const pr = { id: '1', url: 'https://example.org/1', head: 'c1', place: 'there' }

  test('S2.30 an action before the step leaves the task at its phase, with what it made', () => {
    const walk = reviewing().apply({ type: 'step', phase: 'review', first: 'open-pr' })
    expect(walk.state).toMatchObject({ phase: 'review', run: { kind: 'action', name: 'open-pr' } })
    walk.ends('ADVANCE', 'opened', { pr })
    expect(walk.state).toMatchObject({ phase: 'review', run: null, pr, round: 0, wait: null })
    walk.signals('ADVANCE')
    expect(walk.state).toMatchObject({ phase: 'land', pr })
  })

  test('what keeps it from happening is waited for, and an error is counted', () => {
    const walk = reviewing()
      .apply({ type: 'step', first: 'open-pr' })
      .ends('WAIT', '', { waits: pause('the forge') })
    expect(worded(walk.state)).toMatchObject({ phase: 'review', wait: 'the forge', pr: null })
    walk.apply({ type: 'step', first: 'open-pr' }).ends('ERROR', 'oops')
    expect(walk.state).toMatchObject({ phase: 'review', errors: 1 })
  })

  test('a later result without one keeps the pull request', () => {
    const walk = reviewing().apply({ type: 'step', first: 'open-pr' }).ends('ADVANCE', '', { pr })
    walk.signals('RETRY', 'no').runs('ADVANCE', '', { commit: 'c2' })
    expect(walk.state).toMatchObject({ commit: 'c2', pr })
  })

  test('an approval that comes with a review is permission to land this snapshot', () => {
    const walk = reviewing()
    const result: StepResult = { outcome: 'ADVANCE', detail: '', findings: [], approval: { commit: 'c1', by: 'ann' } }
    walk.apply({ type: 'signal', name: 'human-approval', result })
    expect(walk.state).toMatchObject({ phase: 'land', approval: { commit: 'c1', by: 'ann' } })
  })

  test('what nobody can go on from fails the task, whatever rounds it has left', () => {
    const walk = reviewing()
    const result: StepResult = { outcome: 'ERROR', detail: 'x', findings: [], fails: stop('it was closed') }
    walk.apply({ type: 'signal', name: 'human-approval', result })
    expect(worded(walk.state)).toMatchObject({ status: 'failed', failureReason: 'it was closed', round: 0 })
  })

  test('L16 trouble with the forge is told of though it was away before, and a gate that is reached after trouble as well', () => {
    const review = { run: 'signal ci', on_pass: 'done', on_fail: 'implement' }
    const walk = new Walk({ implement: { run: 'agent implementer', on_pass: 'review' }, review }).runs('ADVANCE')
    const told = new Set<string>()
    const tell = () =>
      walk.commands.flatMap((it) => (it.type === 'notify' && told.size < told.add(it.key).size ? [it.subject] : []))
    const waited = (what: string, byItself = false) => {
      const reason = byItself ? pause(what) : stop(what)
      return (walk.apply({ type: 'waited', reason }), tell())
    }
    const read = (detail: string, byItself = false) => {
      walk.apply({ type: 'signal', name: 'ci', result: waitsFor(byItself ? pause(detail) : stop(detail)) })
      return tell()
    }
    expect(waited('a person: the token')).toEqual(['t-1 cannot continue at review'])
    expect(read('a check', true)).toEqual([])
    expect(read('a skipped check')).toEqual(['t-1 waits at review'])
    expect(waited('GitHub to answer', true)).toEqual([])
    expect(read('a skipped check')).toEqual([])

    walk.signals('RETRY', 'no', 'ci').runs('ADVANCE')
    expect(waited('a person: the token')).toEqual(['t-1 cannot continue at review'])
    expect(read('a skipped check')).toEqual(['t-1 waits at review'])
    expect(read('another')).toEqual([])

    walk.signals('RETRY', 'no', 'ci').runs('ADVANCE')
    expect(read('a skipped check')).toEqual(['t-1 waits at review'])
    expect(waited('GitHub to answer', true)).toEqual([])
    expect(waited('a person: the token')).toEqual(['t-1 cannot continue at review'])
  })

  test('H-12 what an older Muster worded becomes the value of today, and nobody is told of it again', () => {
    const walk = new Walk().to('land')
    const approval = because('approval', { task: 't-1', target: 'main', open: [] })
    walk.state = {
      ...walk.state,
      wait: because('older', { text: wordsOf(approval), as: 'approval', byItself: false }),
    }
    expect(walk.apply({ type: 'waited', reason: approval }).commands).toEqual([])
    expect(walk.state.wait).toEqual(approval)
    expect(walk.apply({ type: 'waited', reason: stop('a clean checkout') }).commands).toMatchObject([
      { subject: 't-1 cannot continue at land' },
    ])
  })

  test('H-12 what was tried again waits for the same as an older Muster worded it: nobody is told of it again', () => {
    const walk = new Walk().to('land')
    walk.state = { ...walk.state, wait: because('older', { text: 'a clean checkout', as: null, byItself: false }) }
    walk.step().ends('WAIT', '', { waits: stop('a clean checkout') })
    expect(walk.commands).toEqual([])
  })

  test('a wait that ends by itself needs nobody, and one that begins to need somebody is told', () => {
    const walk = reviewing()
    const wait = (byItself: boolean) => walk.apply({ type: 'waited', reason: (byItself ? pause : stop)('a check') })
    expect(needsPerson(wait(true).state, walk.rules.map)).toBe(false)
    const told = walk.log.length
    wait(true)
    expect(walk.log).toHaveLength(told)
    expect(needsPerson(wait(false).state, walk.rules.map)).toBe(true)
  })
})
