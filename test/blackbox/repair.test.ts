/** muster doctor --repair: says what it will do, does it, and loses nothing that is anywhere else. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { begun, gated, openGate } from '../support/gated.ts'
import { BY_PERSON } from '../support/maps.ts'
import type { Repo } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'

/** Empties every loose object of the mirror, as a power cut does to what was not synced. */
function damage(repo: Repo): number {
  const objects = join(repo.dataDir(), 'mirror.git/objects')
  const loose = readdirSync(objects, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^[0-9a-f]{38}$/.test(entry.name),
  )
  for (const { parentPath, name } of loose) truncateSync(join(parentPath, name))
  return loose.length
}

test('a damaged mirror is found, and made again from the repository', async () => {
  const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  expect((await repo.here('doctor', '--repair')).stderr).toContain('nothing to repair')
  expect(damage(repo)).toBeGreaterThan(2)
  mkdirSync(join(repo.dataDir(), 'restore.4999999'))
  const found = exited(await repo.here('doctor'), 1)
  expect(found.stdout).toContain('the mirror is damaged')
  expect(found.stdout).toContain('muster doctor --repair')
  const repaired = exited(await repo.here('doctor', '--repair'), 0)
  expect(repaired.stderr).toMatch(
    /^to repair: remove restore\.4999999, left .*\nto repair: rebuild the mirror .*\nremoved restore\.4999999\nrebuilt the mirror; .*Nothing was lost\n/,
  )
  expect(repaired.stdout).toContain(', none missing')
  exited(await repo.here('accept', 'p-1'), 0)
  exited(await repo.here('run'), 0)
  expect(repo.git('ls-tree', '-r', '--name-only', 'muster/story/p')).toContain('p-1.txt')
})

test('a golden copy that is not as it was sealed is found, removed, and made again', async () => {
  const repo = makeRepo({ config: 'setup: "mkdir deps && echo made >deps/made"' })
  exited(await repo.here('run', 'Do this now'), 0)
  expect((await repo.here('doctor')).stdout).toContain('1 golden copy, unchanged since the setup made it')
  const [name = ''] = readdirSync(join(repo.dataDir(), 'golden'))
  truncateSync(join(repo.dataDir(), 'golden', name, 'files/README.md'))
  expect(exited(await repo.here('doctor'), 1).stdout).toContain(`golden/${name} has changed since the setup made it`)
  expect(exited(await repo.here('doctor', '--repair'), 0).stderr).toContain(`removed golden/${name}`)
  exited(await repo.here('run', 'Do another thing'), 0)
  expect(readdirSync(join(repo.dataDir(), 'golden'))).toEqual([name])
})

test('after the machine went down, run mends it by itself', async () => {
  const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  damage(repo)
  writeFileSync(join(repo.dataDir(), 'mirror.git/HEAD'), '')
  // Half written when it went down.
  writeFileSync(join(repo.dataDir(), 'at-work.json'), '')
  exited(await repo.here('accept', 'p-1'), 0)
  exited(await repo.here('run'), 0)
  exited(await repo.here('doctor'), 0)
  expect(readFileSync(join(repo.dataDir(), 'at-work.json'), 'utf8')).toContain('ended')
})

test('it waits for nobody: while Muster is at work it says so', async () => {
  const repo = makeRepo({ agent: gated })
  const run = repo.start('run', 'Do something')
  await begun(repo, 'do-something-1')
  mkdirSync(join(repo.dataDir(), 'backup.4999999'))
  expect(exited(await repo.muster('doctor', '--repair'), 1).stderr).toContain('Muster is at work here')
  openGate(repo, 'do-something-1')
  exited(await run.ended, 0)
})

test('a mend that is cut off between the old mirror and the new one is finished later; a start that fails leaves the mark', async () => {
  const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  const mirror = join(repo.dataDir(), 'mirror.git')
  cpSync(mirror, `${mirror}.mending`, { recursive: true })
  renameSync(mirror, `${mirror}.damaged`)
  writeFileSync(join(repo.dataDir(), 'at-work.json'), '')
  const database = join(repo.dataDir(), 'muster.db')
  copyFileSync(database, `${database}.copy`)
  writeFileSync(database, Buffer.alloc(8192, 1))
  exited(await repo.here('accept', 'p-1'), 1)
  expect(existsSync(join(repo.dataDir(), 'at-work.json'))).toBe(true)
  renameSync(`${database}.copy`, database)
  exited(await repo.here('accept', 'p-1'), 0)
  exited(await repo.here('run'), 0)
  expect(existsSync(`${mirror}.mending`)).toBe(false)
})

test('a result that is nowhere any more is done again, and the task says so', async () => {
  const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  damage(repo)
  repo.git('branch', '--quiet', '-D', 'muster/task/p-1')
  repo.git('prune', '--expire=now')
  expect(exited(await repo.here('doctor', '--repair'), 0).stderr).toMatch(/refs? are lost.*done again/)
  exited(await repo.here('accept', 'p-1'), 0)
  const again = exited(await repo.here('run'), 8)
  expect(again.stderr).toContain('its last result is lost')
  exited(await repo.here('accept', 'p-1'), 0)
  exited(await repo.here('run'), 0)
  expect(repo.git('ls-tree', '-r', '--name-only', 'muster/story/p')).toContain('p-1.txt')
})
