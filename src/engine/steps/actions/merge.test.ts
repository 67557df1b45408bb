/** Landing, step by step, without git. That it does the same with git is told by scenarios. */
import { stop } from '../../../domain/fixtures/reason.ts'
import { WORK } from '../../../domain/task/purpose.ts'
import { describe, expect, test } from 'vitest'
import { initialState, type TaskState } from '../../../domain/task/task.ts'
import type { ActionContext } from '../../../ports/steps.ts'
import type { Workspaces } from '../../../ports/workspaces.ts'
import { mergeAction } from './merge.ts'

const merged = { kind: 'merged', commit: async () => 'm1', old: 'm0', tree: 't1' }
/** No pause takes any time. */
const AT_ONCE = {
  after(_ms: number, callback: () => void) {
    callback()
    return () => undefined
  },
}
const already = { kind: 'already', commit: 'm2', as: null }

function landing(workspaces: object, more: Partial<Record<keyof ActionContext, unknown>> = {}) {
  const pins: unknown[] = []
  const state: TaskState = { ...initialState('t-1', 50), status: 'in-progress', phase: 'land', commit: 'c1' }
  const context = {
    spec: { id: 't-1', title: 'One', target: 'main', purpose: WORK },
    state,
    config: { landing: 'merge', protected: [] },
    verified: 't1',
    said: async () => ['Verified.'],
    pinned: null,
    pin: async (data: unknown) => void pins.push(data),
    ...more,
  } as unknown as ActionContext
  const fake = {
    merge: async () => merged,
    land: async () => ({ kind: 'landed' }),
    isAncestor: async () => true,
    at: async (commit: string) => ({ tree: `tree of ${commit}` }),
    ...workspaces,
  } as unknown as Workspaces
  return { ended: mergeAction(fake, AT_ONCE).execute(context), pins }
}

describe('a landing', () => {
  test('L6 pins what it is about to do, then moves the branch', async () => {
    const { ended, pins } = landing({})
    expect(await ended).toMatchObject({ outcome: 'ADVANCE', landed: { from: 'm0', to: 'm1', tree: 't1' } })
    expect(pins).toEqual([{ commit: 'm1', old: 'm0', target: 'main' }])
  })

  test('L7 counts only if it is found on the target', async () => {
    const { ended } = landing({ isAncestor: async () => false })
    expect(await ended).toMatchObject({ outcome: 'ERROR', detail: 'main moved 5 times while this was landing' })
  })

  test('D-15 of a tree that was not verified waits for that, and pins nothing', async () => {
    const { ended, pins } = landing({}, { verified: 't0' })
    expect(await ended).toMatchObject({ outcome: 'WAIT', reverify: true })
    expect(pins).toEqual([])
  })

  test.each([
    [{ kind: 'blocked', detail: 'a.txt is changed', brief: false }, 1],
    [{ kind: 'blocked', detail: 'a lock', brief: true }, 8],
  ])('that %j is tried %i times, and waits for what is in the way', async (answer, times) => {
    let tries = 0
    const land = async () => {
      tries += 1
      return answer
    }
    expect(await landing({ land }).ended).toMatchObject({ outcome: 'WAIT', detail: answer.detail })
    expect(tries).toBe(times)
  })

  test('of a target that moved again and again after something was in the way is an error, and waits for nothing', async () => {
    const answers = [{ kind: 'blocked', detail: 'a lock', brief: true }]
    const land = async () => answers.shift() ?? { kind: 'moved' }
    expect(await landing({ land }).ended).toMatchObject({ outcome: 'ERROR' })
  })
})

describe('work that is on its target already', () => {
  const there = { merge: async () => already }

  test('has landed', async () => {
    const { ended } = landing(there, { verified: 'tree of m2' })
    expect(await ended).toMatchObject({ outcome: 'ADVANCE', detail: 'main already contains it' })
  })

  test('with something else beside it is verified first', async () => {
    expect(await landing(there).ended).toMatchObject({ outcome: 'WAIT', reverify: true })
  })

  test('L6 by a push that outlived its Muster has landed by that, though it arrived only now', async () => {
    let looks = 0
    const isAncestor = async () => {
      looks += 1
      return looks > 1
    }
    const { ended } = landing({ ...there, isAncestor }, { pinned: { commit: 'm1', old: 'm0' } })
    expect(await ended).toMatchObject({ outcome: 'ADVANCE', landed: { from: 'm0', to: 'm1', tree: 'tree of m1' } })
  })

  test('is what a story’s Ship deploys, whoever brought it there', async () => {
    const spec = { id: 's.ship.1', title: 'Ship', target: 'main', purpose: { is: 'ship', story: 's' } }
    const { ended } = landing({ ...there, head: async () => 'h1' }, { spec })
    expect(await ended).toMatchObject({ outcome: 'ADVANCE', landed: { from: 'h1', to: 'h1' } })
  })
})

describe('before a landing begins', () => {
  const spec = { id: 't-1', target: 'main' } as ActionContext['spec']
  const state: TaskState = { ...initialState('t-1', 50), commit: 'c1' }
  const config = { protected: ['main'] } as unknown as ActionContext['config']
  const obstacle = async () => 'a clean checkout'
  const { notYet } = mergeAction({ obstacle } as unknown as Workspaces, AT_ONCE)
  const approved = { ...state, approval: { commit: 'c1', by: 'ann' } }

  test('S1.26 a protected branch needs an approval of exactly this snapshot', async () => {
    expect(await notYet(spec, state, config)).toMatchObject({ code: 'approval' })
    expect(await notYet(spec, { ...approved, commit: 'c2' }, config)).toMatchObject({ code: 'approval' })
    expect(await notYet(spec, approved, config)).toBeNull()
  })

  test('what was in the way is looked at again', async () => {
    expect(await notYet(spec, { ...approved, wait: stop('a clean checkout') }, config)).toEqual(
      stop('a clean checkout'),
    )
  })
})
