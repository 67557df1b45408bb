/** The preset `pull-request` without a server. */
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

test('S2.19-S2.21, S2.30, S2.31 the preset pull-request runs without a server: a person answers with accept and reject', async () => {
  world = await World.create({ config: 'phases: pull-request\n' })
  world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', stage: 'review', pr: 'muster:pull/s-1' })
  await world.reject('s-1', 'say it better')
  await world.settled()
  expect(world.prompt('s-1.r4')).toContain('say it better')
  await world.accept('s-1', 'fine now')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
  expect(world.git('show', 'muster/story/s:one.txt')).toBe('2')
})
