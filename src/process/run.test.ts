import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { childEnvironment } from './environment.ts'
import { tempDir } from './fixtures/temp.ts'
import { groupGone } from './group.ts'
import { runToEnd } from './run.ts'
import { runHere, type RunOptions } from './run-here.ts'

type Run = typeof runHere

const shell =
  (run: Run) =>
  (text: string, options: Partial<RunOptions> = {}) =>
    run({ command: ['/bin/sh', '-c', text], cwd: '/', env: childEnvironment(), ...options })

/** The process that starts our commands by now; after the first few it is not this one. */
async function launcherPid(): Promise<number> {
  for (;;) {
    const parent = Number((await shell(runToEnd)('echo $PPID')).stdout)
    if (parent !== process.pid) return parent
  }
}

/** Through the launcher from the first command on. */
const launched: Run = async (options) => {
  await launcherPid()
  return runToEnd(options)
}

describe.each([
  ['by this process', runHere],
  ['by the launcher', launched],
])('a command started %s', (_, run) => {
  const sh = shell(run)

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

  test('ends one that nobody waits for any more', async () => {
    const over = new AbortController()
    const under = sh('sleep 100', { signal: over.signal })
    over.abort()
    expect(await under).toMatchObject({ code: null, signal: 'SIGTERM', timedOut: false })
    expect(await sh('sleep 100', { signal: over.signal })).toMatchObject({ code: null, signal: 'SIGTERM' })
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
    await expect(run({ command: ['no-such-program'], cwd: '/', env: {} })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('no-such-program could not be started in /') as string,
    })
    await expect(sh('true', { cwd: '/no/such/folder' })).rejects.toThrow('/no/such/folder')
  })
})

test('what a launcher ran that is killed counts as killed, and it has a successor', async () => {
  const first = await launcherPid()
  const dir = tempDir()
  const lost = runToEnd({
    command: ['/bin/sh', '-c', 'mkfifo fifo; echo $$ >fifo; exec sleep 100'],
    cwd: dir,
    env: childEnvironment(),
  })
  const { stdout } = await shell(runHere)('until [ -p fifo ]; do :; done; cat fifo', { cwd: dir })
  process.kill(first, 'SIGKILL')
  expect(await lost).toMatchObject({
    code: null,
    signal: 'SIGKILL',
    stderr: expect.stringContaining('was killed') as string,
  })
  process.kill(Number(stdout), 'SIGKILL')
  expect(await launcherPid()).not.toBe(first)
})

test('L4 a launcher ends with the process that it starts commands for, and only then', async () => {
  const url = JSON.stringify(new URL('./run.ts', import.meta.url).href)
  const text = `
    const { runToEnd } = await import(${url})
    for (;;) {
      const { stdout } = await runToEnd({ command: ['/bin/sh', '-c', 'echo $PPID'], cwd: '/', env: {} })
      if (Number(stdout) === process.pid) continue
      process.stdout.write(stdout)
      break
    }
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await new Promise((resolve) => owner.stdout.once('data', resolve)))
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGINT')
  expect(await groupGone(pid, 200)).toBe(false)
  owner.kill('SIGKILL')
  expect(await groupGone(pid, 10_000)).toBe(true)
})
