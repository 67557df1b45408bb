/**
 * The files of a run from which a later Muster learns what happened to it: `pid`, written by the child itself before
 * its work begins; `process.json`, written by Muster right after the start; `init.json`, the first process of its pid
 * namespace, written before the work begins; `exit.json`, written at the end.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SANDBOX_KINDS, type SandboxKind } from '../domain/config.ts'
import { limitMetIn, type LimitMet } from '../domain/run-limits.ts'
import { readDurable, writeDurably } from '../durable.ts'
import { parseStat, readStat } from './group.ts'

/** How a process ended. `stopped`: from outside. `error`: it never started. `refused`: it had been started before. */
export interface ProcessEnd {
  code: number | null
  signal: string | null
  timedOut: boolean
  stopped: boolean
  refused?: boolean
  error?: string
  /** Why it was stopped, in the word of who stopped it. */
  why?: string
  /** Muster had died before it ended: nobody saw how. */
  unseen?: boolean
  /** The sandbox that was used; absent in records of an older Muster. */
  sandbox?: SandboxKind
  /** It came to a limit of what a run may use, which may be why it ended. */
  met?: LimitMet
  /** Why one of its services is to blame. */
  service?: string
}

/** One process among all that ever had its pid. Without /proc the pid is all there is. */
export interface ProcessIdentity {
  pid: number
  startTime: string | null
  bootId: string | null
}

/** The wrapper ends with this if the run was started before. A command's own 125 is told apart by the pid file. */
export const alreadyStartedCode = 125

/**
 * Shell text: `sh -c <this> sh <pid file> <command> <argument>…`. Claims the run by creating its pid file, says there
 * who it is (its stat line and the boot), and becomes the command. Builtins only, so nothing else is started.
 */
const claim = `set -C
stat=$$ boot=
{ read -r stat </proc/$$/stat; read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
{ printf '%s\\n%s\\n' "$stat" "$boot" >"$1"; } 2>/dev/null || exit ${alreadyStartedCode}
shift`
/**
 * One stream keeps the order of what was written; two, `apart`, keep what a program reports from what it complains about.
 * `enter`: what the process does first that the command must have behind it.
 */
export const startWrapper = (apart = false, enter = ''): string =>
  [claim, apart ? '' : 'exec 2>&1', enter, 'exec "$@"'].filter(Boolean).join('\n')

export const pidFile = (dir: string): string => join(dir, 'pid')
const initFile = (dir: string): string => join(dir, 'init.json')
const processFile = (dir: string): string => join(dir, 'process.json')
export const exitFile = (dir: string): string => join(dir, 'exit.json')

/** True once the run was started, whatever became of it. */
export function hasStarted(dir: string): boolean {
  return existsSync(pidFile(dir)) || existsSync(processFile(dir)) || existsSync(exitFile(dir))
}

export function identify(pid: number): ProcessIdentity {
  return { pid, startTime: readStat(pid)?.startTime ?? null, bootId: bootId() }
}

export function bootId(): string | null {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null
}

/** Who claimed the run; null if nobody did, or if the file holds nothing of use (yet). */
export function readPidFile(dir: string): ProcessIdentity | null {
  const [stat = '', boot = ''] = (readText(pidFile(dir)) ?? '').split('\n')
  const pid = Number.parseInt(stat, 10)
  if (!(pid > 1)) return null
  return { pid, startTime: parseStat(stat)?.startTime ?? null, bootId: boot === '' ? null : boot }
}

export function readProcessRecord(dir: string): ProcessIdentity | null {
  return identityIn(readDurable(processFile(dir)))
}

/** The first process of the worker's own pid namespace, where Muster knew of one. */
export function readInitRecord(dir: string): ProcessIdentity | null {
  return identityIn(readDurable(initFile(dir)))
}

/** At once, before the worker begins. It need not outlast a power cut: no process does. */
export function writeInitRecord(dir: string, identity: ProcessIdentity): void {
  writeFileSync(initFile(dir), JSON.stringify(identity), { mode: 0o600 })
}

function identityIn(value: Record<string, unknown> | null): ProcessIdentity | null {
  const pid = value?.['pid']
  if (typeof pid !== 'number' || !(pid > 1)) return null
  return { pid, startTime: stringOrNull(value?.['startTime']), bootId: stringOrNull(value?.['bootId']) }
}

/** Absent if the run was not started, or by an older Muster. */
export function readSandboxRecord(dir: string): { sandbox?: SandboxKind } {
  return sandboxIn(readDurable(processFile(dir)))
}

function sandboxIn(value: Record<string, unknown> | null): { sandbox?: SandboxKind } {
  const kind = SANDBOX_KINDS.find((one) => one === value?.['sandbox'])
  return kind === undefined ? {} : { sandbox: kind }
}

interface ProcessRecord extends ProcessIdentity {
  sandbox?: SandboxKind
}

export function writeProcessRecord(dir: string, record: ProcessRecord): Promise<void> {
  return writeDurably(processFile(dir), record)
}

/** Null if the end was not seen by any Muster. */
export function readExitRecord(dir: string): ProcessEnd | null {
  const value = readDurable(exitFile(dir))
  if (value === null) return null
  const { code, error, why } = value
  const met = limitMetIn(value['met'])
  return {
    code: typeof code === 'number' ? code : null,
    signal: stringOrNull(value['signal']),
    timedOut: value['timedOut'] === true,
    stopped: value['stopped'] === true,
    ...(typeof error === 'string' ? { error } : {}),
    ...(typeof why === 'string' ? { why } : {}),
    ...(value['unseen'] === true ? { unseen: true } : {}),
    ...sandboxIn(value),
    ...(met === undefined ? {} : { met }),
  }
}

/** Null too if an older Muster saw the end. */
export function bootOfEnd(dir: string): string | null {
  return stringOrNull(readDurable(exitFile(dir))?.['boot'])
}

export function writeExitRecord(dir: string, end: ProcessEnd, boot = bootId()): Promise<void> {
  return writeDurably(exitFile(dir), { ...end, boot })
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
