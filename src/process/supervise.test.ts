import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { logHeadBytes, logTailBytes } from '../domain/limits.ts'
import { lineSeen, script, tempDir } from './fixtures/temp.ts'
import { workerSpec } from './fixtures/worker.ts'
import { groupLives } from './group.ts'
import { readLog } from './log-read.ts'
import { openOutput } from './output.ts'
import { readExitRecord, readPidFile, readProcessRecord } from './record.ts'
import { supervise, type WorkerSpec } from './supervise.ts'

const ended = { code: 0, signal: null, timedOut: false, stopped: false, refused: false, sandbox: 'none' }

/** Runs it to its end; nothing of its group may be left then, and its end must be on record. */
async function outcome(dir: string, text: string, options: Partial<WorkerSpec> = {}) {
  const worker = await supervise(workerSpec(dir, text, options))
  const end = await worker.ended
  expect(groupLives(readPidFile(dir)?.pid ?? 0)).toBe(false)
  expect(readExitRecord(dir)).toEqual({
    code: end.code,
    signal: end.signal,
    timedOut: end.timedOut,
    stopped: end.stopped,
    sandbox: 'none',
  })
  return end
}

describe('a worker', () => {
  test('gets its prompt on stdin, its folder and environment, and its output is kept in order', async () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'prompt.md'), 'do it\n')
    const text = 'cat; echo error >&2; echo "$MUSTER_RUN_ID"; pwd'
    expect(await outcome(dir, text, { stdinFile: join(dir, 'prompt.md') })).toEqual(ended)
    expect((await readLog(dir)).toString()).toBe(`do it\nerror\nrun-1\n${dir}\n`)
  })

  test('has no stdin without a prompt, and its output is a pipe that can be opened again', async () => {
    const dir = tempDir()
    expect(await outcome(dir, 'cat; echo a >/dev/stderr; echo b >/dev/stdout')).toEqual(ended)
    expect((await readLog(dir)).toString()).toBe('a\nb\n')
    expect(readdirSync(dir).filter((name) => name.endsWith('.fifo'))).toEqual([])
  })

  test('works where there are no named pipes', async () => {
    const dir = tempDir()
    const nowhere = join(dir, 'none')
    // Those that were made before are used up first.
    for (let output = await openOutput(nowhere); output.stdout !== 'pipe'; output = await openOutput(nowhere))
      output.discard()
    writeFileSync(join(dir, 'output-0.fifo'), 'in the way')
    expect(await outcome(dir, 'echo a; echo b >&2')).toEqual(ended)
    expect((await readLog(dir)).toString()).toBe('a\nb\n')
  })

  test('says with which code it ended, also with the code that is reserved', async () => {
    expect(await outcome(tempDir(), 'exit 3')).toEqual({ ...ended, code: 3 })
    expect(await outcome(tempDir(), 'exit 125')).toEqual({ ...ended, code: 125 })
  })

  test('that is not found ends with 127, one that is not executable with 126', async () => {
    const dir = tempDir()
    script(join(dir, 'agent'), 'true', 0o644)
    expect(await outcome(dir, './agent')).toEqual({ ...ended, code: 126 })
    expect((await readLog(dir)).toString()).toContain('agent')
    expect(await outcome(tempDir(), 'no-such-agent')).toEqual({ ...ended, code: 127 })
  })

  test('that cannot be started at all is a worker that has ended', async () => {
    const dir = tempDir()
    const worker = await supervise(workerSpec(dir, 'true', { cwd: join(dir, 'none') }))
    expect(await worker.ended).toMatchObject({ code: null, error: `there is no folder ${join(dir, 'none')}` })
    const huge = await supervise(workerSpec(tempDir(), `: ${'x'.repeat(3_000_000)}`))
    expect(await huge.ended).toMatchObject({ code: null, error: expect.stringContaining('E2BIG') as string })
  })

  test('that is killed says by which signal', async () => {
    expect(await outcome(tempDir(), 'kill -SEGV $$')).toEqual({ ...ended, code: null, signal: 'SIGSEGV' })
  })

  test('records who it is before its work begins (F-1)', async () => {
    const dir = tempDir()
    await outcome(dir, 'cp pid pid.seen; echo $$ >me')
    const identity = readPidFile(dir)
    expect(identity?.pid).toBe(Number(readFileSync(join(dir, 'me'), 'utf8')))
    expect(identity?.startTime).toMatch(/^\d+$/)
    expect(readProcessRecord(dir)).toEqual(identity)
    expect(readFileSync(join(dir, 'pid.seen'))).toEqual(readFileSync(join(dir, 'pid')))
  })
})

describe('output', () => {
  test('of hundreds of megabytes is bounded on disk and in memory and does not hold up others', async () => {
    const dir = tempDir()
    const megabytes = 200
    const before = process.memoryUsage().rss
    let rss = 0
    let longestMs = 0
    let last = performance.now()
    const ticker = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last)
      last = performance.now()
      rss = Math.max(rss, process.memoryUsage().rss)
    }, 5)
    expect(await outcome(dir, `head -c ${megabytes * 1024 * 1024} /dev/zero; echo; echo the end`)).toEqual(ended)
    clearInterval(ticker)
    const log = await readLog(dir)
    expect(log.length).toBeLessThanOrEqual(logHeadBytes + 2 * logTailBytes + 100)
    expect(log.subarray(-8).toString()).toBe('the end\n')
    expect(log.includes('bytes left out')).toBe(true)
    const onDisk = ['log', 'log.tail.0', 'log.tail.1'].reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
    expect(onDisk).toBeLessThan(logHeadBytes + 2 * logTailBytes + 100)
    expect(rss - before).toBeLessThan(150 * 1024 * 1024)
    expect(longestMs).toBeLessThan(500)
  })

  test('without a newline still tells a last line', async () => {
    const lines: string[] = []
    await outcome(tempDir(), `head -c 30000000 /dev/zero | tr '\\0' x`, { onLine: (line) => void lines.push(line) })
    expect(lines.at(-1)).toBe('x'.repeat(400))
  })
})

describe('stopping', () => {
  test('asks first: a worker may clean up', async () => {
    const dir = tempDir()
    const ready = lineSeen('ready')
    const text = `trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done`
    const worker = await supervise(workerSpec(dir, text, { onLine: ready.onLine, killGraceMs: 20_000 }))
    await ready.seen
    worker.stop()
    worker.stop()
    expect(await worker.ended).toEqual({ ...ended, stopped: true })
    expect((await readLog(dir)).toString()).toContain('bye')
  })

  test('kills a worker that ignores SIGTERM after the grace', async () => {
    const ready = lineSeen('ready')
    const dir = tempDir()
    const text = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
    const worker = await supervise(workerSpec(dir, text, { onLine: ready.onLine }))
    await ready.seen
    worker.stop()
    expect(await worker.ended).toEqual({ ...ended, code: null, signal: 'SIGKILL', stopped: true })
    expect(groupLives(readPidFile(dir)?.pid ?? 0)).toBe(false)
  })

  test('now skips the grace, also of a stop under way', async () => {
    const ready = lineSeen('ready')
    const text = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
    const worker = await supervise(workerSpec(tempDir(), text, { onLine: ready.onLine, killGraceMs: 1_000_000 }))
    await ready.seen
    worker.stop()
    worker.stop(true)
    expect(await worker.ended).toMatchObject({ signal: 'SIGKILL', stopped: true })
  })

  test('after the end changes nothing', async () => {
    const worker = await supervise(workerSpec(tempDir(), 'true'))
    await worker.ended
    worker.stop()
    worker.stop(true)
    worker.setClock(true)
    expect(await worker.ended).toEqual(ended)
  })
})

describe('what a worker leaves behind', () => {
  test('a background child that holds the pipe is neither waited for nor left', async () => {
    expect(await outcome(tempDir(), 'sleep 1000 & echo done')).toEqual(ended)
  })

  test('a background child that ignores SIGTERM and has no pipe is killed', async () => {
    const dir = tempDir()
    const text = `mkfifo ready; sh -c 'trap "" TERM; echo >ready; while :; do sleep 0.05; done' >/dev/null 2>&1 & read -r _ <ready`
    expect(await outcome(dir, text)).toEqual(ended)
  })
})

describe('the timeout', () => {
  test('ends the worker and says so', async () => {
    expect(await outcome(tempDir(), 'sleep 1000', { timeoutMs: 100 })).toEqual({
      ...ended,
      code: null,
      signal: 'SIGTERM',
      timedOut: true,
    })
  })

  test('does not pass while its clock is stopped, and does once it runs again (F-10)', async () => {
    // On a busy machine it takes its time until the clock can be stopped.
    const paused = await supervise(workerSpec(tempDir(), 'sleep 1.2', { timeoutMs: 1000 }))
    paused.setClock(false)
    expect(await paused.ended).toEqual(ended)

    const resumed = await supervise(workerSpec(tempDir(), 'sleep 1000', { timeoutMs: 100 }))
    resumed.setClock(false)
    resumed.setClock(true)
    expect(await resumed.ended).toMatchObject({ timedOut: true })
  })
})
