/** A clock that somebody sets, or that was wrong until the network told it better: nothing waits for a time that is gone. */
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/app.ts'
import { limitedPrograms } from '../../src/engine/loop/rate-limits.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { TurnedClock } from '../support/clock.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const year = 365 * 24 * 60 * 60 * 1000

test('F-10, L38 a limit that was met while the clock was a year ahead does not last for a year', async () => {
  const clock = new TurnedClock()
  clock.set(year)
  const until = clock.now() + 60 * 60_000
  world = await World.create({ programs: { implementer: 'claude' } })
  world.agent(
    's-1',
    `if [ "$MUSTER_ATTEMPT" = 1 ]; then tell '{"verdict":"ERROR","detail":"limit reached","retryAt":${until}}'; else work; verdict pass; fi`,
  )
  await world.start((parts) => ({ ...parts, clock }))
  await world.submit('  - { id: 1, name: One }\n')
  await world.until(({ type }) => type === 'program-limited')
  await world.stop()
  clock.set(-year)
  await world.start((parts) => ({ ...parts, clock }))
  expect(await limitedPrograms(world.store, clock.now())).toEqual([])
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
})

test('F-1, F-10 a clock that jumps by a year, forward and back, at every look: the work ends as it should, and all is told', async () => {
  let looks = 0
  const clock: Clock = { ...systemClock, now: () => Date.now() + (++looks % 2 === 0 ? year : -year) }
  world = await World.create({ roles: ['implementer', 'checker'], config: 'checks: { unit: "test -e s-1.txt" }' })
  // Its first round ends without a verdict: that is told to a person, too.
  world.agent('s-1.implementer.1', ':')
  world.agent('checker', 'verdict fail "look again"')
  await world.start((parts) => ({ ...parts, clock }))
  await world.submit(
    `  - { id: 1, name: One, checks: [unit] }\n  - { id: 2, name: Two, depends_on: [1], phases: ${ACCEPTED} }\n`,
  )
  await world.settled()
  await world.accept('s-2', 'it is fine')
  await world.settled()
  for (const id of ['s-1', 's-2']) expect(await world.task(id)).toMatchObject({ status: 'completed' })
  expect((await world.notices()).map(({ key }) => key.split(':')[0])).toEqual(['crash', 'checked-FAIL', 'story'])
  expect((await world.store.verifyHistory()).bad).toBeNull()
})
