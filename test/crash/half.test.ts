/** What was half written when Muster was killed keeps nobody from going on. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { CrashingPorts } from './points.ts'

const ONE = '  - { id: 1, name: One }\n'

let world: World
beforeEach(async () => {
  world = await World.create()
  world.agent('default', 'echo one >one; verdict pass')
})
afterEach(() => world.dispose())

test.for(['before', 'after'] as const)(
  'F-1 an empty base.json, killed %s its worker started: the run is made anew, and the task completes',
  async (side) => {
    const at = await startOf()
    const ports = new CrashingPorts({ at, side })
    await world.start((parts) => ports.wrap(parts))
    await world.submit(ONE)
    void world.settled()
    await ports.crashed
    await ports.bury()
    await world.store.close()
    writeFileSync(join(world.project.dataDir, 'runs/s-1.r1/base.json'), '')
    await world.start()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
    expect(world.git('show', 'muster/story/s:one')).toBe('one')
  },
)

/** The point at which the worker is started, in a world like ours. */
async function startOf(): Promise<number> {
  const other = await World.create()
  const ports = new CrashingPorts(null)
  try {
    await other.start((parts) => ports.wrap(parts))
    await other.submit(ONE)
    await other.settled()
    return ports.seen.indexOf('runtime.start') + 1
  } finally {
    await other.dispose()
  }
}
