/** Steps at a forge count as done only when they are found to be so (L7). */
import { expect, test } from 'vitest'
import type { PhaseMap } from '../../../domain/task/phase-map.ts'
import { WORK } from '../../../domain/task/purpose.ts'
import { initialState } from '../../../domain/task/task.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { ActionContext } from '../../../ports/steps.ts'
import { markReadyAction } from './actions.ts'

const phases = [{ name: 'review', step: { type: 'signal', name: 'pr-review' } }] as unknown as PhaseMap
const pr = { id: '1', url: 'https://x.invalid/1', head: 'c1', place: 'x' }

/** What comes of it where the pull request stands so before and after. */
async function ready(...states: string[]) {
  const done: string[] = []
  const forge = {
    name: 'X',
    place: 'x',
    read: async () => ({ url: pr.url, state: states.shift() }),
    markReady: async () => void done.push('ready'),
  } as unknown as Forge
  const spec = { id: 't-1', parent: null, purpose: WORK, phases }
  const context = { spec, state: { ...initialState('t-1', 50), commit: 'c1', pr } } as unknown as ActionContext
  const { outcome } = await markReadyAction(forge).execute(context)
  return [outcome, ...done]
}

test('mark-ready is over when the pull request is no draft any more', async () => {
  expect(await ready('draft', 'open')).toEqual(['ADVANCE', 'ready'])
  expect(await ready('draft', 'draft')).toEqual(['WAIT', 'ready'])
  expect(await ready('closed')).toEqual(['ERROR'])
})
