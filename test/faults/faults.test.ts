/**
 * Faults below the file system, drawn from a seed: a kill, a power cut, a full or a broken disk at any write, sync, rename,
 * removal, git command, start of a process or commit of the store; then Muster starts again. It must come to the same
 * end, or to one task that waits for a person and says why; and nothing torn may ever land. `npm test` takes a few
 * seeds, `npm run soak` ten thousand, in one process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { beginWork, endWork } from '../../src/outage.ts'
import { makeFolder, openProject } from '../../src/project.ts'
import { seeds } from '../support/draw.ts'
import { lay, within } from './layer.ts'
import { Life } from './life.ts'
import { type Live, play, TASKS, wrongOf } from './scenario.ts'

const stuckMs = 60_000
const side = 3
const perTest = 50

afterAll(lay())

let seen: string[] = []

/** Until it has nothing to do, stops because of the disk, or dies. */
const live: Live = async (world, draw, fault, boot, ledger) => {
  const life = new Life(ledger, draw, fault, boot)
  const go = async () => {
    world.project = await openProject(world.repository, world.env)
    makeFolder(world.project.dataDir)
    await beginWork(world.project, Date.now())
    await world.start((parts) => ({ ...parts, store: life.store(parts.store) }))
    await world.submit(TASKS)
    await world.settled()
    await world.engine.stop()
    await endWork(world.project, Date.now())
    return null
  }
  const { promise: stuck, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`it is stuck after ${life.seen.slice(-8).join(', ')}`), stuckMs)
  const going = within(life, () => go().catch((error: Error) => error.message))
  const stopped = (await Promise.race([going, life.died, stuck])) ?? null
  clearTimeout(timer)
  if (life.dead) await life.bury()
  else await Promise.race([world.engine?.stop(true).catch(() => undefined), delay(stuckMs, null, { ref: false })])
  await world.store?.close().catch(() => undefined)
  seen = life.seen
  return { died: life.dead ? (life.seen[(fault?.at ?? 0) - 1] ?? '') : null, stopped }
}

const whole = await play(null, 0, live)
const points = seen

test('without a fault the scenario ends as it should, and meets every kind of write', () => {
  expect(whole).toMatchObject({ stopped: null, tasks: ['completed', 'completed'], bad: null, pending: [] })
  const kinds = new Set(points.map((what) => (what.startsWith('start git') ? 'git' : what.split(' ')[0])))
  const expected = ['git', 'mkdir', 'open', 'rename', 'rm', 'start', 'store', 'sync', 'write', 'writeFile']
  expect([...kinds]).toEqual(expect.arrayContaining(expected))
})

const all = seeds([1, 2, 3, 4, 5, 6], 10_000)
const batches = Array.from({ length: Math.ceil(all.length / perTest) }, (_, n) => [
  all.slice(n * perTest, (n + 1) * perTest),
])

test.for(batches)(
  'F-1 faults below the file system, seeds %j',
  { timeout: perTest * stuckMs },
  async ([batch = []]) => {
    expect(await wrongOf(batch, side, async (seed) => [await play(seed, points.length, live), whole])).toEqual([])
  },
)
