/** Landing what has a pull request, step by step, without a forge. */
import { describe, expect, test } from 'vitest'
import { buildPhaseMap } from '../../../domain/task/phase-map.ts'
import { PRESETS } from '../../../domain/task/presets.ts'
import { WORK } from '../../../domain/task/purpose.ts'
import { initialState, type TaskState } from '../../../domain/task/task.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Forge } from '../../../ports/forge.ts'
import type { ActionContext } from '../../../ports/steps.ts'
import type { Workspaces } from '../../../ports/workspaces.ts'
import { forgeMergeAction } from './merge.ts'

const clock = { now: () => 0, steady: () => 0, soon: setImmediate, after: () => () => undefined } as unknown as Clock

const known = {
  agent: ['implementer'],
  check: ['contract'],
  action: ['merge', 'open-pr', 'mark-ready'],
  signal: ['acceptance', 'pr-review'],
}
const phases = buildPhaseMap(new Map(Object.entries(PRESETS['pull-request'] ?? {})), known).map
const pull = {
  id: '1',
  url: 'https://x.invalid/1',
  state: 'open',
  head: 'c1',
  base: 'main',
  mergedAs: null,
  blocked: false,
}
const merged = { kind: 'merged', commit: async () => 'm1', old: 'm0', tree: 't1' }

/** The result, and what was done at the forge on the way. */
async function landing(lands: Forge['lands'], there: object = {}, forge: object = {}, workspaces: object = {}) {
  const done: string[] = []
  const state: TaskState = { ...initialState('t-1', 50), status: 'in-progress', phase: 'land', commit: 'c1' }
  const pr = { id: '1', url: pull.url, head: 'c1', place: 'x' }
  const context = {
    spec: { id: 't-1', title: 'One', target: 'main', parent: null, purpose: WORK, phases },
    state: { ...state, pr },
    config: { landing: 'merge', protected: [] },
    verified: 't1',
    said: async () => ['Verified.'],
    pinned: null,
    pin: async () => void done.push('pin'),
  } as unknown as ActionContext
  const fakeForge = {
    name: 'X',
    place: 'x',
    lands,
    read: async () => ({ ...pull, ...there }),
    meet: async () => null,
    reviews: async () => [],
    markReady: async () => void done.push('ready'),
    merge: async (_: unknown, { landed }: { landed: string | null }) => {
      done.push(`merge ${landed ?? 'there'}`)
      return { kind: 'merged', commit: 'm2' }
    },
    follow: async () => ({ kind: 'landed', tree: 't1' }),
    ...forge,
  } as unknown as Forge
  const fakeWorkspaces = {
    merge: async () => merged,
    brings: async () => false,
    land: async () => ({ kind: 'landed' }),
    isAncestor: async () => true,
    at: async () => ({ tree: 't9' }),
    head: async () => 'h1',
    obstacle: async () => null,
    ...workspaces,
  } as unknown as Workspaces
  const result = await forgeMergeAction(fakeWorkspaces, fakeForge, clock).execute(context)
  const { outcome, detail } = result
  return { outcome, detail, reverify: outcome === 'WAIT' && result.reverify === true, done }
}

describe('where Muster lands itself', () => {
  test('the record follows, made ready if nobody has', async () => {
    expect(await landing('here')).toMatchObject({ outcome: 'ADVANCE', done: ['pin', 'merge m1'] })
    expect((await landing('here', { state: 'draft' })).done).toEqual(['ready', 'pin', 'merge m1'])
  })

  test('one that a person closed fails the task, and what did not land is not recorded as landed', async () => {
    expect(await landing('here', { state: 'closed' })).toMatchObject({ outcome: 'ERROR', done: [] })
    const blocked = { land: async () => ({ kind: 'blocked', detail: 'a.txt is changed', brief: false }) }
    expect(await landing('here', {}, {}, blocked)).toMatchObject({ outcome: 'WAIT', done: ['pin'] })
  })
})

describe('where the forge merges', () => {
  test('L8 the verified head is merged, and what came of it followed', async () => {
    expect(await landing('there')).toMatchObject({ outcome: 'ADVANCE', done: ['pin', 'merge there'] })
  })

  test.each<[string, object, object, object]>([
    ['it is a draft', { state: 'draft' }, {}, {}],
    ['it goes to another branch', { base: 'other' }, {}, {}],
    ['its head moved', { head: 'c2' }, {}, {}],
    [
      'the target is to be pushed there first',
      {},
      { meet: async () => 'main at X lacks commits that are only here' },
      {},
    ],
    ['the checkout is in the way', {}, {}, { obstacle: async () => 'a clean checkout' }],
    ['the merge was not verified', {}, {}, { merge: async () => ({ ...merged, tree: 't2' }) }],
  ])('nothing is merged as long as %s', async (_, there, forge, workspaces) => {
    expect(await landing('there', there, forge, workspaces)).toMatchObject({ outcome: 'WAIT', done: [] })
  })

  test('what it made of the target is verified if it is another tree', async () => {
    const follow = async () => ({ kind: 'landed', tree: 't2' })
    expect(await landing('there', {}, { follow })).toMatchObject({ outcome: 'WAIT', reverify: true })
    const now = { at: async () => ({ tree: 't1' }) }
    expect(await landing('there', {}, { follow }, now)).toMatchObject({ outcome: 'ADVANCE' })
  })

  test('what somebody merged is followed without being merged again', async () => {
    const found = await landing('there', { state: 'merged', mergedAs: 'm2' })
    expect(found).toMatchObject({ outcome: 'ADVANCE', done: [] })
    expect(await landing('there', { state: 'merged', mergedAs: null })).toMatchObject({ outcome: 'WAIT' })
  })
})
