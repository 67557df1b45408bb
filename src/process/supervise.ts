/**
 * Starts a long-lived worker, in a sandbox if there is one, and supervises it: its output, its time, its end, and the
 * end of everything in its process group. record.ts and recover.ts handle crashes of Muster itself.
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
import { countdown, type Countdown } from './countdown.ts'
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
  const worker = new Supervision(spec, { child, pid, output: output.readable(child), log, report, fence })
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

const notFenced = (error: unknown): Error => new Error(`Muster cannot set its limits: ${(error as Error).message}`)

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

type Exit = Pick<ProcessEnd, 'code' | 'signal'>

/** What was begun for a worker, and is seen through to its end. */
interface Begun {
  child: ChildProcess
  pid: number
  output: Readable
  log: LogWriter
  report: Report | null
  fence: Fence | null
}

class Supervision implements SupervisedProcess {
  readonly ended: Promise<ProcessEnd>
  readonly #spec: WorkerSpec
  readonly #begun: Begun
  readonly #graceMs: number
  readonly #clock: Countdown
  readonly #startedAt = performance.now()
  #init: Init | null = null
  #leaderLives = true
  /** Once nothing of the group lives its number may be given to others: no signal goes there any more. */
  #groupLeft = true
  #timedOut = false
  #stopped = false
  #stoppedFor: string | undefined
  #atOnce = false
  #killTimer: NodeJS.Timeout | undefined
  #askTimer: NodeJS.Timeout | undefined

  constructor(spec: WorkerSpec, begun: Begun) {
    this.#spec = spec
    this.#begun = begun
    this.#graceMs = spec.killGraceMs ?? killGraceMsDefault
    void begun.report?.init.then((known) => (this.#init = known))
    this.#clock = countdown(spec.timeoutMs, () => {
      this.#timedOut = !this.#stopped
      this.#terminate()
    })
    // At once: what fills the machine must not have five more seconds for it.
    begun.fence?.watch(() => {
      this.#atOnce = true
      this.#terminate()
    })
    this.ended = this.#seeThrough(this.#exit(), this.#copyAll()).catch((error: unknown) => ({
      ...nothingKnown(error),
      timedOut: this.#timedOut,
      stopped: this.#stopped,
      refused: false,
    }))
  }

  stop(now = false, why?: string): void {
    if (this.#leaderLives && !this.#timedOut) {
      if (!this.#stopped) this.#stoppedFor = why
      this.#stopped = true
    }
    this.#atOnce ||= now
    this.#terminate()
  }

  setClock(running: boolean): void {
    this.#clock.setRunning(running)
  }

  #terminate(): void {
    const { pid } = this.#begun
    if (this.#groupLeft && this.#atOnce) endNow(pid, this.#init)
    if (!this.#groupLeft || this.#atOnce || this.#killTimer !== undefined) return
    askToEnd(pid, this.#init)
    // The first process of a namespace does not hear it before the worker is there: a fresh one is asked twice.
    if (performance.now() - this.#startedAt < freshMs)
      this.#askTimer = setTimeout(() => askToEnd(pid, this.#init), freshMs)
    this.#killTimer = setTimeout(() => endNow(pid, this.#init), this.#graceMs)
  }

  #exit(): Promise<Exit> {
    return new Promise((resolve) => {
      this.#begun.child.on('exit', (code, signal) => {
        this.#leaderLives = false
        this.#clock.cancel()
        resolve({ code, signal })
      })
    })
  }

  async #copyAll(): Promise<void> {
    const { child, output, log } = this.#begun
    const complaints = child.stderr === null ? undefined : copyErrors(child.stderr, this.#spec.dir)
    await copy(output, log, this.#spec.onOutput)
    await complaints
  }

  async #seeThrough(exited: Promise<Exit>, copied: Promise<void>): Promise<ProcessEnd> {
    const { output, child, log, fence } = this.#begun
    const exit = await exited
    await settled(copied, this.#spec.drainMs ?? drainMsDefault)
    output.destroy()
    child.stderr?.destroy()
    await copied
    await this.#leaveNothing(exit)
    const met = (await fence?.close()) ?? null
    await log.close()
    const why = this.#stoppedFor
    return this.#record({
      ...exit,
      timedOut: this.#timedOut,
      stopped: this.#stopped,
      sandbox: sandboxOf(this.#spec).kind,
      ...(why === undefined ? {} : { why }),
      ...(met === null ? {} : { met }),
    })
  }

  /** Its leader is gone; now everything else of it. */
  async #leaveNothing({ code }: Exit): Promise<void> {
    const { pid } = this.#begun
    if (groupLives(pid)) {
      this.#terminate()
      await groupGone(pid, this.#graceMs + killedGoneMs)
    }
    this.#groupLeft = false
    clearTimeout(this.#killTimer)
    clearTimeout(this.#askTimer)
    if (this.#init !== null) await endNamespace(this.#init, killedGoneMs)
    // One whose outer process was killed has nobody who takes it away.
    if (code === null) await removeContainer(this.#spec.dir)
  }

  async #record(end: ProcessEnd): Promise<ProcessEnd> {
    const { dir, runId } = this.#spec
    const { pid, child, report } = this.#begun
    if (end.code === alreadyStartedCode && readPidFile(dir)?.pid !== pid) {
      // Claimed between the question whether it was started and the start: by a child whose Muster died just then.
      await endOrphan(dir, runId)
      return { ...end, refused: true }
    }
    if (report !== null && end.code !== null && !(await report.begun)) {
      const place = child.stderr === null ? dir : errorsOf(dir)
      const said = lastLine(withoutHelp(await readLog(place).catch(() => Buffer.alloc(0))))
      end.error = `the sandbox could not be set up: ${said}`
    }
    await writeExitRecord(dir, end).catch(() => {})
    return { ...end, refused: false }
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
