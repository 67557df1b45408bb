import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from './environment.ts'
import { tempDir } from './fixtures/temp.ts'
import { groupGone } from './group.ts'
import { runToEnd, type RunOptions } from './run.ts'

const sh = (text: string, options: Partial<RunOptions> = {}) =>
  runToEnd({ command: ['/bin/sh', '-c', text], cwd: '/', env: childEnvironment(), ...options })

test('gives code, output and errors, raw bytes untouched', async () => {
  const result = await sh(`printf 'a\\377b'; echo oops >&2; exit 3`)
  expect(result).toMatchObject({ code: 3, signal: null, stderr: 'oops\n', timedOut: false, overflowed: false })
  expect([...result.stdout]).toEqual([0x61, 0xff, 0x62])
})

test('hands over stdin, and does not mind a command that ignores it', async () => {
  expect((await sh('cat', { stdin: 'hello' })).stdout.toString()).toBe('hello')
  expect((await sh('exec <&-; exit 0', { stdin: Buffer.alloc(1_000_000) })).code).toBe(0)
})

test('loses nothing of a large output', async () => {
  const { stdout } = await sh('head -c 20000000 /dev/zero')
  expect(stdout.length).toBe(20_000_000)
})

test('ends the whole group on a timeout', async () => {
  const dir = tempDir()
  const result = await sh('echo $$ > pid; sleep 100 & sleep 100', { cwd: dir, timeoutMs: 300 })
  expect(result).toMatchObject({ code: null, signal: 'SIGTERM', timedOut: true })
  // They are killed by now; the kernel may take a moment to be done with them.
  expect(await groupGone(Number(readFileSync(join(dir, 'pid'), 'utf8')), 5000)).toBe(true)
})

test('ends a command that writes more than allowed, and says so', async () => {
  const result = await sh('cat /dev/zero', { maxOutputBytes: 100_000 })
  expect(result).toMatchObject({ overflowed: true, timedOut: false, signal: 'SIGTERM' })
  expect(result.stdout.length).toBe(100_000)
})

test('does not wait for a background process that holds the pipes', async () => {
  const dir = tempDir()
  const result = await sh('sleep 100 & echo $! > pid; echo done', { cwd: dir })
  process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
  expect(result).toMatchObject({ code: 0, timedOut: false })
  expect(result.stdout.toString()).toBe('done\n')
})

test('rejects, naming command and folder, if nothing can be started', async () => {
  await expect(runToEnd({ command: ['no-such-program'], cwd: '/', env: {} })).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('no-such-program could not be started in /') as string,
  })
  await expect(sh('true', { cwd: '/no/such/folder' })).rejects.toThrow('/no/such/folder')
})
