/** Agents, checks and setups that take too much of the machine: their run ends with the limit named, and never passes. */
import { expect, onTestFinished, test } from 'vitest'
import { findPlaces } from '../../src/process/limits/groups.ts'
import { World } from '../support/world.ts'

const places = await findPlaces()
const noMemory = typeof places.memory === 'string'
const skipped = (place: unknown): string => (typeof place === 'string' ? ` (SKIPPED: ${place})` : '')

async function world(limits: string, config = ''): Promise<World> {
  const sandbox = `sandbox: { mode: off, limits: ${limits} }\n`
  const made = await World.create({ config: `limits: { maxErrorAttempts: 1 }\n${sandbox}${config}` })
  onTestFinished(() => made.dispose())
  return made
}

const HOG = `perl -e '$x = "x" x (256 << 20)'`
const MEMORY = 'it reached its limit of 128 MB of memory (to change the limit: sandbox.limits.memory in muster.yaml)'
const DISK = 'its workspace grew beyond its limit of 50 MB (to change the limit: sandbox.limits.disk in muster.yaml)'

/** Its task waits for a person, who is told this; the other one went on. */
async function heldFor(w: World): Promise<string> {
  const held = await w.task('s-1')
  expect(held).toMatchObject({ status: 'in-progress', stage: 'review' })
  expect(await w.task('s-2')).toMatchObject({ status: 'completed' })
  expect(w.workspacesLeft()).toEqual([])
  return held.waitingFor ?? ''
}
const TWO = '  - { id: 1, name: One }\n  - { id: 2, name: Two }\n'

test.skipIf(noMemory)(`an author that takes too much memory does not pass${skipped(places.memory)}`, async () => {
  const w = await world('{ memory: 128m }')
  w.agent('s-1', `work; ${HOG}; verdict pass`)
  await w.run(TWO)
  expect(await heldFor(w)).toContain(MEMORY)
})

test('an author that fills its workspace is ended', async () => {
  const w = await world('{ disk: 50m }')
  w.agent('s-1', 'work; verdict pass; head -c 150m /dev/zero >large; exec sleep 1000')
  await w.run(TWO)
  expect(await heldFor(w)).toContain(DISK)
})

test.skipIf(typeof places.pids === 'string')(
  `an author that starts too many processes does not pass${skipped(places.pids)}`,
  async () => {
    const w = await world('{ processes: 64 }')
    w.agent('s-1', `work; verdict pass; perl -e 'fork for 1..8; sleep 1'`)
    await w.run(TWO)
    expect(await heldFor(w)).toContain(
      'it reached its limit of 64 processes and threads, so programs could not start others (to change the limit: sandbox.limits.processes in muster.yaml)',
    )
  },
)

test.skipIf(noMemory)(`a check that takes too much memory says nothing${skipped(places.memory)}`, async () => {
  const checks = `checks:\n  unit: |-\n    if [ -e s-1.txt ]; then ${HOG}; fi; exit 0\n`
  const w = await world('{ memory: 128m }', checks)
  await w.run('  - { id: 1, name: One, checks: [unit] }\n  - { id: 2, name: Two, checks: [unit] }\n')
  expect(await heldFor(w)).toContain(MEMORY)
})

test.skipIf(noMemory)(`a setup that takes too much memory has failed${skipped(places.memory)}`, async () => {
  const w = await world('{ memory: 128m }', `setup: |-\n  ${HOG}; exit 0\n`)
  await w.run('  - { id: 1, name: One }\n')
  const held = await w.task('s-1')
  expect(held).toMatchObject({ status: 'in-progress', stage: 'review' })
  expect(held.waitingFor).toContain(MEMORY)
})
