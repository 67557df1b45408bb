/** States as an older Muster stored them. */
import { expect, test } from 'vitest'
import { because, codeOf, comesByItself, wordsOf } from '../domain/task/reasons.ts'
import { initialState, type TaskState } from '../domain/task/task.ts'
import { stateOf, stateText } from './task-row.ts'

const read = (state: object) => stateOf({ id: 't', status: 'in-progress', state: JSON.stringify(state) })
const {
  answers: _answers,
  verifyThen: _then,
  validated: _validated,
  failure: _failure,
  ...rest
} = initialState('t', 50)
/** Before reasons were values, and before anything stood beside their sentences. */
const older = { ...rest, failureReason: null }
const reasonOf = ({ held, wait }: TaskState) => held ?? wait

test.each([
  [
    'contract-question',
    {
      held: 'it may be advisory or not: muster contract t --type advisory lets it go on without verification, --type verifiable with',
    },
  ],
  ['deploy-unknown', { held: 'nobody saw how the deploy ended: it is gone' }],
  ['budget', { held: 'the budget of story s is used up, $2.00 of $1.00: raise limits.budgetUsd, then muster retry t' }],
  ['approval', { wait: "a person's approval to land on main (muster approve t)" }],
  [null, { held: 'phase "verify" used all its 1 attempts: a person\'s approval to land on main' }],
])('H-12 what was worded as %s is read as that value, with its words', (code, more) => {
  const state = read({ ...older, ...more })
  expect(state).toMatchObject({ answers: null, verifyThen: null, validated: false, failure: null })
  expect(codeOf(reasonOf(state))).toBe(code)
  expect(reasonOf(state)).toMatchObject({ code: 'older', params: { text: Object.values(more)[0] } })
})

test.each([
  ['question', 'contract-question'],
  ['queue', 'queue'],
  [null, null],
])('H-12 the cause %s that stood beside a sentence is its code, whatever the words are', (cause, code) => {
  const state = read({ ...older, wait: 'the budget of story s is used up', cause, byItself: true })
  expect(codeOf(state.wait)).toBe(code)
  expect(state.wait !== null && comesByItself(state.wait)).toBe(true)
})

test('why a task failed, and what its run waited for, are read as well', () => {
  const run = { id: 't.r1', kind: 'action', name: 'merge', waited: 'a clean checkout' }
  const { failure, run: active } = read({ ...older, failureReason: 'exceeded max rounds (3): no', run })
  expect(failure === null ? null : wordsOf(failure)).toBe('exceeded max rounds (3): no')
  expect(active?.waited).toMatchObject({ code: 'older', params: { text: 'a clean checkout' } })
})

test('H-12 what is stored as a value is never read from its words', () => {
  const held = because('unclear', { said: 'the budget of an agent is used up' })
  const state = { ...initialState('t', 50), held }
  expect(stateOf({ id: 't', status: 'in-progress', state: stateText(state) }).held).toEqual(held)
})

test.each([
  ['checker', undefined, 'judge'],
  ['checker', 'work', 'work'],
  ['implementer', undefined, 'work'],
])('the run of the %s that is under way, stored to do %s, does %s', (name, does, expected) => {
  const run = { id: 't.r1', kind: 'agent', name, ...(does === undefined ? {} : { does }) }
  expect(read({ ...older, run }).run).toEqual({ id: 't.r1', kind: 'agent', name, does: expected })
})
