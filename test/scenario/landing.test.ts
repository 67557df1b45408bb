/** Landing, beside what people.test.ts tells: in time with people, and exactly once. */
import { afterEach, expect, test } from 'vitest'
import { mergeAction } from '../../src/engine/actions/merge.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

test('S1.26, L6 a cancellation in the middle of a landing waits for it and finds the task completed', async () => {
  world = await World.create()
  world.agent('s-1', 'echo one >one; verdict pass')
  let cancelling: Promise<unknown> | null = null
  await world.start((parts) => {
    const land: typeof parts.workspaces.land = (...args) => {
      cancelling = world.commands.cancel({ task: 's-1', reason: '', by: 'tester' })
      cancelling.catch(() => undefined)
      return parts.workspaces.land(...args)
    }
    return { ...parts, actions: { merge: mergeAction({ ...parts.workspaces, land }) } }
  })
  await world.submit(ONE)
  await world.settled()
  await expect(cancelling).rejects.toMatchObject({ code: 'gate_closed', message: 's-1 is completed already' })
  expect(world.git('show', 'muster/story/s:one')).toBe('one')
})
