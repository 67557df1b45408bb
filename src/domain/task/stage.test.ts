import { describe, expect, test } from 'vitest'
import type { PhaseMap } from './phase-map.ts'
import { buildPhaseMap } from './phase-map.ts'
import { pause, stop } from '../fixtures/reason.ts'
import { needsPerson, reasonFor, stageOf, waitingFor } from './stage.ts'
import type { TaskState } from './task.ts'
import { initialState } from './task.ts'

const known = { agent: ['implementer', 'checker'], check: ['unit'], action: ['merge'], signal: ['human-approval'] }
const map: PhaseMap = buildPhaseMap(
  new Map([
    ['implement', { run: 'agent implementer', on_pass: 'verify' }],
    ['verify', { run: 'check unit', on_pass: 'judge', on_fail: 'implement' }],
    ['judge', { run: 'agent checker', on_pass: 'review', on_fail: 'implement' }],
    ['review', { run: 'signal human-approval', on_pass: 'land', on_fail: 'implement' }],
    ['land', { run: 'action merge', on_pass: 'done', on_fail: 'implement' }],
  ]),
  known,
).map

const at = (phase: string, more: Partial<TaskState> = {}): TaskState => ({
  ...initialState('t-1', 50),
  status: 'in-progress',
  phase,
  ...more,
})
const decision = { kind: 'accept', message: '', by: 'ada' } as const
const working = { id: 't-1.r1', kind: 'agent', name: 'implementer' } as const

const cases: [string, TaskState, string[], ReturnType<typeof stageOf>, boolean, string | null][] = [
  ['a task not started', initialState('t-1', 50), [], 'pending', false, 'its turn has not come yet'],
  ['a task that depends on others', initialState('t-1', 50), ['a', 'b'], 'blocked', false, 'a, b must complete first'],
  ['a task before its author', at('implement'), [], 'running', false, 'its turn has not come yet'],
  ['a task with its author', at('implement', { run: working }), [], 'running', false, 'implementer is working'],
  ['a task at a check', at('verify'), [], 'checking', false, 'its turn has not come yet'],
  ['a task at a judge', at('judge'), [], 'checking', false, 'its turn has not come yet'],
  ['a task at a gate', at('review'), [], 'review', true, 'a person must decide (human-approval)'],
  [
    'an answered gate',
    at('review', { decision }),
    [],
    'review',
    false,
    'a person has decided (human-approval); Muster acts on it next',
  ],
  ['a task that lands', at('land'), [], 'landing', false, 'its turn has not come yet'],
  ['a landing that waits', at('land', { wait: stop('approval') }), [], 'review', true, 'approval'],
  ['a held task', at('verify', { held: stop('no disk') }), [], 'review', true, 'no disk'],
  ['a phase that is not in the map', at('gone'), [], 'review', false, 'its turn has not come yet'],
  ['a completed task', at('x', { status: 'completed', phase: null }), ['a'], 'completed', false, null],
  ['a failed task', at('verify', { status: 'failed' }), [], 'failed', false, null],
  ['a cancelled task', at('verify', { status: 'cancelled' }), [], 'cancelled', false, null],
]

describe('what people see of a task', () => {
  test.each(cases)('%s', (_, state, blockedBy, stage, person, waits) => {
    expect(stageOf(state, map, blockedBy)).toBe(stage)
    expect(needsPerson(state, map)).toBe(person)
    expect(waitingFor(state, reasonFor(state, map, blockedBy))).toBe(waits)
  })

  test('whether a person has to answer at a forge is known once it was asked', () => {
    const forge = { ...known, signal: ['pr-review'] }
    const reviewed = buildPhaseMap(new Map([['review', { run: 'signal pr-review', on_pass: 'done' }]]), forge).map
    const asks = (more: Partial<TaskState>) => needsPerson(at('review', more), reviewed)
    expect([asks({}), asks({ wait: pause('a limit') }), asks({ wait: stop('a review') })]).toEqual([false, false, true])
  })

  test('whether acceptance needs a person is known once it was read: what others cover passes by itself', () => {
    const accepted = buildPhaseMap(new Map([['accept', { run: 'signal acceptance', on_pass: 'done' }]]), {
      ...known,
      signal: ['acceptance'],
    }).map
    const asks = (more: Partial<TaskState>) => needsPerson(at('accept', more), accepted)
    expect([asks({}), asks({ wait: stop('a person to look at it') })]).toEqual([false, true])
  })

  test('a role that judges is checking, also where it takes the place of an author', () => {
    const run = { id: 't-1.r1', kind: 'agent', name: 'reviewer', does: 'judge' } as const
    expect(stageOf(at('implement', { run }), map, [])).toBe('checking')
  })

  test('a task held before it started needs a person, too', () => {
    const held = { ...initialState('t-1', 50), held: stop('its phase map is empty') }
    expect(needsPerson(held, [])).toBe(true)
    expect(stageOf(held, [], [])).toBe('review')
  })

  test('D-8 only completed counts as completed: no stage on the way is taken for it', () => {
    const stages = cases.filter(([, state]) => state.status !== 'completed').map(([, , , stage]) => stage)
    expect(stages).not.toContain('completed')
  })
})
