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
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const maxBytes = options.maxOutputBytes ?? defaultOutputBytesMax
  let bytes = 0
  let timedOut = false
  let overflowed = false
  let killTimer: NodeJS.Timeout | undefined
  let drainTimer: NodeJS.Timeout | undefined

  // SIGTERM first: git removes its lock files then.
  const end = (): void => {
    if (child.pid === undefined || killTimer !== undefined) return
    const { pid } = child
    signalGroup(pid, 'SIGTERM')
    killTimer = setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs)
  }
  const timer = setTimeout(() => {
    timedOut = true
    end()
  }, options.timeoutMs ?? defaultTimeoutMs)
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    if (overflowed) return
    const kept = chunk.subarray(0, maxBytes - bytes)
    chunks.push(kept)
    bytes += chunk.length
    if (kept.length === chunk.length) return
    overflowed = true
    end()
  }
  const clearTimers = (): void => {
    clearTimeout(timer)
    clearTimeout(killTimer)
    clearTimeout(drainTimer)
  }

  options.signal?.addEventListener('abort', end, { once: true })
  if (options.signal?.aborted === true) end()
  child.stdout.on('data', collect(stdout))
  child.stderr.on('data', collect(stderr))
  // A command that does not read its input closes the pipe; that is its business.
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin)
  child.on('error', (cause) => {
    if (child.pid !== undefined) return
    clearTimers()
    reject(notStarted(cause))
  })
  // Something that holds the pipes after the end is not waited for once they are quiet. The first look never counts:
  // after a busy moment of our own the timer comes before what is already there to be read.
  const drain = (seenBytes: number): void => {
    drainTimer = setTimeout(() => {
      if (bytes !== seenBytes) return drain(bytes)
      child.stdout.destroy()
      child.stderr.destroy()
    }, drainMs / 2)
  }
  child.on('exit', () => drain(-1))
  child.on('close', (code, signal) => {
    // A helper that ignored SIGTERM in a group whose leader is gone must not outlive the answer.
    if (killTimer !== undefined && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
    clearTimers()
    options.signal?.removeEventListener('abort', end)
    resolve({
      code,
      signal,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString(),
      timedOut,
      overflowed,
    })
  })
  return promise
}
