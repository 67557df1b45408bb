/**
 * A power cut that takes from the mirror of a submodule what was not synced: after a crash between the snapshot and the
 * landing each of its files is emptied, then removed. The work lands with the same content, and the commit of the
 * submodule that it names is in the user's repository of it.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { writeDurably } from '../../src/durable.ts'
import { beginWork } from '../../src/outage.ts'
import { carryOut, mirrorHealth, repairsOf } from '../../src/upkeep.ts'
import { afterFile } from '../support/after.ts'
import { World } from '../support/world.ts'
import { CrashingPorts } from './points.ts'

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', '-c', 'protocol.file.allow=always']
const world = await World.create()
const kept = mkdtempSync(join(tmpdir(), 'muster-emptied-'))
afterFile(() => {
  for (const dir of [world.top, kept]) rmSync(dir, { recursive: true, force: true })
})

const origin = join(world.top, 'origin')
mkdirSync(origin)
for (const args of [
  ['init', '-q', '-b', 'main'],
  ['commit', '-q', '--allow-empty', '-m', 'Before'],
  ['commit', '-q', '--allow-empty', '-m', 'Start'],
])
  execFileSync('git', [...identity, ...args], { cwd: origin })
writeFileSync(join(origin, 'line'), 'zero\n')
execFileSync('git', [...identity, 'add', '-A'], { cwd: origin })
execFileSync('git', [...identity, 'commit', '-qm', 'A line'], { cwd: origin })
world.git(...identity, 'submodule', '--quiet', 'add', origin, 'lib')
world.git(...identity, 'commit', '-qm', 'Add the library')
rmSync(origin, { recursive: true })
world.agent('implementer', 'echo "by $MUSTER_TASK_ID" >lib/line; verdict pass')
cpSync(world.top, join(kept, 'start'), { recursive: true, verbatimSymlinks: true })

async function drive(ports: CrashingPorts): Promise<void> {
  const go = async () => {
    await world.start((parts) => ports.wrap(parts))
    await world.submit('  - { id: 1, name: One }\n')
    await world.settled()
    await world.engine.stop()
  }
  await Promise.race([go(), ports.crashed])
}

function goBack(to: string): void {
  for (const name of readdirSync(world.top)) rmSync(join(world.top, name), { recursive: true, force: true })
  cpSync(join(kept, to), world.top, { recursive: true, verbatimSymlinks: true })
}

/** The files of the submodule's mirror once the result is stored and nobody else has it, and everything as it was then. */
async function crashed(): Promise<string[]> {
  const whole = new CrashingPorts(null)
  await drive(whole)
  await world.store.close()
  goBack('start')
  const at = whole.seen.findIndex((what) => what.includes('workspaces.snapshot')) + 2
  const ports = new CrashingPorts({ at, side: 'after' })
  await drive(ports)
  await ports.crashed
  await ports.bury()
  await world.store.close()
  cpSync(world.top, join(kept, 'crashed'), { recursive: true, verbatimSymlinks: true })
  return readdirSync(join(world.project.dataDir, 'submodules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(world.top, join(entry.parentPath, entry.name)))
}

const files = await crashed()
// Both ways; `npm test` takes a sample, `npm run soak` all.
const cases = files
  .flatMap((path) => ['emptied', 'removed'].map((how) => ({ path, file: path.replace(/.*submodules./, ''), how })))
  .filter((_, index) => process.env['MUSTER_SOAK'] !== undefined || index % 3 === 0)

test('the mirror of the submodule has refs, objects and a pack to lose', () => {
  for (const kind of ['/HEAD', '/refs/muster/attempt/', '/objects/pack/']) {
    expect(files.filter((path) => path.includes(kind))).not.toEqual([])
  }
})

test.for(cases)('F-1 $file is $how', async ({ path, how }) => {
  goBack('crashed')
  const file = join(world.top, path)
  chmodSync(file, 0o600)
  if (how === 'emptied') truncateSync(file)
  else rmSync(file)
  await writeDurably(join(world.project.dataDir, 'at-work.json'), { boot: 'another' })
  await beginWork(world.project, Date.now())
  expect((await mirrorHealth(world.project)).damage).toEqual([])
  await drive(new CrashingPorts(null))
  const { status, waitingFor } = await world.task('s-1')
  expect({ status, waitingFor }).toEqual({ status: 'completed', waitingFor: null })
  await world.store.close()
  const commit = world.git('rev-parse', 'muster/story/s:lib')
  expect(existsSync(join(world.repository, 'lib'))).toBe(true)
  expect(world.git('-C', 'lib', 'show', `${commit}:line`)).toBe('by s-1')
})

test('doctor names what is wrong in the mirror of a submodule, and --repair mends it', async () => {
  goBack('crashed')
  const pack = files.find((path) => path.endsWith('.pack')) ?? ''
  chmodSync(join(world.top, pack), 0o600)
  truncateSync(join(world.top, pack))
  expect((await mirrorHealth(world.project)).damage[0]).toMatch(/^submodules\/lib-\w+\.git: \S/)
  const said = await carryOut(world.project, await repairsOf(world.project))
  expect(said).toEqual([expect.stringMatching(/^rebuilt the mirror;/)])
  expect((await mirrorHealth(world.project)).damage).toEqual([])
})
