import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { keepsIn } from '../domain/config.ts'
import { containerName } from './container.ts'
import { kinds, insideOf } from './fixtures/kinds.ts'
import { marked } from './fixtures/marked.ts'
import { lineSeen, tempDir } from './fixtures/temp.ts'
import { workerSpec } from './fixtures/worker.ts'
import { gone, groupLives, readStat } from './group.ts'
import { readLog } from './log-read.ts'
import { pidFile, readExitRecord, readPidFile } from './record.ts'
import { endOrphan, recoverRun } from './recover.ts'
import { noSandbox } from './sandbox.ts'
import { supervise, type WorkerSpec } from './supervise.ts'

/** Leaves the session and its parent before it settles down; writes a line once it has. */
const escape = `mkfifo away; setsid sh -c '(trap "" TERM HUP; echo >away; exec sleep 1000) & ' >/dev/null 2>&1; read -r _ <away`

for (const { kind, name, sandbox } of await kinds())
  describe.skipIf(sandbox === null)(`in ${name}`, () => {
    const ended = { code: 0, signal: null, timedOut: false, stopped: false, refused: false, sandbox: kind }

    const used: string[] = []

    /** The run's id is the folder's name, so that its processes can be told from any other test's. */
    function spec(dir: string, text: string, options: Partial<WorkerSpec> = {}): WorkerSpec {
      const runId = basename(dir)
      used.push(dir)
      const plain = workerSpec(dir, text)
      const env = { ...plain.env, MUSTER_RUN_ID: runId }
      return { ...plain, runId, env, inside: insideOf(dir, sandbox ?? noSandbox('')), ...options }
    }

    async function outcome(dir: string, text: string, options: Partial<WorkerSpec> = {}) {
      const end = await (await supervise(spec(dir, text, options))).ended
      expect(groupLives(readPidFile(dir)?.pid ?? 0)).toBe(false)
      expect(readExitRecord(dir)?.sandbox).toBe(kind)
      return end
    }

    test('a worker gets its prompt, folder and environment, and its output is kept in order', async () => {
      const dir = tempDir()
      writeFileSync(join(dir, 'prompt.md'), 'do it\n')
      const text = 'cat; echo error >&2; echo "$MUSTER_RUN_ID"; pwd; echo a >/dev/stderr; echo b >file'
      expect(await outcome(dir, text, { stdinFile: join(dir, 'prompt.md') })).toEqual(ended)
      expect((await readLog(dir)).toString()).toBe(`do it\nerror\n${basename(dir)}\n${dir}\na\n`)
      expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('b\n')
    })

    test('its exit code is its own, the reserved one and that of a signal too', async () => {
      expect(await outcome(tempDir(), 'exit 3')).toEqual({ ...ended, code: 3 })
      expect(await outcome(tempDir(), 'exit 125')).toEqual({ ...ended, code: 125 })
      expect(await outcome(tempDir(), 'no-such-agent')).toEqual({ ...ended, code: 127 })
      const killed = await outcome(tempDir(), 'kill -SEGV $$')
      expect(killed).toMatchObject(kind === 'none' ? { signal: 'SIGSEGV' } : { code: 139, signal: null })
      expect(killed.error).toBeUndefined()
    })

    test.skipIf(sandbox?.scoped !== true && kind !== 'container')(
      'L36 it reaches its own abstract sockets, and none of the machine',
      async () => {
        const dir = tempDir()
        const name = `${basename(dir)}-outside`
        const server = createServer((socket) => socket.end()).listen(`\0${name}`)
        onTestFinished(() => void server.close())
        const tries = `const net = require('node:net'), own = net.createServer((s) => s.end()).listen('\\0own-' + process.pid)
const reach = (name, then) => net.connect('\\0' + name).on('connect', () => then('reached')).on('error', (e) => then(e.code))
reach('own-' + process.pid, (one) => reach('${name}', (other) => { console.log(one, other); own.close() }))`
        writeFileSync(join(dir, 'tries.cjs'), tries)
        expect(await outcome(dir, `'${process.execPath}' tries.cjs`)).toEqual(ended)
        // A container has a network of its own, where there is no such socket.
        const refused = kind === 'container' ? 'ECONNREFUSED' : 'EPERM'
        expect((await readLog(dir)).toString()).toBe(`reached ${refused}\n`)
      },
    )

    test.skipIf(!keepsIn(kind))('L36 it has no System V memory of others, and no setting of the kernel', async () => {
      const dir = tempDir()
      await outcome(dir, 'readlink /proc/self/ns/ipc; (: >>/proc/sys/kernel/core_pattern) 2>/dev/null || echo refused')
      const [memory, setting] = (await readLog(dir)).toString().split('\n')
      expect(memory).toMatch(/^ipc:/)
      expect(memory).not.toBe(readlinkSync('/proc/self/ns/ipc'))
      expect(setting).toBe('refused')
    })

    test('the run starts once; the second is refused and leaves the record alone (F-1)', async () => {
      const dir = tempDir()
      await outcome(dir, 'echo once >>count')
      const record = readFileSync(join(dir, 'exit.json'), 'utf8')
      const second = await supervise(spec(dir, 'echo once >>count; exit 9'))
      expect(await second.ended).toMatchObject({ code: 125, refused: true })
      expect(readFileSync(join(dir, 'count'), 'utf8')).toBe('once\n')
      expect(readFileSync(join(dir, 'exit.json'), 'utf8')).toBe(record)
    })

    test('stopping asks first: a worker and its children may clean up', async () => {
      const dir = tempDir()
      const ready = lineSeen('ready')
      const text = `trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done`
      const worker = await supervise(spec(dir, text, { onLine: ready.onLine, killGraceMs: 20_000 }))
      await ready.seen
      worker.stop()
      expect(await worker.ended).toEqual({ ...ended, stopped: true })
      expect((await readLog(dir)).toString()).toContain('bye')
    })

    test('a stop right after the start ends it', async () => {
      const dir = tempDir()
      // Were it not heard, the test would wait for longer than it may.
      const worker = await supervise(spec(dir, 'sleep 1000', { killGraceMs: 100_000 }))
      worker.stop()
      expect(await worker.ended).toMatchObject({ stopped: true, refused: false })
      expect(marked(basename(dir))).toEqual([])
    })

    test('a worker that ignores SIGTERM is killed after the grace, or at once', async () => {
      for (const now of [false, true]) {
        const dir = tempDir()
        const ready = lineSeen('ready')
        const text = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
        const worker = await supervise(spec(dir, text, { onLine: ready.onLine, killGraceMs: now ? 1_000_000 : 200 }))
        await ready.seen
        worker.stop()
        if (now) worker.stop(true)
        expect(await worker.ended).toEqual({ ...ended, code: null, signal: 'SIGKILL', stopped: true })
        expect(marked(basename(dir))).toEqual([])
      }
    })

    test('the timeout ends it and says so', async () => {
      const dir = tempDir()
      expect(await outcome(dir, 'sleep 1000', { timeoutMs: 200 })).toMatchObject({ timedOut: true, stopped: false })
      expect(marked(basename(dir))).toEqual([])
    })

    test('recovery ends a worker that still runs, and nobody else (F-1)', async () => {
      const [dir, other] = [tempDir(), tempDir()]
      const ready = [lineSeen('ready'), lineSeen('ready')] as const
      const text = `trap '' TERM HUP; echo ready; while :; do sleep 0.05; done`
      const worker = await supervise(spec(dir, text, { onLine: ready[0].onLine }))
      const bystander = await supervise(spec(other, text, { onLine: ready[1].onLine }))
      await Promise.all(ready.map(({ seen }) => seen))
      await endOrphan(dir, basename(dir))
      expect(marked(basename(dir))).toEqual([])
      expect(await worker.ended).toMatchObject({ signal: 'SIGKILL' })
      expect(marked(basename(other))).not.toEqual([])
      bystander.stop(true)
      await bystander.ended
    })

    // A process group cannot hold what leaves it.
    if (kind === 'none') return

    test('L4, E-19 a child that called setsid and lost its parent does not outlive the run', async () => {
      const dir = tempDir()
      expect(await outcome(dir, escape)).toEqual(ended)
      expect(marked(basename(dir))).toEqual([])
    })

    test('L4, E-19 nor does it outlive a stop', async () => {
      const dir = tempDir()
      const ready = lineSeen('ready')
      const worker = await supervise(spec(dir, `${escape}; echo ready; exec sleep 1000`, { onLine: ready.onLine }))
      await ready.seen
      expect(marked(basename(dir)).length).toBeGreaterThan(2)
      worker.stop()
      await worker.ended
      expect(marked(basename(dir))).toEqual([])
    })

    test('L4, E-19 nothing is alive ten seconds after Muster was killed, and the run is interrupted', async () => {
      const dir = tempDir()
      const text = `${escape}; trap '' TERM HUP PIPE; echo ready; while :; do sleep 0.05; done`
      const { muster, workers } = mortal(dir, text)
      for await (const line of createInterface(muster.stdout)) if (line === 'ready') break
      expect(workers().length).toBeGreaterThan(2)
      muster.kill('SIGKILL')
      await once(muster, 'close')
      expect(await gone(() => workers().length > 0, 10_000)).toBe(true)
      expect(await recoverRun(dir, basename(dir))).toMatchObject({ code: null, stopped: true, sandbox: kind })
    })

    test('L4, E-19 nor if Muster is killed while the sandbox is being made', async () => {
      // Moments in milliseconds after its beginning; all of them in `npm run soak`.
      const moments = process.env['MUSTER_SOAK'] ? Array.from({ length: 12 }, (_, ms) => ms) : [0, 2, 5, 9]
      for (const moment of moments) {
        const dir = tempDir()
        const { muster, workers } = mortal(dir, 'setsid sleep 1000')
        while (!existsSync(pidFile(dir))) await delay(1)
        // A container takes half a second to make.
        await delay(kind === 'container' ? moment * 50 : moment)
        muster.kill('SIGKILL')
        await once(muster, 'close')
        // Bubblewrap's child waits forever for a parent that died at one short moment; it has not begun anything then.
        const begun = () => workers().filter((pid) => readStat(pid)?.name !== 'bwrap')
        expect(await gone(() => begun().length > 0, 10_000)).toBe(true)
        expect(await recoverRun(dir, basename(dir))).toMatchObject({ stopped: true })
        expect(workers()).toEqual([])
      }
    })

    test.skipIf(kind !== 'container')('the runtime has nothing left of any of them', () => {
      const { client = '' } = sandbox?.container ?? {}
      const left = execFileSync(client, ['ps', '--all', '--format', '{{.Names}}'], { encoding: 'utf8' }).split('\n')
      expect(used.length).toBeGreaterThan(10)
      expect(left.filter((name) => used.map(containerName).includes(name))).toEqual([])
    })

    /** A Muster of its own for one worker, to be killed. */
    function mortal(dir: string, text: string) {
      used.push(dir)
      const program = join(import.meta.dirname, 'fixtures/mortal.ts')
      const runId = basename(dir)
      const muster = spawn(process.execPath, [program, dir, text, kind, runId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      return { muster, workers: () => marked(runId) }
    }
  })

const hiding = (await kinds()).filter(({ kind }) => keepsIn(kind))

describe.each(hiding)('what hides files can do more: $name', ({ kind, sandbox: found }) => {
  beforeEach(({ skip }) => skip(found === null))
  const sandbox = found ?? noSandbox('')

  test('a sandbox that cannot be set up is an error, not the worker’s failure', async () => {
    const dir = tempDir()
    const rules = [{ path: dir, access: 'write', from: join(dir, 'none') }] as const
    const worker = await supervise(workerSpec(dir, 'touch started', { inside: { sandbox, rules } }))
    const { error } = await worker.ended
    expect(error).toMatch(/^the sandbox could not be set up: /)
    expect(error).toContain(kind === 'bubblewrap' ? 'bwrap: ' : join(dir, 'none'))
    expect(existsSync(join(dir, 'started'))).toBe(false)
  })

  test('a worker can be left without network', async () => {
    const dir = tempDir()
    const inside = { ...insideOf(dir, sandbox), network: false }
    await (
      await supervise(workerSpec(dir, 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "', { inside }))
    ).ended
    expect((await readLog(dir)).toString()).toBe('lo\n')
  })

  test('a worker has no capability left to undo it with, also as root', async () => {
    const dir = tempDir()
    const text = 'mount -o remount,rw / 2>/dev/null || echo refused; grep CapEff /proc/self/status'
    await (
      await supervise(workerSpec(dir, text, { inside: insideOf(dir, sandbox) }))
    ).ended
    expect((await readLog(dir)).toString()).toBe('refused\nCapEff:\t0000000000000000\n')
  })
})

test('a worker that must have no network does not start where that cannot be', async () => {
  const dir = tempDir()
  const inside = { sandbox: noSandbox('nothing works'), rules: [], network: false }
  const worker = await supervise(workerSpec(dir, 'touch started', { inside }))
  expect(await worker.ended).toMatchObject({ error: expect.stringContaining('needs bubblewrap') as string })
  expect(existsSync(join(dir, 'started'))).toBe(false)
})
