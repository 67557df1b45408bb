/** What `muster explain` and notices tell a person to type. */
import { expect, test } from 'vitest'
import { Walk } from '../fixtures/walk.ts'
import { nextCommands } from './next.ts'
import { because, type Reason } from './reasons.ts'
import { stop } from '../fixtures/reason.ts'

const reject = 'muster reject t-1 -m "what must change"'
const waits = (reason: Reason) => new Walk().to('land').apply({ type: 'waited', reason })

test.each<[string, Walk, string[]]>([
  ['not started', new Walk(), ['muster run']],
  ['at work', new Walk().step(), ['muster logs t-1 -f', 'muster cancel t-1']],
  ['at a gate', new Walk().to('review'), ['muster diff t-1', 'muster accept t-1', reject]],
  [
    'about to land on a protected branch',
    waits(because('approval', { task: 't-1', target: 'main', open: [] })),
    ['muster diff t-1', 'muster approve t-1', reject],
  ],
  ['kept from landing', waits(stop('a clean checkout')), ['muster diff t-1', 'muster run', reject]],
  [
    'about to land unanswered',
    waits(because('unanswered', { ids: ['c1'] })),
    ['muster show t-1', 'muster accept t-1', reject],
  ],
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
