/**
 * A power cut leaves files empty, or not there at all, that were written and not synced. After a crash in the middle of the
 * work each file of Muster's data is emptied in turn, then removed in turn, synced or not: Muster must start, go on, and
 * come to an end; at worst a task waits for a person and says why. `npm test` takes a sample, `npm run soak` all.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../support/after.ts'
import { ACCEPTED } from '../support/maps.ts'
import { writeDurably } from '../../src/durable.ts'
import { beginWork } from '../../src/outage.ts'
import { World } from '../support/world.ts'
import { CrashingPorts } from './points.ts'

const PLAN = `  - { id: 1, name: One }
  - { id: 2, name: Two, depends_on: [1], phases: ${ACCEPTED} }
`
const kept = mkdtempSync(join(tmpdir(), 'muster-emptied-'))
afterFile(() => rmSync(kept, { recursive: true, force: true }))
const world = await World.create({ roles: ['implementer', 'checker'] })
afterFile(() => rmSync(world.top, { recursive: true, force: true }))
world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID"; verdict pass')
world.agent('checker', 'verdict pass')

cpSync(world.top, join(kept, 'start'), { recursive: true, verbatimSymlinks: true })

async function drive(ports: CrashingPorts): Promise<void> {
  const go = async () => {
    await world.start((parts) => ports.wrap(parts))
    await world.submit(PLAN)
    await world.settled()
    await world.engine.stop()
  }
  await Promise.race([go(), ports.crashed])
}

/** Crashes at this point, and keeps what is there then. */
async function crashAt(at: number): Promise<string[]> {
  const ports = new CrashingPorts({ at, side: 'after' })
  await drive(ports)
  await ports.crashed
  await ports.bury()
  await world.store.close()
  cpSync(world.top, join(kept, String(at)), { recursive: true, verbatimSymlinks: true })
  const data = join(world.top, 'data')
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(?:muster\.db|engine\.)/.test(entry.name))
    .map((entry) => relative(world.top, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('/workspaces/'))
}

function goBack(at: number): void {
  for (const name of readdirSync(world.top)) rmSync(join(world.top, name), { recursive: true, force: true })
  cpSync(join(kept, String(at)), world.top, { recursive: true, verbatimSymlinks: true })
}

const soak = process.env['MUSTER_SOAK'] !== undefined
const all: { at: number; path: string; how: string }[] = []
for (const at of soak ? [12, 20, 30, 36] : [30]) {
  for (const path of await crashAt(at)) for (const how of ['emptied', 'removed']) all.push({ at, path, how })
  for (const name of readdirSync(world.top)) rmSync(join(world.top, name), { recursive: true, force: true })
  cpSync(join(kept, 'start'), world.top, { recursive: true, verbatimSymlinks: true })
}
// Both ways, and each kind of file: HEAD, refs, objects, packs, the files of runs.
const cases = all.filter((_, index) => soak || index % 11 === 0 || all[index]?.path.endsWith('/HEAD'))

const WAITS = /^in-progress a person: \S/

test.for(cases)('F-1 $path is $how after a crash at point $at', async ({ at, path, how }) => {
  goBack(at)
  if (how === 'emptied') truncateSync(join(world.top, path))
  else rmSync(join(world.top, path))
  // The machine went down under the one that was at work.
  await writeDurably(join(world.project.dataDir, 'at-work.json'), { boot: 'another' })
  world.events.length = 0
  await beginWork(world.project, Date.now())
  await drive(new CrashingPorts(null))
  const ends = []
  for (const id of ['s-1', 's-2']) {
    const { status, reason, waitingFor } = await world.task(id)
    const who = reason?.toPerson === true ? 'a person: ' : ''
    ends.push(status === 'completed' || status === 'not-started' ? status : `${status} ${who}${waitingFor}`)
  }
  const { bad } = await world.store.verifyHistory()
  await world.store.close()
  expect(bad).toBeNull()
  // What git lost is somewhere else, or is made again; only what a run itself had said can be gone.
  const fine = (end: string) => end === 'completed' || (!path.includes('mirror.git') && WAITS.test(end))
  expect(ends.filter((end) => !fine(end) && end !== 'not-started')).toEqual([])
  expect(ends[0]).not.toBe('not-started')
})
