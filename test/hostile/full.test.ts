/** An agent that leaves the disk no room: its run ends with the reason, and nothing of Muster's own is torn. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isRoot } from '../support/as-user.ts'
import { World } from '../support/world.ts'

const inodes = 4000

/** The data has a small disk of its own, with few inodes. */
async function crowded(config: string): Promise<World> {
  const w = await World.create({ config })
  const disk = join(w.top, 'data')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=128m,nr_inodes=${inodes}`, 'tmpfs', disk])
  onTestFinished(async () => {
    await w.stop().catch(() => undefined)
    execFileSync('umount', ['--lazy', disk])
    await w.dispose()
  })
  return w
}

/** More than there can be. */
const FILES = `perl -e 'for (1..${inodes * 2}) { open(F, ">", "f$_") || last }'`
const BYTES = 'head -c 256m /dev/zero >large'
const FILLERS: readonly [how: string, script: string, why: RegExp][] = [
  [
    'takes every inode and stays',
    `${FILES}; exec sleep 1000`,
    /the disk has no room for more files; Muster removed its workspace, which held \d{4} files/,
  ],
  [
    'takes every inode and says that it is done',
    FILES,
    /the disk has no room for more files; Muster removed its workspace, which held \d{4} files/,
  ],
  [
    'takes every block and stays',
    `${BYTES}; exec sleep 1000`,
    /the disk is full; Muster removed its workspace, which held 1\d\d MB/,
  ],
]

const reason = isRoot ? '' : ' (SKIPPED: only root can mount a disk for it)'

test.skipIf(!isRoot).each(FILLERS)(
  `L36 a run that %s is ended with that reason, its task is held and the others go on${reason}`,
  async (_, script, why) => {
    const w = await crowded('limits: { maxErrorAttempts: 1, maxWorkers: 1 }\n')
    w.agent('s-1', `work; verdict pass; ${script}`)
    await w.run('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
    const held = await w.task('s-1')
    expect(held).toMatchObject({ status: 'in-progress', stage: 'review' })
    expect(held.waitingFor).toMatch(why)
    expect(await w.task('s-2')).toMatchObject({ status: 'completed' })
    expect(await w.store.damage(true)).toBeNull()
    expect(await w.store.verifyHistory()).toMatchObject({ bad: null })
    expect(w.workspacesLeft()).toEqual([])
    await w.stop()
    await w.start()
    expect(await w.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review' })
  },
)
