/**
 * Starts a long-lived worker, inside a sandbox where there is one, and sees it through: its output, its time, its end
 * and the end of everything in its process group. What it does across crashes of Muster itself is in record.ts and recover.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { drainMs as drainMsDefault, killGraceMs as killGraceMsDefault } from '../domain/limits.ts'
import { askToEnd, atGate, confinedCommand, endNamespace, endNow, extraStdio } from './confine.ts'
import { outerEnvironment, readReport, type Confinement, type Init, type Report } from './confine.ts'
import { removeContainer, withoutHelp } from './container.ts'
import { countdown } from './countdown.ts'
import { groupGone, groupLives } from './group.ts'
import { lastLine } from './last-line.ts'
import { makeFence, type Fence, type Fenced } from './limits/fence.ts'
import { readLog } from './log-read.ts'
import { openLog, type LogWriter } from './log.ts'
import { openOutput, type OutputPipe } from './output.ts'
import {
  alreadyStartedCode,
  bootId,
  identify,
  pidFile,
  readPidFile,
  startWrapper,
  writeExitRecord,
  writeInitRecord,
  writeProcessRecord,
  type ProcessEnd,
} from './record.ts'
import { endOrphan } from './recover.ts'
import { noSandbox } from './sandbox.ts'
import { type Sandbox } from './sandbox-found.ts'

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
  /** What keeps it in; without it, its process group. */
  inside?: Confinement
  /** What it may use of the machine; without it, everything. */
  fenced?: Fenced
  timeoutMs: number
  /** What it writes to stderr goes to a log of its own, in `errorsOf(dir)`, instead of into the one log of both. */
  apart?: boolean
  onLine?: (line: string) => void
  /** Every byte of the log as it comes, in chunks as they fall. */
  onOutput?: (chunk: Buffer) => void
  killGraceMs?: number
  drainMs?: number
}

export interface SupervisedProcess {
  /** Settles when the exit record is written and nothing of the process group is left; never rejects. */
  ended: Promise<ProcessEnd>
  /** SIGTERM to the group and SIGKILL after the grace; `now`: SIGKILL at once. Idempotent: the first `why` is kept. */
  stop(now?: boolean, why?: string): void
  /** Stops and restarts the clock of the timeout. */
  setClock(running: boolean): void
}

export const errorsOf = (dir: string): string => join(dir, 'errors')

/** How long a worker may take to be there once it was let begin. */
const freshMs = 500

/** After SIGKILL a process is gone as soon as the kernel gets to it; what it cannot end is not waited for. */
const killedGoneMs = 5000

/** Resolves once the worker runs, or has ended because it could not. One call per folder at a time. */
export async function supervise(spec: WorkerSpec): Promise<SupervisedProcess> {
  const fence = spec.fenced === undefined ? null : await makeFence(spec.dir, spec.fenced).catch(notFenced)
  if (fence instanceof Error) return notStarted(spec, fence)
  const output = await openOutput(spec.dir)
  const started = startChild(spec, output, fence?.enter ?? '')
  if (started instanceof Error) {
    output.discard()
    await fence?.close()
    return notStarted(spec, started)
  }
  const { child, pid } = started
  const sandbox = sandboxOf(spec)
  const report = readReport(child, sandbox)
  const gate = atGate(child, sandbox)
  const log = openLog(spec.dir, spec.onLine === undefined ? {} : { onLine: spec.onLine })
  const worker = watchOver(spec, child, pid, output.readable(child), log, report, fence)
  // A record that cannot be written is not missed: the child's own pid file says the same.
  const recorded = writeProcessRecord(spec.dir, { ...identify(pid), sandbox: sandbox.kind }).catch(() => {})
  // What recovery has to know is on disk before the worker does anything.
  const [init, begin] = await Promise.all([report?.init ?? null, gate, recorded])
  if (init !== null) tryTo(() => writeInitRecord(spec.dir, { ...init, bootId: bootId() }))
  if (init !== null && sandbox.kind === 'container') fence?.take(init.pid)
  begin?.()
  return worker
}

const sandboxOf = ({ inside }: WorkerSpec): Sandbox => inside?.sandbox ?? noSandbox('none was asked for')

/** What cannot be written on a full disk is missed only if Muster dies as well. */
function tryTo(act: () => void): void {
  try {
    act()
  } catch {
    // As said.
  }
}

const notFenced = (error: unknown): Error => new Error(`its limits cannot be set: ${(error as Error).message}`)

function startChild(spec: WorkerSpec, output: OutputPipe, enter: string): { child: ChildProcess; pid: number } | Error {
  let stdin: number | 'ignore' = 'ignore'
  try {
    if (spec.stdinFile !== undefined) stdin = openSync(spec.stdinFile, 'r')
    const { inside, cwd } = spec
    const command = inside === undefined ? spec.command : confinedCommand(inside, spec)
    // The wrapper is outside and becomes the sandbox: the pid on record is the one whose end ends everything.
    const wrapper = startWrapper(spec.apart === true, enter)
    const child = spawn('/bin/sh', ['-c', wrapper, 'sh', pidFile(spec.dir), ...command], {
      cwd,
      env: outerEnvironment(sandboxOf(spec), spec.env),
      detached: true,
      stdio: [stdin, output.stdout, spec.apart === true ? 'pipe' : 'ignore', ...extraStdio(sandboxOf(spec))],
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
  report: Report | null,
  fence: Fence | null,
): SupervisedProcess {
  const graceMs = spec.killGraceMs ?? killGraceMsDefault
  let leaderLives = true
  // Once nothing of the group lives its number may be given to others: no signal goes there any more.
  let groupLeft = true
  let timedOut = false
  let stopped = false
  let stoppedFor: string | undefined
  let atOnce = false
  let killTimer: NodeJS.Timeout | undefined
  let askTimer: NodeJS.Timeout | undefined
  const startedAt = performance.now()
  let init: Init | null = null
  void report?.init.then((known) => (init = known))

  const terminate = (): void => {
    if (groupLeft && atOnce) endNow(pid, init)
    if (!groupLeft || atOnce || killTimer !== undefined) return
    askToEnd(pid, init)
    // The first process of a namespace does not hear it before the worker is there: a fresh one is asked twice.
    if (performance.now() - startedAt < freshMs) askTimer = setTimeout(() => askToEnd(pid, init), freshMs)
    killTimer = setTimeout(() => endNow(pid, init), graceMs)
  }
  const clock = countdown(spec.timeoutMs, () => {
    timedOut = !stopped
    terminate()
  })
  // At once: what fills the machine must not have five more seconds for it.
  fence?.watch(() => {
    atOnce = true
    terminate()
  })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('exit', (code, signal) => {
      leaderLives = false
      clock.cancel()
      resolve({ code, signal })
    })
  })
  const errors = child.stderr
  const copyAll = async (): Promise<void> => {
    const complaints = errors === null ? undefined : copyErrors(errors, spec.dir)
    await copy(output, log, spec.onOutput)
    await complaints
  }
  const copied = copyAll()

  const seeThrough = async (): Promise<ProcessEnd> => {
    const exit = await exited
    await settled(copied, spec.drainMs ?? drainMsDefault)
    output.destroy()
    errors?.destroy()
    await copied
    if (groupLives(pid)) {
      terminate()
      await groupGone(pid, graceMs + killedGoneMs)
    }
    groupLeft = false
    clearTimeout(killTimer)
    clearTimeout(askTimer)
    if (init !== null) await endNamespace(init, killedGoneMs)
    // One whose outer process was killed has nobody who takes it away.
    if (exit.code === null) await removeContainer(spec.dir)
    const met = (await fence?.close()) ?? null
    await log.close()
    const why = stoppedFor === undefined ? {} : { why: stoppedFor }
    const kind = sandboxOf(spec).kind
    const end: ProcessEnd = { ...exit, timedOut, stopped, ...why, sandbox: kind, ...(met === null ? {} : { met }) }
    if (exit.code === alreadyStartedCode && readPidFile(spec.dir)?.pid !== pid) {
      // Claimed between the question whether it was started and the start: by a child whose Muster died just then.
      await endOrphan(spec.dir, spec.runId)
      return { ...end, refused: true }
    }
    if (report !== null && exit.code !== null && !(await report.begun)) {
      const place = errors === null ? spec.dir : errorsOf(spec.dir)
      const said = lastLine(withoutHelp(await readLog(place).catch(() => Buffer.alloc(0))))
      end.error = `the sandbox could not be set up: ${said}`
    }
    await writeExitRecord(spec.dir, end).catch(() => {})
    return { ...end, refused: false }
  }

  return {
    ended: seeThrough().catch((error: unknown): ProcessEnd => ({
      ...nothingKnown(error),
      timedOut,
      stopped,
      refused: false,
    })),
    stop(now = false, why) {
      if (leaderLives && !timedOut) {
        if (!stopped) stoppedFor = why
        stopped = true
      }
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
async function copy(from: Readable, to: LogWriter, onOutput?: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of from) {
      onOutput?.(chunk as Buffer)
      await to.write(chunk as Buffer)
    }
  } catch {
    // Destroyed because something else holds the pipe: what was written is in the log.
  }
}

async function copyErrors(from: Readable, dir: string): Promise<void> {
  tryTo(() => mkdirSync(errorsOf(dir), { recursive: true, mode: 0o700 }))
  const log = openLog(errorsOf(dir))
  await copy(from, log)
  await log.close()
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
