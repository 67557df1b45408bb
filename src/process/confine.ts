/**
 * Puts a worker into its sandbox: the command line that starts it there, what bubblewrap reports about it, and which
 * processes a signal has to go to. The process Muster starts is always the sandbox's outer one: its end is the end of all.
 */
import type { ChildProcess } from 'node:child_process'
import { Duplex, Readable } from 'node:stream'
import { gone, readStat, signalGroup } from './group.ts'
import { gateFd, type Sandbox } from './sandbox.ts'
import { viewArguments, type Rule } from './view.ts'

export interface Confinement {
  sandbox: Sandbox
  /** What bubblewrap shows and hides; the other kinds hide nothing. */
  rules: readonly Rule[]
  /** Words before everything: a layered workspace is mounted by them. */
  first?: readonly string[]
  /** False: without network, which only bubblewrap can do. */
  network?: boolean
}

/** Where bubblewrap reports: the first descriptor after stdin, stdout and stderr. */
const statusFd = 3

/** Throws if the worker cannot be kept in as it must be: it must not start then. */
export function confinedCommand(inside: Confinement, cwd: string, command: readonly string[]): string[] {
  const { sandbox, rules, first = [], network = true } = inside
  if (!network && sandbox.kind !== 'bubblewrap') {
    throw new Error(`it must run without network, which needs bubblewrap (${sandbox.why})`)
  }
  if (sandbox.kind !== 'bubblewrap') return [...first, ...sandbox.prefix, ...sandbox.begin, ...command]
  const net = network ? [] : ['--unshare-net']
  const status = ['--json-status-fd', String(statusFd)]
  const view = viewArguments(rules)
  return [...first, ...sandbox.prefix, ...net, ...view, '--chdir', cwd, ...status, ...sandbox.begin, ...command]
}

/** The descriptors after stdin, stdout and stderr that the command needs. */
export function extraStdio({ kind }: Sandbox): ('pipe' | 'ignore')[] {
  if (kind === 'none') return []
  return [kind === 'bubblewrap' ? 'pipe' : 'ignore', 'pipe']
}

/** The first process of a pid namespace: once it is gone, so is everything that was in it, whatever its group. */
export interface Init {
  pid: number
  startTime: string
}

export interface Report {
  /** Settles when bubblewrap's namespace is there, or will never be. */
  init: Promise<Init | null>
  /** Settles at the end: whether the worker had really begun. */
  begun: Promise<boolean>
}

/** Only bubblewrap reports: a first process at once, and an exit code if the command was reached. */
export function readReport(child: ChildProcess, { kind }: Sandbox): Report | null {
  const status = child.stdio[statusFd]
  if (kind !== 'bubblewrap' || !(status instanceof Readable)) return null
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

/** Settles once the worker waits to begin, with the way to let it; null if it ended before, or has no gate. */
export function atGate(child: ChildProcess): Promise<(() => void) | null> {
  const gate = child.stdio[gateFd]
  if (!(gate instanceof Duplex)) return Promise.resolve(null)
  return new Promise((resolve) => {
    gate.on('error', () => {})
    gate.once('data', () => resolve(() => void gate.end('go\n')))
    gate.once('close', () => resolve(null))
    child.once('exit', () => gate.destroy())
  })
}

function initOf(pid: number): Init | null {
  const startTime = readStat(pid)?.startTime
  return startTime === undefined ? null : { pid, startTime }
}

export function initLives({ pid, startTime }: Init): boolean {
  const stat = readStat(pid)
  return stat !== null && stat.startTime === startTime && stat.state !== 'Z' && stat.state !== 'X'
}

/** Ends the namespace if it still lives, and waits until it is gone, at most `maxMs`. */
export async function endNamespace(init: Init, maxMs: number): Promise<void> {
  if (!initLives(init)) return
  try {
    process.kill(init.pid, 'SIGKILL')
  } catch {
    // Gone in between.
  }
  await gone(() => initLives(init), maxMs)
}

/**
 * Asks a worker to end. Bubblewrap itself would die of the signal and take the worker with it unasked, so it goes to the
 * worker's own group, which the namespace's first process leads and, as such, survives. Before that group is there,
 * nothing has begun that could clean up.
 */
export function askToEnd(pid: number, init: Init | null): void {
  if (init === null || !initLives(init) || !signalGroup(init.pid, 'SIGTERM')) signalGroup(pid, 'SIGTERM')
}
