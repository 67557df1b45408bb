/** Data on a disk that does not do what Muster relies on: locks, syncs, one machine. It is refused, or said. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exited, makeRepo, type Repo, type Result, type Running } from '../support/muster.ts'
import { begun, gated, openGate } from '../support/gated.ts'
import type { DiskFault } from './disk.ts'

const layer = join(import.meta.dirname, 'disk.ts')
const under = (fault: DiskFault) => ({ env: { MUSTER_TEST_DISK: fault, NODE_OPTIONS: `--import ${layer}` } })
const on = (fault: DiskFault, repo: Repo, ...args: string[]): Promise<Result> => repo.musterWith(under(fault), ...args)
const begin = (fault: DiskFault, repo: Repo, ...args: string[]): Running => repo.startWith(under(fault), ...args)

/** Data there is already: doctor looks at no disk before. */
async function used(): Promise<Repo> {
  const repo = makeRepo()
  exited(await repo.muster('run', 'Do this now'), 0)
  return repo
}

test('data on NFS is taken, and run and doctor say what that means', async () => {
  const repo = makeRepo()
  const words = 'is on a network file system (NFS): use it from one machine at a time'
  expect(exited(await on('nfs', repo, 'run', 'Do this now'), 0).stderr).toContain(words)
  expect(exited(await on('nfs', repo, 'doctor'), 0).stdout).toContain(words)
})

test('data on a disk that cannot sync is refused before anything is begun', async () => {
  const repo = makeRepo()
  const { stderr } = exited(await on('no-sync', repo, 'run', 'Do this now'), 1)
  expect(stderr).toContain("the disk of Muster's data cannot sync (EINVAL)")
  expect(stderr).toContain('set MUSTER_HOME to a folder on a local disk')
  expect(repo.branches()).toEqual(['main'])
  const told = await on('no-sync', await used(), 'doctor')
  expect(exited(told, 1).stdout).toMatch(/✗ data .*it cannot sync files \(EINVAL\)/)
})

test('a lock that two get: the second sees that the first is at work and begins nothing', async () => {
  const repo = makeRepo({ agent: gated })
  const first = begin('locks-lie', repo, 'run', 'Do this now')
  await begun(repo, 'do-this-now-1')
  const { stderr } = exited(await on('locks-lie', repo, 'run', 'Do that now'), 1)
  expect(stderr).toMatch(
    new RegExp(`the file locks of .* do not work: process ${first.pid} works there at the same time`),
  )
  expect(stderr).toContain('set MUSTER_HOME to a folder on a local disk')
  openGate(repo, 'do-this-now-1')
  exited(await first.ended, 0)
  // What is over is no matter, whatever the locks are worth.
  writeFileSync(join(repo.home, 'open'), '')
  exited(await on('locks-lie', repo, 'run', 'Do that now'), 0)
})

test('doctor finds locks that do not hold, and a disk without any', async () => {
  const repo = await used()
  const lie = exited(await on('locks-lie', repo, 'doctor'), 1).stdout
  expect(lie).toMatch(/✗ data .*cannot use the disk of .*: its locks do not work/)
  expect(lie).toContain('set MUSTER_HOME to a folder on a local disk')
  expect(exited(await on('no-locks', repo, 'doctor'), 1).stdout).toMatch(
    /✗ data .*cannot use the disk of .*: it does not support locks/,
  )
  expect(exited(await repo.muster('doctor'), 0).stdout).toMatch(/✓ data/)
})
