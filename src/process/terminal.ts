/**
 * Whether a person started a process: it is at a terminal, and none of its ancestors is a worker of Muster's. A worker
 * can create a terminal and can leave its ancestors; it cannot descend from a process that existed before it.
 * docs/sandbox.md says what this does not prevent.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { readStat, type ProcessStat } from './group.ts'
import { runToEnd } from './run.ts'
import { toolEnvironment } from './environment.ts'

export interface Relative {
  pid: number
  name: string
  parent: number
  session: number
  /** Whether it is at a terminal. */
  terminal: boolean
  user: number
  startedAt: number
  /** Whether it was started for a task; null: it does not let us look. */
  worker: boolean | null
  /** Whether it sees the same processes as we do. */
  here: boolean
}

/** More than any shell in a shell in a shell. */
const generationsMax = 200
/** Processes that take in those whose parents are gone: to come from them says nothing. */
const REAPERS: ReadonlySet<string> = new Set(['systemd', 'init', 'launchd', 'tini', 'dumb-init', 'docker-init'])
/** In the environment of every worker. */
const WORKER = /(?:^|\0)MUSTER_TASK_ID=/

/**
 * Why the process may be an agent's; null if it is a person's. `since`: when the first worker began that may have left
 * its parents; null where none can.
 */
export async function whyNoPerson(pid: number, since: number | null): Promise<string | null> {
  return judgeLineage(await lineage(pid), { self: process.pid, user: process.getuid?.() ?? -1, since })
}

/** The process first, then its parent, and so on. */
export function judgeLineage(
  line: readonly Relative[],
  { self, user, since }: { self: number; user: number; since: number | null },
): string | null {
  const [asker, ...above] = line
  if (asker === undefined) return 'the asking process is gone'
  if (!asker.terminal) return 'the asking process has no terminal'
  if (!asker.here) return 'the asking process runs in its own namespace'
  if (above.some(({ pid }) => pid === self)) return 'the asking process was started by Muster'
  if (line.some(({ worker }) => worker === true)) return 'the asking process was started for a task'
  if (since === null) return null
  const from = line.filter(({ pid, name }) => pid === asker.session || (pid !== 1 && !REAPERS.has(name)))
  const known = from.some((one) => one.parent === 0 || one.user !== user || one.startedAt < since)
  return known ? null : 'its terminal is newer than the first agent that ran here, so an agent could have made it'
}

/** Empty if there is no such process. */
async function lineage(pid: number): Promise<Relative[]> {
  const of = readStat(process.pid) === null ? await listed() : fromProc
  const line: Relative[] = []
  for (let next = pid; next > 0 && line.length < generationsMax; next = line.at(-1)?.parent ?? 0) {
    const one = of(next)
    if (one === null) break
    line.push(one)
  }
  return line
}

function fromProc(pid: number): Relative | null {
  const stat = readStat(pid)
  if (stat === null) return null
  const { name, parent, session, terminal } = stat
  const shared = { pid, name, parent, session, terminal: terminal !== 0 }
  return { ...shared, user: ownerOf(pid), startedAt: startOf(stat), worker: isWorker(pid), here: isHere(pid) }
}

function ownerOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`) ?? '')?.[1] ?? -1)
}

function isWorker(pid: number): boolean | null {
  const environment = textOf(`/proc/${pid}/environ`)
  return environment === null ? null : WORKER.test(environment)
}

/** One that does not let us look could be anywhere. */
function isHere(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid')
  } catch {
    return false
  }
}

/** The kernel counts in hundredths of a second since it began. */
function startOf({ startTime }: ProcessStat): number {
  const began = Number(/^btime (\d+)/m.exec(textOf('/proc/stat') ?? '')?.[1] ?? 0)
  return began * 1000 + Number(startTime) * 10
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}

/** Where there is no /proc: what `ps` says of everything. It tells no environment. */
async function listed(): Promise<(pid: number) => Relative | null> {
  const command = ['ps', '-axo', 'pid=,ppid=,sess=,uid=,tty=,lstart=,ucomm=']
  const { stdout } = await runToEnd({ command, cwd: '/', env: { ...toolEnvironment(), LC_ALL: 'C' } })
  const all = new Map(
    stdout
      .toString()
      .split('\n')
      .map(relativeIn)
      .filter((one) => one !== null)
      .map((one) => [one.pid, one]),
  )
  return (pid) => all.get(pid) ?? null
}

/** A line of that list. */
export function relativeIn(line: string): Relative | null {
  const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s+(.+)$/.exec(line)
  if (found === null) return null
  const [, pid, parent, session, user, tty = '', started = '', name = ''] = found
  const numbers = { pid: Number(pid), parent: Number(parent), session: Number(session), user: Number(user) }
  return { ...numbers, name, terminal: !/^\?+$/.test(tty), startedAt: Date.parse(started), worker: null, here: true }
}

/** Whether the process has this very file open under that descriptor. Both numbers are what somebody claims. */
export async function holdsOpen(pid: unknown, descriptor: unknown, file: FileHandle): Promise<boolean> {
  if (!isCount(pid) || !isCount(descriptor)) return false
  const ours = await file.stat()
  if (readStat(process.pid) === null) return (await listedInode(pid, descriptor)) === ours.ino
  try {
    const there = statSync(`/proc/${pid}/fd/${descriptor}`)
    return there.ino === ours.ino && there.dev === ours.dev
  } catch {
    return false
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Where there is no /proc. */
async function listedInode(pid: number, descriptor: number): Promise<number | null> {
  const command = ['lsof', '-a', '-p', String(pid), '-d', String(descriptor), '-Fi']
  const said = await runToEnd({ command, cwd: '/', env: toolEnvironment() }).catch(() => null)
  const [, inode] = /^i(\d+)$/m.exec(said?.stdout.toString() ?? '') ?? []
  return inode === undefined ? null : Number(inode)
}
