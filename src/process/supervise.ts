/**
 * Starts a long-lived worker and sees it through: its output, its time, its end and the end of everything in its
 * process group. What it does across crashes of Muster itself is in record.ts and recover.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { drainMs as drainMsDefault, killGraceMs as killGraceMsDefault } from '../domain/limits.ts'
import { countdown } from './countdown.ts'
import { groupGone, groupLives, signalGroup } from './group.ts'
import { openLog, type LogWriter } from './log.ts'
import { openOutput, type OutputPipe } from './output.ts'
import {
  alreadyStartedCode,
  identify,
  pidFile,
  readPidFile,
  startWrapper,
  writeExitRecord,
  writeProcessRecord,
  type ProcessEnd,
} from './record.ts'
import { endOrphan } from './recover.ts'

export interface WorkerSpec {
  /** The run's own folder; it must exist. */
  dir: string
  runId: string
  /** Program and arguments. */
  command: readonly string[]
  cwd: string
  /** Must hold MUSTER_RUN_ID: recovery knows the run's processes by it. */
  env: Record<string, string>
  /** Read as stdin; without it there is none. */
  stdinFile?: string
  timeoutMs: number
  onLine?: (line: string) => void
  killGraceMs?: number
  drainMs?: number
}

/** `refused`: the run had been started before, so nothing was done. */
export type WorkerEnd = ProcessEnd & { refused: boolean }

export interface SupervisedProcess {
  /** Settles when the exit record is written and nothing of the process group is left; never rejects. */
  ended: Promise<WorkerEnd>
  /** SIGTERM to the group and SIGKILL after the grace; `now`: SIGKILL at once. Idempotent. */
  stop(now?: boolean): void
  /** Stops and restarts the clock of the timeout. */
  setClock(running: boolean): void
}

/** After SIGKILL a process is gone as soon as the kernel gets to it; what it cannot end is not waited for. */
const killedGoneMs = 5000

/** Resolves once the worker runs, or has ended because it could not. One call per folder at a time. */
export async function supervise(spec: WorkerSpec): Promise<SupervisedProcess> {
  const output = await openOutput(spec.dir)
  const started = startChild(spec, output)
  if (started instanceof Error) {
    output.discard()
    return notStarted(spec, started)
  }
  const log = openLog(spec.dir, spec.onLine === undefined ? {} : { onLine: spec.onLine })
  const worker = watchOver(spec, started.child, started.pid, output.readable(started.child), log)
  // A record that cannot be written is not missed: the child's own pid file says the same.
  await writeProcessRecord(spec.dir, identify(started.pid)).catch(() => {})
  return worker
}

function startChild(spec: WorkerSpec, output: OutputPipe): { child: ChildProcess; pid: number } | Error {
  let stdin: number | 'ignore' = 'ignore'
  try {
    if (spec.stdinFile !== undefined) stdin = openSync(spec.stdinFile, 'r')
    const child = spawn('/bin/sh', ['-c', startWrapper, 'sh', pidFile(spec.dir), ...spec.command], {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      // The wrapper makes stderr the same as stdout: one pipe keeps the order of what was written.
      stdio: [stdin, output.stdout, 'ignore'],
    })
    child.on('error', () => {})
    if (child.pid !== undefined) return { child, pid: child.pid }
    return new Error(existsSync(spec.cwd) ? 'the system refused to start it' : `there is no folder ${spec.cwd}`)
  } catch (error) {
    return error as Error
  } finally {
    if (typeof stdin === 'number') closeSync(stdin)
  }
}

async function notStarted(spec: WorkerSpec, error: Error): Promise<SupervisedProcess> {
  const end: ProcessEnd = { code: null, signal: null, timedOut: false, stopped: false, error: error.message }
  await writeExitRecord(spec.dir, end).catch(() => {})
  return { ended: Promise.resolve({ ...end, refused: false }), stop() {}, setClock() {} }
}

function watchOver(
  spec: WorkerSpec,
  child: ChildProcess,
  pid: number,
  output: Readable,
  log: LogWriter,
): SupervisedProcess {
  const graceMs = spec.killGraceMs ?? killGraceMsDefault
  let leaderLives = true
  // Once nothing of the group lives its number may be given to others: no signal goes there any more.
  let groupLeft = true
  let timedOut = false
  let stopped = false
  let atOnce = false
  let killTimer: NodeJS.Timeout | undefined

  const terminate = (): void => {
    if (groupLeft && atOnce) signalGroup(pid, 'SIGKILL')
    if (!groupLeft || atOnce || killTimer !== undefined) return
    signalGroup(pid, 'SIGTERM')
    killTimer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs)
  }
  const clock = countdown(spec.timeoutMs, () => {
    timedOut = !stopped
    terminate()
  })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('exit', (code, signal) => {
      leaderLives = false
      clock.cancel()
      resolve({ code, signal })
    })
  })
  const copied = copy(output, log)

  const seeThrough = async (): Promise<WorkerEnd> => {
    const exit = await exited
    await settled(copied, spec.drainMs ?? drainMsDefault)
    output.destroy()
    await copied
    if (groupLives(pid)) {
      terminate()
      await groupGone(pid, graceMs + killedGoneMs)
    }
    groupLeft = false
    clearTimeout(killTimer)
    await log.close()
    const end: ProcessEnd = { ...exit, timedOut, stopped }
    if (exit.code === alreadyStartedCode && readPidFile(spec.dir)?.pid !== pid) {
      // Claimed between the question whether it was started and the start: by a child whose Muster died just then.
      await endOrphan(spec.dir, spec.runId)
      return { ...end, refused: true }
    }
    await writeExitRecord(spec.dir, end).catch(() => {})
    return { ...end, refused: false }
  }

  return {
    ended: seeThrough().catch((error: unknown): WorkerEnd => ({
      ...nothingKnown(error),
      timedOut,
      stopped,
      refused: false,
    })),
    stop(now = false) {
      if (leaderLives && !timedOut) stopped = true
      atOnce ||= now
      terminate()
    },
    setClock: (running) => clock.setRunning(running),
  }
}

function nothingKnown(error: unknown): Pick<ProcessEnd, 'code' | 'signal' | 'error'> {
  return { code: null, signal: null, error: error instanceof Error ? error.message : String(error) }
}

/** Each chunk is written before the next is read, so a worker that prints faster than the disk takes it has to wait. */
async function copy(from: Readable, to: LogWriter): Promise<void> {
  try {
    for await (const chunk of from) await to.write(chunk as Buffer)
  } catch {
    // Destroyed because something else holds the pipe: what was written is in the log.
  }
}

/** Waits for it, at most about `maxMs`. In two halves, so that a busy moment of our own does not count for all of it. */
async function settled(promise: Promise<void>, maxMs: number): Promise<void> {
  const waiting = new AbortController()
  for (const part of [1, 2]) {
    const waited = delay(maxMs / 2, part, { signal: waiting.signal }).catch(() => part)
    if ((await Promise.race([promise, waited])) === undefined) break
  }
  waiting.abort()
}
