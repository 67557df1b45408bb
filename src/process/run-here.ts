/** Runs a short helper command, such as git, to its end: bounded in time and output, in a process group of its own. Asked for through run.ts. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { MusterError } from '../domain/errors.ts'
import { drainMs, killGraceMs } from '../domain/limits.ts'
import { signalGroup } from './group.ts'

export interface RunOptions {
  command: readonly string[]
  cwd: string
  env: Record<string, string>
  stdin?: string | Buffer
  timeoutMs?: number
  /** Of stdout and stderr together. A command that writes more is ended. */
  maxOutputBytes?: number
  /** Ends it early. */
  signal?: AbortSignal
}

export interface RunResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: Buffer
  stderr: string
  timedOut: boolean
  /** It wrote more than allowed and was ended; stdout and stderr hold what came before. */
  overflowed: boolean
}

const defaultTimeoutMs = 120_000
const defaultOutputBytesMax = 64 * 1024 * 1024

/** Rejects with `failed` only if the command cannot be started at all; how it ended is for the caller to judge. */
export function runHere(options: RunOptions): Promise<RunResult> {
  const [program = '', ...args] = options.command
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>()
  const notStarted = (cause: Error): MusterError =>
    new MusterError('failed', `${program} could not be started in ${options.cwd}: ${cause.message}`, { cause })
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' })
  } catch (error) {
    return Promise.reject(notStarted(error as Error))
  }
  let timedOut = false
  const ending = endOf(child)
  const timer = setTimeout(() => {
    timedOut = true
    ending.begin()
  }, options.timeoutMs ?? defaultTimeoutMs)
  options.signal?.addEventListener('abort', ending.begin, { once: true })
  if (options.signal?.aborted === true) ending.begin()
  const output = outputOf(child, options.maxOutputBytes ?? defaultOutputBytesMax, ending.begin)
  // A command that does not read its input closes the pipe; that is its business.
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin)
  child.on('error', (cause) => {
    if (child.pid !== undefined) return
    clearTimeout(timer)
    ending.over()
    reject(notStarted(cause))
  })
  child.on('close', (code, signal) => {
    clearTimeout(timer)
    ending.over()
    options.signal?.removeEventListener('abort', ending.begin)
    resolve({ code, signal, ...output(), timedOut })
  })
  return promise
}

/** Ends the command's group: SIGTERM first, since git removes its lock files then. */
function endOf(child: ChildProcessWithoutNullStreams): { begin: () => void; over: () => void } {
  let killTimer: NodeJS.Timeout | undefined
  return {
    begin() {
      const { pid } = child
      if (pid === undefined || killTimer !== undefined) return
      signalGroup(pid, 'SIGTERM')
      killTimer = setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs)
    },
    over() {
      // A helper that ignored SIGTERM in a group whose leader is gone must not outlive the answer.
      if (killTimer !== undefined && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      clearTimeout(killTimer)
    },
  }
}

/** What the command writes, as far as it may; `tooMuch` is called once it is more. */
function outputOf(
  child: ChildProcessWithoutNullStreams,
  bytesMax: number,
  tooMuch: () => void,
): () => Pick<RunResult, 'stdout' | 'stderr' | 'overflowed'> {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  let bytes = 0
  let overflowed = false
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    if (overflowed) return
    const kept = chunk.subarray(0, bytesMax - bytes)
    chunks.push(kept)
    bytes += chunk.length
    if (kept.length === chunk.length) return
    overflowed = true
    tooMuch()
  }
  child.stdout.on('data', collect(stdout))
  child.stderr.on('data', collect(stderr))
  // Something that holds the pipes after the end is not waited for once they are quiet. The first look never counts:
  // after a busy moment of our own the timer comes before what is already there to be read.
  let drainTimer: NodeJS.Timeout | undefined
  const drain = (seenBytes: number): void => {
    drainTimer = setTimeout(() => {
      if (bytes !== seenBytes) return drain(bytes)
      child.stdout.destroy()
      child.stderr.destroy()
    }, drainMs / 2)
  }
  child.on('exit', () => drain(-1))
  child.on('close', () => clearTimeout(drainTimer))
  return () => ({ stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), overflowed })
}
