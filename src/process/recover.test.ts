import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { childEnvironment } from './environment.ts'
import { marked } from './fixtures/marked.ts'
import { tempDir } from './fixtures/temp.ts'
import { workerSpec } from './fixtures/worker.ts'
import { groupGone, groupLives } from './group.ts'
import {
  exitFile,
  identify,
  readPidFile,
  startWrapper,
  writeExitRecord,
  writeProcessRecord,
  type ProcessIdentity,
} from './record.ts'
import { recoverRun } from './recover.ts'
import { supervise } from './supervise.ts'

const stopped = { code: null, signal: null, timedOut: false, stopped: true }
/** Its files are those that it left. */
const interrupted = { ...stopped, unseen: true }

/** A process in a group of its own, as a worker is, that outlives nothing but this test. */
function stranger(runId: string | null, text = 'echo ready; exec sleep 1000'): { child: ChildProcess; pid: number } {
  const env = childEnvironment(runId === null ? {} : { extra: { MUSTER_RUN_ID: runId } })
  const child = spawn('/bin/sh', ['-c', text], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = child.pid ?? 0
  onTestFinished(() => {
    if (groupLives(pid)) process.kill(-pid, 'SIGKILL')
  })
  return { child, pid }
}

async function ready(child: ChildProcess): Promise<void> {
  if (child.stdout !== null) await once(child.stdout, 'data')
}

/** A pid file as the wrapper writes it. */
function pidFileOf({ pid, startTime, bootId }: ProcessIdentity): string {
  const fields = ['S', 1, pid, pid, ...Array.from({ length: 15 }, () => 0), startTime]
  return startTime === null ? `${pid}\n\n` : `${pid} (sh) ${fields.join(' ')}\n${bootId}\n`
}

/** Starts a Muster of its own for one worker and kills it when the worker says it is ready. */
async function orphan(dir: string, text: string): Promise<void> {
  const muster = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/mortal.ts'), dir, text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(muster.stdout)) if (line === 'ready') break
  muster.kill('SIGKILL')
  if (muster.exitCode === null && muster.signalCode === null) await once(muster, 'exit')
}

test('a run that never started is missing and may be started (F-1)', async () => {
  expect(await recoverRun(tempDir(), 'run-1')).toBe('missing')
  expect(await recoverRun(join(tempDir(), 'none'), 'run-1')).toBe('missing')
})

test('a run whose end was seen ended as it did (F-1)', async () => {
  const dir = tempDir()
  await (
    await supervise(workerSpec(dir, 'exit 7'))
  ).ended
  expect(await recoverRun(dir, 'run-1')).toMatchObject({ code: 7, signal: null, timedOut: false, stopped: false })
})

test('a run whose end was seen before the machine went down is interrupted: nobody synced its files (F-1)', async () => {
  const dir = tempDir()
  await (
    await supervise(workerSpec(dir, 'exit 0'))
  ).ended
  const end = { code: 0, signal: null, timedOut: false, stopped: false }
  await writeExitRecord(dir, end, 'another')
  expect(await recoverRun(dir, 'run-1')).toEqual({
    code: null,
    signal: null,
    timedOut: false,
    stopped: true,
    sandbox: 'none',
  })
  // One of an older Muster does not say.
  writeFileSync(exitFile(dir), JSON.stringify(end))
  expect(await recoverRun(dir, 'run-1')).toMatchObject(end)
})

test('a run under which the machine went down has nothing to collect (F-1)', async () => {
  const dir = tempDir()
  writeFileSync(join(dir, 'pid'), pidFileOf({ ...identify(process.pid), bootId: 'another' }))
  const end = await recoverRun(dir, 'run-1')
  expect(end).toMatchObject(stopped)
  expect(end).not.toHaveProperty('unseen')
})

test('a worker that outlived its Muster is ended and counts as interrupted, the same when asked again (F-1)', async () => {
  const dir = tempDir()
  await orphan(dir, `trap '' TERM PIPE HUP; sleep 1000 & echo ready; while :; do sleep 0.05; done`)
  const pid = readPidFile(dir)?.pid ?? 0
  expect(groupLives(pid)).toBe(true)
  expect(await recoverRun(dir, 'run-1')).toMatchObject(interrupted)
  expect(groupLives(pid)).toBe(false)
  expect(await recoverRun(dir, 'run-1')).toMatchObject(interrupted)
})

test('only children of a dead worker are left: they are ended too (F-1)', async () => {
  const dir = tempDir()
  await orphan(dir, `(trap '' TERM HUP PIPE; echo ready; exec sleep 1000) & wait`)
  const pid = readPidFile(dir)?.pid ?? 0
  process.kill(pid, 'SIGKILL')
  expect(await recoverRun(dir, 'run-1')).toMatchObject(interrupted)
  expect(groupLives(pid)).toBe(false)
})

test('a worker that died with its Muster is interrupted (F-1)', async () => {
  const dir = tempDir()
  const { child, pid } = stranger('run-1', 'exit 0')
  const identity = identify(pid)
  await once(child, 'close')
  writeFileSync(join(dir, 'pid'), pidFileOf(identity))
  expect(await recoverRun(dir, 'run-1')).toMatchObject(interrupted)
})

test('a pid file that was never filled is interrupted, not missing', async () => {
  const dir = tempDir()
  writeFileSync(join(dir, 'pid'), '')
  expect(await recoverRun(dir, 'run-1')).toMatchObject(stopped)
})

test.each([
  ['the start time differs', (own: ProcessIdentity) => ({ ...own, startTime: '1' })],
  ['the machine was started again', (own: ProcessIdentity) => ({ ...own, bootId: 'another-boot' })],
])('a reused pid is never killed: %s', async (_, changed) => {
  const dir = tempDir()
  const { child, pid } = stranger('run-1')
  await ready(child)
  writeFileSync(join(dir, 'pid'), pidFileOf(changed(identify(pid))))
  await writeProcessRecord(dir, changed(identify(pid)))
  expect(await recoverRun(dir, 'run-1')).toMatchObject(stopped)
  expect(groupLives(pid)).toBe(true)
})

test('without a start time only a process with the mark of this run is killed', async () => {
  const ours = stranger('run-1')
  const others = [stranger('run-11'), stranger(null)]
  await Promise.all([ours, ...others].map(({ child }) => ready(child)))
  for (const { pid } of [ours, ...others]) {
    const dir = tempDir()
    writeFileSync(join(dir, 'pid'), pidFileOf({ pid, startTime: null, bootId: null }))
    expect(await recoverRun(dir, 'run-1')).toMatchObject(stopped)
  }
  expect([ours, ...others].map(({ pid }) => groupLives(pid))).toEqual([false, true, true])
})

test("Muster's own record finds a worker that has not yet claimed its run", async () => {
  const dir = tempDir()
  const { child, pid } = stranger(null)
  await ready(child)
  await writeProcessRecord(dir, identify(pid))
  expect(await recoverRun(dir, 'run-1')).toMatchObject(interrupted)
  expect(await groupGone(pid, 0)).toBe(true)
})

test('the same run started twice works once; the second is refused and leaves the record alone (F-1)', async () => {
  const dir = tempDir()
  await (
    await supervise(workerSpec(dir, 'echo once >>count'))
  ).ended
  const record = readFileSync(join(dir, 'exit.json'), 'utf8')
  const second = await supervise(workerSpec(dir, 'echo once >>count; exit 9'))
  expect(await second.ended).toMatchObject({ code: 125, refused: true })
  expect(readFileSync(join(dir, 'count'), 'utf8')).toBe('once\n')
  expect(readFileSync(join(dir, 'exit.json'), 'utf8')).toBe(record)
})

test('a child that claims the run late, after its Muster died, is ended when the run is started again', async () => {
  const dir = tempDir()
  const env = childEnvironment({ extra: { MUSTER_RUN_ID: 'run-1' } })
  const command = ['/bin/sh', '-c', 'echo ready; exec sleep 1000']
  const late = spawn('/bin/sh', ['-c', startWrapper(), 'sh', join(dir, 'pid'), ...command], {
    detached: true,
    env,
  })
  await ready(late)
  const again = await supervise(workerSpec(dir, 'echo twice >count'))
  expect(await again.ended).toMatchObject({ refused: true })
  expect(groupLives(late.pid ?? 0)).toBe(false)
  expect(existsSync(join(dir, 'count'))).toBe(false)
})

const NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork']
const hasNamespaces = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0

test.skipIf(!hasNamespaces)(
  'L4, F-1 the first process of a namespace that lost its parent before it was on record is ended; one that has it is not',
  async () => {
    const [dir, runId] = [tempDir(), 's-1.r1.lost']
    const text = `exec unshare ${NAMESPACE.join(' ')} setsid sh -c 'echo ready; exec sleep 1000'`
    const [lost, other] = [stranger(runId, text), stranger(runId, text)]
    await Promise.all([ready(lost.child), ready(other.child)])
    const both = marked(runId)
    onTestFinished(() => {
      for (const pid of marked(runId)) process.kill(pid, 'SIGKILL')
    })
    writeFileSync(join(dir, 'pid'), pidFileOf(identify(lost.pid)))
    process.kill(lost.pid, 'SIGKILL')
    await once(lost.child, 'exit')
    expect(both.length - marked(runId).length).toBe(1)
    expect(await recoverRun(dir, runId)).toMatchObject(interrupted)
    expect(marked(runId)).toHaveLength(2)
    expect(marked(runId)).toContain(other.pid)
  },
)

test('two that ask at once what became of a run get the same answer (F-1)', async () => {
  const dir = tempDir()
  await orphan(dir, 'echo ready; exec sleep 1000')
  expect(await Promise.all([recoverRun(dir, 'run-1'), recoverRun(dir, 'run-1')])).toMatchObject([
    interrupted,
    interrupted,
  ])
})
