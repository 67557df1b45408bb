/** A process that outlives Muster, and is to end all the same. */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from './environment.ts'
import { followDetached, startDetached } from './detached.ts'
import { tempDir } from './fixtures/temp.ts'
import { pidFile } from './record.ts'

test('one that is to end before it has said who it is, is asked to as soon as it has', async () => {
  const dir = tempDir()
  const { ended, stop } = followDetached(dir, 60_000)
  stop()
  const run = 'trap "touch asked; exit 7" TERM; echo ready; sleep 100 & wait'
  const child = spawn('/bin/sh', ['-c', run], { cwd: dir, env: childEnvironment(), detached: true, stdio: 'pipe' })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  writeFileSync(pidFile(dir), `${child.pid}\n`)
  expect(await ended).toEqual({ state: 'lost', ending: 'stopped' })
  expect(existsSync(join(dir, 'asked'))).toBe(true)
})

test('one that ends by itself is known by its code', async () => {
  const dir = tempDir()
  await startDetached({ dir, cwd: dir, run: 'exit 3', env: childEnvironment() })
  expect(await followDetached(dir, 60_000).ended).toEqual({ state: { code: 3 }, ending: 'no' })
})
