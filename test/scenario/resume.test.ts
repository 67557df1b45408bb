/** An author that was cut short goes on: with its files and its session, and with its files alone if the session is gone (F-1, S0.34). */
import { afterEach, expect, test } from 'vitest'
import { TurnedClock } from '../support/clock.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const usage = (usd: number | null) => ({
  inputTokens: 10,
  cachedTokens: 0,
  outputTokens: 1,
  ...(usd === null ? {} : { usd }),
})
const tell = (told: object) => `tell '${JSON.stringify(told)}'`
const resumes = () => world.requests.map(({ runId, resume }) => [runId, resume?.session, resume?.usage.usd])

/** Starts the plan and stops Muster when its first run is at the gate. */
async function interrupted(script: string): Promise<void> {
  world.agent('s-1.implementer.1', `${script}; gate never`)
  world.gate('never')
  await world.start()
  await world.submit('  - { id: 1, name: One }\n')
  void world.settled()
  await world.until(({ type, line }) => type === 'output' && line === 'halfway')
  await world.stop()
  world.requests.length = 0
}

test('F-1 its next run has the session and all its files, and is counted as no round and no error', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  await interrupted(`echo half >half.txt; ${tell({ session: 'x', usage: usage(null) })}; echo halfway`)
  world.agent(
    's-1.implementer.2',
    `cat half.txt >whole.txt; ${tell({ session: 'x', usage: usage(0.5) })}; verdict pass`,
  )
  await world.start()
  await world.settled()
  expect(resumes()).toContainEqual(['s-1.r2', 'x', 0])
  expect(world.prompt('s-1.r2')).toMatch(/^An earlier run of this task was interrupted\.[^]*# One/)
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, cost: { usd: 0.5, inputTokens: 20 } })
  expect(world.git('show', 'muster/story/s:half.txt', 'muster/story/s:whole.txt')).toBe('half\nhalf')
})

test('what a run changed before it was cut short counts as its work, also if the rest changes nothing', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  await interrupted(`echo half >half.txt; ${tell({ session: 'x' })}; echo halfway`)
  await world.start()
  await world.settled()
  const task = await world.store.task('s-1')
  expect(task?.state).toMatchObject({ status: 'completed', idle: 0 })
  expect(world.git('show', 'muster/story/s:half.txt')).toBe('half')
})

test('F-1 a session that is gone is tried once: then a new one goes on with the files', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  await interrupted(`echo half >half.txt; ${tell({ session: 'x' })}; echo halfway`)
  world.agent('s-1.implementer.2', tell({ verdict: 'ERROR', detail: 'no session x', crashed: false }))
  world.agent('s-1.implementer.3', `cat half.txt >whole.txt; verdict pass`)
  await world.start()
  await world.settled()
  expect(resumes().filter(([run]) => run !== 's-1.r1')).toEqual([
    ['s-1.r2', 'x', 0],
    ['s-1.r3', undefined, undefined],
  ])
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, attempt: 3 })
  expect(world.prompt('s-1.r3')).toContain('An earlier run of this task was interrupted.')
  expect(world.git('show', 'muster/story/s:half.txt', 'muster/story/s:whole.txt')).toBe('half\nhalf')
})

test('after a rate limit it goes on as well, and again, with what the session has used so far', async () => {
  const clock = new TurnedClock()
  world = await World.create({ programs: { implementer: 'claude' } })
  const limit = { verdict: 'ERROR', detail: 'limit', retryAt: null, session: 'x' }
  world.agent('s-1.implementer.1', `echo a >a.txt; ${tell({ ...limit, usage: usage(1) })}`)
  world.agent('s-1.implementer.2', `echo b >b.txt; ${tell({ ...limit, usage: usage(2) })}`)
  world.agent('s-1.implementer.3', 'cat a.txt b.txt >c.txt; verdict pass')
  await world.start((parts) => ({ ...parts, clock }))
  await world.submit('  - { id: 1, name: One }\n')
  const settled = world.settled()
  for (const run of ['s-1.r1', 's-1.r2']) {
    await world.until((event) => event.type === 'run-ended' && event['run'] === run)
    clock.turn(10 * 60_000)
  }
  await settled
  expect(resumes()).toEqual([
    ['s-1.r1', undefined, undefined],
    ['s-1.r2', 'x', 1],
    ['s-1.r3', 'x', 3],
  ])
  expect(world.git('show', 'muster/story/s:c.txt')).toBe('a\nb')
})

test('what a person cancelled begins anew when it is retried', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  world.agent('s-1.implementer.1', `${tell({ session: 'x' })}; echo halfway; gate never`)
  world.gate('never')
  await world.start()
  await world.submit('  - { id: 1, name: One }\n')
  const settled = world.settled()
  await world.until(({ type, line }) => type === 'output' && line === 'halfway')
  await world.commands.cancel({ task: 's-1', reason: 'astray', by: 'tester' })
  await settled
  await world.commands.retry({ task: 's-1', by: 'tester' })
  await world.settled()
  expect(resumes()).toEqual([
    ['s-1.r1', undefined, undefined],
    ['s-1.r2', undefined, undefined],
  ])
})
