/**
 * Faults below the file system, drawn from a seed: a kill, a power cut, a full or a broken disk at any write, sync, rename,
 * removal, git command, start of a process or commit of the store; then Muster starts again. It must come to the same
 * end, or to one task that waits for a person and says why; and nothing torn may ever land. `npm test` takes a few
 * seeds, `npm run soak` ten thousand, in one process.
 */
import { afterAll, expect, test } from 'vitest'
import { beginWork, endWork } from '../../src/outage.ts'
import { makeFolder, openProject } from '../../src/project.ts'
import { seeds } from '../support/draw.ts'
import { lay, within } from './layer.ts'
import { Life } from './life.ts'
import { LARGE, type Live, play, type Scenario, SMALL, STUCK, wrongOf } from './scenario.ts'

const stuckMs = 60_000
const side = 4
const perTest = 50

afterAll(lay())

let seen: string[] = []

/** Until it has nothing to do, stops because of the disk, or dies. */
const live: Live = async (world, tasks, draw, fault, boot, ledger) => {
  const life = new Life(ledger, draw, fault, boot)
  const earlier = world.engine
  const go = async () => {
    world.project = await openProject(world.repository, world.env)
    makeFolder(world.project.dataDir)
    await beginWork(world.project, Date.now())
    await world.start((parts) => ({ ...parts, store: life.store(parts.store) }))
    await world.submit(tasks)
    await world.settled()
    await world.engine.stop()
    await endWork(world.project, Date.now())
    return null
  }
  const { promise: stuck, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`${STUCK} after ${life.seen.slice(-8).join(', ')}`), stuckMs)
  const going = within(life, () => go().catch((error: Error) => error.message))
  const stopped = (await Promise.race([going, life.died, stuck])) ?? null
  clearTimeout(timer)
  if (life.dead) await life.bury()
  else if (world.engine !== earlier) await world.engine.stop(true).catch(() => undefined)
  await world.store?.close().catch(() => undefined)
  seen = life.seen
  return { died: life.dead ? (life.seen[(fault?.at ?? 0) - 1] ?? '') : null, stopped }
}

/** How it ends without a fault, and what it asks for on the way. */
async function whole(scenario: Scenario) {
  const end = await play(scenario, null, 0, live)
  return { scenario, end, points: seen }
}
const [large, small] = [await whole(LARGE), await whole(SMALL)]

test.for([large, small])('without a fault $scenario.ids end as they should', ({ scenario, end, points }) => {
  const tasks = scenario.ids.map(() => 'completed')
  expect(end).toMatchObject({ stopped: null, tasks, bad: null, pending: [] })
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
    const wrong = await wrongOf(batch, side, async (seed) => {
      const { scenario, end, points } = seed % 3 === 0 ? large : small
      return [await play(scenario, seed, points.length, live), end]
    })
    expect(wrong).toEqual([])
  },
)
