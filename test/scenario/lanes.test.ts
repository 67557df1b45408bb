/** Rate limits: the program's lane pauses, nothing else does, and nobody pays for it with a round (L33, L38, S0.44). */
import { afterEach, expect, test } from 'vitest'
import { explain } from '../../src/engine/views/explain.ts'
import { limitedPrograms } from '../../src/engine/loop/rate-limits.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import { TurnedClock } from '../support/clock.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const minutes = 60_000
const hours = 60 * minutes

/** At its limit, until that time or for nobody knows how long, on its first attempts; then it works. */
const limited = (retryAt: number | null, attempts = 1) =>
  `if [ "$MUSTER_ATTEMPT" -le ${attempts} ]; then tell '{"verdict":"ERROR","detail":"limit reached","retryAt":${retryAt}}'; else work; verdict pass; fi`

const on = (clock: TurnedClock) => (parts: EngineParts) => ({ ...parts, clock })
const limits = async (clock: TurnedClock) => limitedPrograms(world.store, clock.now())

test('L33, L38 a limit costs neither round nor error, holds up its program alone, and ends by itself', async () => {
  const clock = new TurnedClock()
  const until = clock.now() + 2 * hours
  world = await World.create({
    programs: { implementer: 'claude', coder: 'codex' },
    config: 'limits: { maxWorkers: 1 }',
  })
  world.agent('s-1', limited(until))
  await world.start(on(clock))
  await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n  - { id: 3, name: Three, agent: coder }\n')
  const settled = world.settled()
  await world.until(({ type, task }) => type === 'task-completed' && task === 's-3')
  expect(world.started()).toEqual(['s-1.r1', 's-3.r1'])
  expect(await limits(clock)).toEqual([{ program: 'claude', until, since: expect.any(Number) as number }])
  const [one, two] = await Promise.all(['s-1', 's-2'].map((id) => world.store.task(id)))
  expect(one?.state).toMatchObject({ round: 0, errors: 0, interruptions: 0, held: null })
  const waits = `claude is at its rate limit until ${new Date(until).toISOString()}`
  for (const task of [one, two]) {
    const told = task && (await explain(world.store, task, await limits(clock)))
    expect(told?.waitingFor).toBe(waits)
  }
  clock.turn(2 * hours + 1)
  await settled
  expect(world.started()).toEqual(['s-1.r1', 's-3.r1', 's-1.r2', 's-2.r1'])
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  expect(await world.store.setting('limited')).toBeNull()
})

test('L38 a run that ends well does not lift the limit that another met while it worked', async () => {
  const clock = new TurnedClock()
  const until = clock.now() + 30 * hours
  world = await World.create({ programs: { implementer: 'claude' }, config: 'limits: { maxWorkers: 2 }' })
  const gate = world.gate('work')
  world.agent('s-1', limited(until))
  world.agent('s-2', 'gate work; work; verdict pass')
  await world.start(on(clock))
  await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n  - { id: 3, name: Three }\n')
  await world.until(({ type, run }) => type === 'run-started' && run === 's-2.r1')
  await world.until(({ type }) => type === 'program-limited')
  await gate.open()
  await world.until(({ type, task }) => type === 'task-completed' && task === 's-2')
  expect(await limits(clock)).toMatchObject([{ program: 'claude', until }])
  await world.settled()
  expect(world.started()).not.toContain('s-3.r1')
})

test('a limit survives a restart; nobody waits for one that lasts longer than six hours', async () => {
  const clock = new TurnedClock()
  world = await World.create({ programs: { implementer: 'claude' } })
  world.agent('s-1', limited(clock.now() + 30 * hours))
  await world.start(on(clock))
  await world.submit('  - { id: 1, name: One }\n')
  await world.settled()
  await world.stop()
  await world.start(on(clock))
  await world.settled()
  expect(world.started()).toEqual(['s-1.r1'])
  clock.turn(25 * hours)
  const settled = world.settled()
  clock.turn(6 * hours)
  await settled
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
})

test('without a time it waits a minute, then two, then four; a limit that lasts is no reason to hold the task', async () => {
  const clock = new TurnedClock()
  world = await World.create({ programs: { implementer: 'claude' } })
  world.agent('s-1', limited(null, 4))
  await world.start(on(clock))
  await world.submit('  - { id: 1, name: One }\n')
  const settled = world.settled()
  for (const [tries, wait] of [1, 2, 4, 8].entries()) {
    await world.until(({ type, run }) => type === 'run-ended' && run === `s-1.r${tries + 1}`)
    const [limit] = await limits(clock)
    expect(Math.round(((limit?.until ?? 0) - clock.now()) / minutes)).toBe(wait)
    // The lane is closed before the run's end is stored; the task is looked at after that.
    clock.turn(wait * minutes)
  }
  await settled
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, attempt: 5 })
})

test('S0.44, L38 a checker at its limit: people see until when, nobody waits for long, and a person may speak first', async () => {
  const clock = new TurnedClock()
  const until = clock.now() + 30 * hours
  world = await World.create({
    programs: { implementer: 'claude', checker: 'codex' },
    config: `phases: ${ACCEPTED}`,
  })
  world.agent('implementer', 'echo work >work; verdict pass')
  world.agent('checker', `tell '{"verdict":"ERROR","detail":"limit reached","retryAt":${until}}'`)
  await world.start(on(clock))
  await world.submit('  - { id: 1, name: One }\n')
  await world.settled()
  await world.stop()
  await world.start(on(clock))
  // Tasks without a story do not wait for the checker of one that has.
  await world.engine.settled(null)
  await world.settled()
  expect(world.started()).toEqual(['s-1.r1', 's-1.check.1.r1'])
  const task = await world.store.task('s-1')
  const told = task && (await explain(world.store, task, await limits(clock)))
  expect(told?.waitingFor).toBe(
    `its checker (s-1.check.1) has not started: codex is at its rate limit until ${new Date(until).toISOString()}`,
  )
  expect(await world.task('s-1')).toMatchObject({ stage: 'checking', checker: { status: 'pending' } })
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', waiver: null })
})
