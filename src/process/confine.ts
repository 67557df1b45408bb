/**
 * Puts a worker into its sandbox: the command line that starts it there, what the sandbox reports, and which processes
 * get a signal. Muster starts the outermost process of the sandbox: when that ends, everything inside ends.
 */
import type { ChildProcess } from 'node:child_process'
import { Duplex, Readable } from 'node:stream'
import { keepsIn } from '../domain/config.ts'
import { clientEnvironment, containedCommand } from './container.ts'
import { gone, lives, readStat, signalGroup } from './group.ts'
import { gateFd } from './sandbox.ts'
import { type Sandbox } from './sandbox-found.ts'
import { seatbeltProfile } from './seatbelt.ts'
import { placesOf, realPath, viewArguments, type Rule } from './view.ts'

export interface Confinement {
  sandbox: Sandbox
  /** What bubblewrap, containers and sandbox-exec show and hide; the other kinds hide nothing. */
  rules: readonly Rule[]
  /** Words before everything: a layered workspace is mounted by them. */
  first?: readonly string[]
  /** False: without network, which only they can do. */
  network?: boolean
}

/** What is to be started. */
interface Start {
  dir: string
  cwd: string
  env: Record<string, string>
  command: readonly string[]
  apart?: boolean
}

/** Where bubblewrap and containers report: the first descriptor after stdin, stdout and stderr. */
const statusFd = 3

/** Throws if the worker cannot be kept in as it must be: it must not start then. */
export function confinedCommand(inside: Confinement, start: Start): string[] {
  const { sandbox, rules, first = [], network = true } = inside
  const { cwd, command, apart = false } = start
  if (!network && !keepsIn(sandbox.kind)) {
    throw new Error(`it must run without network, which needs bubblewrap (${sandbox.why})`)
  }
  if (sandbox.container !== undefined) {
    if (first.length > 0 && sandbox.container.runtime === 'docker')
      throw new Error('docker cannot show a folder in layers')
    return [...first, ...containedCommand(sandbox.container, { ...start, rules, network, apart })]
  }
  if (sandbox.kind === 'sandbox-exec') {
    return [
      ...first,
      ...sandbox.prefix,
      seatbeltProfile({ ...placesOf(rules), scratch: scratchOf(start.env) }),
      ...command,
    ]
  }
  if (sandbox.kind !== 'bubblewrap') return [...first, ...sandbox.prefix, ...sandbox.begin, ...command]
  const net = network ? [] : ['--unshare-net']
  const status = ['--json-status-fd', String(statusFd)]
  const view = viewArguments(rules)
  return [...first, ...sandbox.prefix, ...net, ...view, '--chdir', cwd, ...status, ...sandbox.begin, ...command]
}

const scratchOf = ({ TMPDIR = '/tmp' }: Record<string, string>): string[] =>
  ['/tmp', '/var/tmp', TMPDIR].flatMap((path) => realPath(path) ?? [])

/** What the sandbox's outer process gets; of that, a container passes on what is the worker's. */
export function outerEnvironment({ container }: Sandbox, env: Record<string, string>): Record<string, string> {
  return container === undefined ? env : clientEnvironment(env)
}

/** The descriptors after stdin, stdout and stderr that the command needs. */
export function extraStdio({ kind }: Sandbox): ('pipe' | 'ignore')[] {
  if (kind === 'none' || kind === 'sandbox-exec') return []
  return [keepsIn(kind) ? 'pipe' : 'ignore', 'pipe']
}

/** The first process of a pid namespace: once it is gone, so is everything that was in it, whatever its group. */
export interface Init {
  pid: number
  startTime: string
}

export interface Report {
  /** Settles when the namespace is there, or will never be. */
  init: Promise<Init | null>
  /** Settles at the end: whether the worker had really begun. */
  begun: Promise<boolean>
}

/** Bubblewrap and containers report: a first process at once, and an exit code if the command was reached. */
export function readReport(child: ChildProcess, { kind }: Sandbox): Report | null {
  const status = child.stdio[statusFd]
  if (!keepsIn(kind) || !(status instanceof Readable)) return null
  const init = Promise.withResolvers<Init | null>()
  const begun = Promise.withResolvers<boolean>()
  let text = ''
  status.setEncoding('utf8')
  status.on('data', (chunk: string) => {
    text += chunk
    const pid = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1])
    if (pid > 1) init.resolve(initOf(pid))
  })
  status.on('error', () => {})
  status.on('close', () => {
    init.resolve(null)
    begun.resolve(text.includes('"exit-code"'))
  })
  return { init: init.promise, begun: begun.promise }
}

/**
 * Settles once the worker waits to begin, with the way to let it; null if it ended before, or has no gate. A container's
 * stays open: its end tells the watch outside that Muster is gone.
 */
export function atGate(child: ChildProcess, { kind }: Sandbox): Promise<(() => void) | null> {
  const gate = child.stdio[gateFd]
  if (!(gate instanceof Duplex)) return Promise.resolve(null)
  return new Promise((resolve) => {
    gate.on('error', () => {})
    const begin = (): void => void (kind === 'container' ? gate.write('go\n') : gate.end('go\n'))
    gate.once('data', () => resolve(begin))
    gate.once('close', () => resolve(null))
    child.once('exit', () => gate.destroy())
  })
}

function initOf(pid: number): Init | null {
  const startTime = readStat(pid)?.startTime
  return startTime === undefined ? null : { pid, startTime }
}

/** Ends the namespace if it still lives, and waits until it is gone, at most `maxMs`. */
export async function endNamespace(init: Init, maxMs: number): Promise<void> {
  if (!lives(init)) return
  kill(init)
  await gone(() => lives(init), maxMs)
}

function kill({ pid }: Init): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in between.
  }
}

/** Ends a worker at once. A container does not end with the process that Muster started. */
export function endNow(pid: number, init: Init | null): void {
  signalGroup(pid, 'SIGKILL')
  if (init !== null && lives(init)) kill(init)
}

/**
 * Asks a worker to end. The outer process would die of the signal and take the worker with it unasked, so it goes to the
 * worker's own group, which the namespace's first process leads and, as such, survives. Before that group is there,
 * nothing has begun that could clean up.
 */
export function askToEnd(pid: number, init: Init | null): void {
  if (init === null || !lives(init) || !signalGroup(init.pid, 'SIGTERM')) signalGroup(pid, 'SIGTERM')
}
