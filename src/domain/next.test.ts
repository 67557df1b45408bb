/** What `muster explain` and notices tell a person to type. */
import { expect, test } from 'vitest'
import { Walk } from './fixtures/walk.ts'
import { nextCommands } from './next.ts'

const reject = 'muster reject t-1 -m "what must change"'
const waits = (cause?: 'approval' | 'unanswered') =>
  new Walk().to('land').apply({ type: 'waited', reason: 'x', ...(cause && { cause }) })

test.each<[string, Walk, string[]]>([
  ['not started', new Walk(), ['muster run']],
  ['at work', new Walk().step(), ['muster logs t-1 -f', 'muster cancel t-1']],
  ['at a gate', new Walk().to('review'), ['muster diff t-1', 'muster accept t-1', reject]],
  ['about to land on a protected branch', waits('approval'), ['muster diff t-1', 'muster approve t-1', reject]],
  ['kept from landing', waits(), ['muster diff t-1', 'muster run', reject]],
  ['about to land unanswered', waits('unanswered'), ['muster show t-1', 'muster accept t-1', reject]],
  [
    'held without a result',
    new Walk().runs('ERROR').runs('ERROR').runs('ERROR'),
    ['muster logs t-1', 'muster retry t-1', 'muster cancel t-1'],
  ],
  ['cancelled', new Walk().cancels(), ['muster logs t-1', 'muster retry t-1']],
  ['completed', new Walk().to('land').runs('ADVANCE'), ['muster diff t-1']],
])('a task that is %s', (_, { state, rules }, commands) => {
  expect(nextCommands(state, rules.map)).toEqual(commands)
})
