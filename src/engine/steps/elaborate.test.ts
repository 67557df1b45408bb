/** How an elaboration stands. */
import { ELABORATION, WORK } from '../../domain/task/purpose.ts'
import { expect, test } from 'vitest'
import type { Store } from '../../ports/store.ts'
import { draftOf } from './elaborate.ts'

const draft = (state: object, purpose = ELABORATION) => {
  const store = {
    task: async () => ({
      spec: { instructions: 'A shop', purpose },
      state: { status: 'in-progress', phase: 'elaborate', held: null, ...state },
    }),
    runs: async () => [],
    findings: async () => [],
    events: async () => [{ type: 'decision', data: { message: 'story shop' } }],
  }
  return draftOf(store as unknown as Store, 't-1')
}

test.each([
  [{}, 'elaborating'],
  [{ phase: 'draft' }, 'waiting'],
  [{ held: 'no disk' }, 'failed'],
  [{ status: 'failed' }, 'failed'],
  [{ status: 'cancelled' }, 'cancelled'],
  [{ status: 'completed' }, 'approved'],
])('%j is %s', async (state, status) => {
  expect((await draft(state)).status).toBe(status)
})

test('one that was approved names its story; another task is none', async () => {
  expect([(await draft({ status: 'completed' })).story, (await draft({})).story]).toEqual(['shop', null])
  await expect(draft({}, WORK)).rejects.toMatchObject({ code: 'not_found' })
})
