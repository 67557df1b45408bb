/** What a person can do about a task. */
import { stop } from '../../domain/fixtures/reason.ts'
import { expect, test } from 'vitest'
import { Walk } from '../../domain/fixtures/walk.ts'
import { WORK } from '../../domain/task/purpose.ts'
import type { ListedTask, Store } from '../../ports/store.ts'
import { askedOf, possibleActions } from './task-need.ts'

const store = { contracts: async () => [] } as unknown as Store
const task = ({ state, rules }: Walk, more: object = {}): ListedTask =>
  ({
    spec: { id: 't-1', story: null, parent: null, purpose: WORK, phases: rules.map, ...more },
    state,
  }) as unknown as ListedTask

test.each<[string, Walk, string[]]>([
  ['completed', new Walk().to('land').runs('ADVANCE'), []],
  ['cancelled', new Walk().cancels(), ['retry']],
  ['at work', new Walk().step(), ['cancel']],
  ['at a gate', new Walk().to('review'), ['accept', 'reject', 'cancel']],
  [
    'about to land',
    new Walk().to('land').apply({ type: 'waited', reason: stop('x') }),
    ['approve', 'reject', 'cancel'],
  ],
  ['held', new Walk().runs('ERROR').runs('ERROR').runs('ERROR'), ['retry', 'reject', 'cancel']],
])('a task that is %s', async (_, walk, actions) => {
  expect(await possibleActions(store, task(walk))).toEqual(actions)
})

test('who answers for the branch of a story accepts; for the base one word approves as well', async () => {
  const asked = await askedOf(store, task(new Walk().to('review'), { story: 's' }))
  expect(asked).toMatchObject({ kind: 'review', actions: ['accept', 'reject', 'cancel'] })
})

test('a task that failed is told with its reason; one at work asks nobody', async () => {
  const limits = { ...new Walk().rules.limits, maxTaskRounds: 1 }
  const failed = new Walk(undefined, { limits }).runs('RETRY', 'no')
  expect(await askedOf(store, task(failed))).toMatchObject({ kind: 'failed', actions: ['retry', 'cancel'] })
  expect(await askedOf(store, task(new Walk().step()))).toBeNull()
})
