/**
 * Process groups: sends signals to them, and tells whether a process in them is alive. A zombie does not count as
 * alive: if nobody reaps orphans, as in many containers, Muster would wait for it forever.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 1
const pollMsMax = 100

export interface ProcessStat {
  pid: number
  /** Of its program, cut short by the kernel. */
  name: string
  state: string
  parent: number
  group: number
  session: number
  /** The terminal that it is at, by the kernel's number; 0: none. */
  terminal: number
  /** In clock ticks since boot: with the pid it names one process. */
  startTime: string
}

/** The text of /proc/<pid>/stat; null if it is none. The name in parentheses may hold anything, so count from its end. */
export function parseStat(text: string): ProcessStat | null {
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session, terminal] = fields
  const startTime = fields[19]
  if (!(pid > 0) || !text.includes(')') || state === undefined || startTime === undefined) return null
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
  const [above, of, led, at] = [parent, group, session, terminal].map(Number) as [number, number, number, number]
  return { pid, name, state, parent: above, group: of, session: led, terminal: at, startTime }
}

/** Null if there is no such process, or no /proc. */
export function readStat(pid: number): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return null
  }
}

/** Whether this very process still lives: not another one with its pid, and no zombie. */
export function lives({ pid, startTime }: Pick<ProcessStat, 'pid' | 'startTime'>): boolean {
  const stat = readStat(pid)
  return stat?.startTime === startTime && isLive(stat)
}

const isLive = ({ state }: ProcessStat): boolean => state !== 'Z' && state !== 'X'

/** Whatever lives; null where there is no /proc to ask. */
export function allProcesses(): ProcessStat[] | null {
  if (readStat(process.pid) === null) return null
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== null)
    .filter(isLive)
}

/** The living members of a group; null where there is no /proc to ask. */
export function groupMembers(group: number): ProcessStat[] | null {
  return allProcesses()?.filter((stat) => stat.group === group) ?? null
}

/** False if the group does not exist. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

export function groupLives(group: number): boolean {
  if (!signalGroup(group, 0)) return false
  return groupMembers(group)?.length !== 0
}

/**
 * Waits until nothing of the group lives, at most `maxMs`: a process in an uninterruptible wait cannot be ended by
 * anybody. No event tells of the death of another's child, hence the looking.
 */
export function groupGone(group: number, maxMs: number): Promise<boolean> {
  return gone(() => groupLives(group), maxMs)
}

export async function gone(isThere: () => boolean, maxMs: number): Promise<boolean> {
  const start = performance.now()
  for (let waitMs = pollMs; isThere(); waitMs = Math.min(waitMs * 2, pollMsMax)) {
    if (performance.now() - start > maxMs) return false
    await delay(waitMs)
  }
  return true
}
