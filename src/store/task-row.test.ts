/** States as an older Muster stored them. */
import { expect, test } from 'vitest'
import { initialState } from '../domain/task.ts'
import { stateOf, stateText } from './task-row.ts'

const read = (state: object) => stateOf({ id: 't', status: 'in-progress', state: JSON.stringify(state) })
const { cause: _cause, answers: _answers, verifyThen: _then, validated: _validated, ...older } = initialState('t', 50)

test.each([
  [
    'question',
    {
      held: 'it may be advisory or not: muster contract t --type advisory lets it go on without verification, --type verifiable with',
    },
  ],
  ['deploy-unknown', { held: 'nobody saw how the deploy ended: it is gone' }],
  ['budget', { held: 'the budget of story s is used up, $2.00 of $1.00: raise limits.budgetUsd, then muster retry t' }],
  ['approval', { wait: "a person's approval to land on main (muster approve t)" }],
  [null, { held: 'phase "verify" used all its 1 attempts: a person\'s approval to land on main' }],
])('H-12 what was worded as %s is read as that value', (cause, more) => {
  expect(read({ ...older, ...more })).toMatchObject({ cause, answers: null, verifyThen: null, validated: false })
})

test('H-12 what is stored with a value is never read from its words', () => {
  const state = { ...initialState('t', 50), held: 'the budget of an agent is used up', cause: null }
  expect(stateOf({ id: 't', status: 'in-progress', state: stateText(state) }).cause).toBeNull()
})
