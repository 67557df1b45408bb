/** What people decide, and when it counts. */
import { because } from './reasons.ts'
import { stop, worded } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { MAP, Walk } from '../fixtures/walk.ts'

describe('a person decides at a gate', () => {
  test('accept is stored for the gate to read; reading it moves the task on', () => {
    const walk = new Walk().to('review').signals('WAIT', 'look').decides('accept', 'fine')
    expect(walk.state).toMatchObject({ phase: 'review', decision: { kind: 'accept', message: 'fine', by: 'ada' } })
    expect(walk.log.at(-1)).toMatchObject({ type: 'decision', data: { kind: 'accept', by: 'ada', commit: 'c1' } })
    expect(walk.signals('ADVANCE', 'fine').state).toMatchObject({ phase: 'land', decision: null, approval: null })
  })

  test.each(['accept', 'reject'] as const)('%s ends the wait, so that the gate is read at once', (kind) => {
    const walk = new Walk().to('review').signals('WAIT', 'look')
    expect(walk.decides(kind, 'because').state.wait).toBeNull()
  })

  test('reject is stored for the gate to read, too', () => {
    const walk = new Walk().to('review').decides('reject', 'no')
    expect(walk.state).toMatchObject({ phase: 'review', round: 0, decision: { kind: 'reject', message: 'no' } })
    expect(walk.signals('RETRY', 'no').state).toMatchObject({ phase: 'implement', round: 1, decision: null })
  })

  test('approve accepts and allows landing of exactly this snapshot', () => {
    const walk = new Walk().to('review').decides('approve')
    expect(walk.state).toMatchObject({ decision: { kind: 'accept' }, approval: { commit: 'c1', by: 'ada' } })
  })

  test('approve at the landing allows it and ends the wait', () => {
    const walk = new Walk()
      .to('land')
      .apply({ type: 'waited', reason: stop('approval') })
      .decides('approve')
    expect(walk.state).toMatchObject({ phase: 'land', wait: null, approval: { commit: 'c1', by: 'ada' } })
  })

  test('D-20 reject at the landing sends the task back: a round, a finding, and no approval is left', () => {
    const walk = new Walk().to('land').decides('approve').decides('reject', 'not on a Friday')
    expect(walk.state).toMatchObject({ phase: 'implement', round: 1, approval: null })
    expect(walk.findings).toMatchObject([{ message: 'not on a Friday', source: 'ada' }])
    expect(walk.types().slice(-2)).toEqual(['decision', 'phase-entered'])
  })

  test('D-20 S2.28 a rejection can use up the rounds', () => {
    const limits = { ...DEFAULT_LIMITS, maxTaskRounds: 1 }
    const walk = new Walk(MAP, { limits }).to('land').decides('reject', 'no')
    expect(worded(walk.state)).toMatchObject({ status: 'failed', failureReason: 'exceeded max rounds (1): no' })
  })
})

describe('a person decides about a held task', () => {
  const held = () => new Walk().to('verify').runs('ERROR').runs('ERROR').runs('ERROR', 'no disk')

  test.each(['accept', 'approve'] as const)('%s with a reason passes the phase, and says over what', (kind) => {
    const walk = held().decides(kind, 'checked by hand')
    expect(walk.state).toMatchObject({ phase: 'judge', held: null, errors: 0 })
    expect(walk.state.approval).toEqual(kind === 'approve' ? { commit: 'c1', by: 'ada' } : null)
    expect(walk.log.at(-2)).toMatchObject({
      type: 'decision',
      data: { kind, over: expect.stringContaining('no disk') },
    })
  })

  test.each(['accept', 'approve'] as const)('%s needs a reason', (kind) => {
    const error = held().refuses((walk) => walk.decides(kind, '  '))
    expect(error).toMatchObject({ code: 'usage', hint: `muster ${kind} t-1 -m "why it is fine"` })
  })

  test.each(['accept', 'approve'] as const)('%s needs something to accept', (kind) => {
    const walk = new Walk().runs('ERROR').runs('ERROR').runs('ERROR')
    const error = walk.refuses((task) => task.decides(kind, 'whatever'))
    expect(error).toMatchObject({ code: 'gate_closed', hint: 'muster retry t-1, or muster cancel t-1' })
    expect(error.message).toBe(`t-1 has nothing to ${kind}: no attempt left a result`)
  })

  test('reject sends it back', () => {
    expect(held().decides('reject', 'use less disk').state).toMatchObject({ phase: 'implement', round: 1, held: null })
  })

  test('no word completes a landing that did not happen: accept is refused, approve lets it try again', () => {
    const walk = new Walk().to('land').runs('ERROR').runs('ERROR').runs('ERROR', 'the branch moved')
    expect(walk.refuses((task) => task.decides('accept', 'trust me'))).toMatchObject({ code: 'gate_closed' })
    walk.decides('approve', 'again')
    expect(walk.state).toMatchObject({ status: 'in-progress', phase: 'land', held: null, errors: 0 })
    expect(walk.log.at(-1)?.data).toMatchObject({ over: expect.stringContaining('the branch moved') })
    expect(walk.step().state.run?.name).toBe('merge')
  })

  test('cancel ends it', () => {
    expect(worded(held().cancels('enough').state)).toMatchObject({
      status: 'cancelled',
      held: null,
      failureReason: 'enough',
    })
  })
})

describe('decisions that are refused', () => {
  const kinds = ['accept', 'reject', 'approve'] as const
  const past = { accept: 'accepted', reject: 'rejected', approve: 'approved' }
  const moments: [string, () => Walk, string][] = [
    ['before the start', () => new Walk(), 'it is at its start'],
    ['while an agent works', () => new Walk().to('judge').step(), 'checker is working on it'],
    ['while it lands', () => new Walk().to('land').step(), 'merge is working on it'],
    ['between two steps', () => new Walk().to('verify'), 'it is at verify'],
    ['when it is completed', () => new Walk().to('land').runs('ADVANCE'), 'it is completed'],
    ['when it is cancelled', () => new Walk().step().cancels(), 'it is cancelled'],
  ]

  describe.each(moments)('%s', (_, make, where) => {
    test.each(kinds)('%s', (kind) => {
      const error = make().refuses((walk) => walk.decides(kind, 'because'))
      expect(error).toMatchObject({ code: 'gate_closed', hint: 'muster explain t-1' })
      expect(error.message).toBe(`t-1 cannot be ${past[kind]} now: ${where}`)
    })
  })

  test('accept at a landing that waits: that needs approve', () => {
    const walk = new Walk().to('land').apply({ type: 'waited', reason: stop('approval') })
    expect(walk.refuses((task) => task.decides('accept'))).toMatchObject({ code: 'gate_closed' })
  })

  test('a rejection without words: they go to the author', () => {
    const error = new Walk().to('review').refuses((walk) => walk.decides('reject', ' \n'))
    expect(error).toMatchObject({ code: 'usage', hint: 'muster reject t-1 -m "what must change"' })
  })
})

test('a gate in front of the work is opened before there is any', () => {
  const walk = new Walk({
    ask: { run: 'signal human-approval', on_pass: 'work' },
    work: { run: 'agent implementer', on_pass: 'land' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'work' },
  }).step()
  expect(walk.decides('approve').state).toMatchObject({ decision: { kind: 'accept' }, approval: null, answers: null })
  expect(walk.signals('ADVANCE').state).toMatchObject({ phase: 'work' })
})

describe('retry and cancel', () => {
  test.each([
    ['a task not started', new Walk(), 'not-started'],
    ['a task under way', new Walk().step(), 'in-progress'],
    ['a completed task', new Walk().to('land').runs('ADVANCE'), 'completed'],
  ])('%s cannot be retried', (_, walk, status) => {
    const error = walk.refuses((task) => task.retries())
    expect(error).toMatchObject({ code: 'gate_closed', message: `t-1 cannot be retried: it is ${status}` })
  })

  test('a cancelled task that is retried starts again from the first phase', () => {
    const walk = new Walk().to('judge').cancels('wait').retries()
    expect(walk.state).toMatchObject({ status: 'not-started', phase: null, attempt: 1, commit: 'c1' })
    expect(walk.step().state).toMatchObject({ phase: 'implement', attempt: 2 })
  })

  test('S3.19 what a person had not said when it was cancelled is asked again, as a value', () => {
    const asked = new Walk()
      .cancels()
      .apply({ type: 'retried', by: 'ada', asks: because('contract-question', { task: 't-1', why: 'ambiguous' }) })
    expect(asked.state).toMatchObject({ status: 'not-started', held: { code: 'contract-question' } })
    expect(new Walk().cancels().retries().state).toMatchObject({ held: null })
  })

  test('cancel stops the run and forgets it, so that its result comes too late', () => {
    const walk = new Walk().step().cancels('not needed')
    expect(worded(walk.state)).toMatchObject({ status: 'cancelled', run: null, failureReason: 'not needed' })
    expect(walk.commands).toEqual([{ type: 'stop', runId: 't-1.r1' }])
    expect(walk.log.at(-1)).toEqual({ type: 'task-cancelled', data: { reason: 'not needed', by: 'ada' } })
  })

  test('what went on without a task cancels it, unless it is over', () => {
    const reason = 'it went on without it'
    expect(new Walk().step().apply({ type: 'superseded', reason }).state).toMatchObject({ status: 'cancelled' })
    const { state } = new Walk().to('land').runs('ADVANCE').apply({ type: 'superseded', reason })
    expect(worded(state)).toMatchObject({ status: 'completed', failureReason: null })
  })

  test('cancel before the start has nothing to stop, and needs no reason', () => {
    const walk = new Walk().cancels()
    expect(worded(walk.state)).toMatchObject({ status: 'cancelled', failureReason: null })
    expect(walk.commands).toEqual([])
  })

  test.each([
    ['completed', new Walk().to('land').runs('ADVANCE')],
    ['cancelled', new Walk().cancels()],
  ])('a task that is %s cannot be cancelled', (status, walk) => {
    const error = walk.refuses((task) => task.cancels())
    expect(error).toMatchObject({ code: 'gate_closed', message: `t-1 is ${status} already` })
  })

  test('a task that failed can be given up', () => {
    const failed = new Walk(MAP, { limits: { ...DEFAULT_LIMITS, maxTaskRounds: 1 } }).runs('RETRY', 'x')
    expect(failed.cancels().state).toMatchObject({ status: 'cancelled' })
  })
})
