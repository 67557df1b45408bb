/**
 * Finds out what happened to a run whose Muster died, and ends what is left of it. It kills only processes that are
 * proven to be of this run: a pid alone proves nothing, because another process may have it by now.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { LimitMet } from '../domain/run-limits.ts'
import { endNamespace } from './confine.ts'
import { containerName, removeContainer } from './container.ts'
import { allProcesses, groupGone, groupMembers, signalGroup, type ProcessStat } from './group.ts'
import { closeGroups } from './limits/group.ts'
import {
  bootId,
  bootOfEnd,
  hasStarted,
  pidFile,
  readExitRecord,
  readInitRecord,
  readPidFile,
  readProcessRecord,
  readSandboxRecord,
  writeExitRecord,
  type ProcessEnd,
  type ProcessIdentity,
} from './record.ts'

/** Between creating the pid file and writing into it the child needs microseconds; this is for a loaded machine. */
const pidWriteMs = 200
const orphanGoneMs = 10_000

const STOPPED = { code: null, signal: null, timedOut: false, stopped: true } as const

/**
 * `missing`: it was never started. A run that was started and whose end nobody saw counts as stopped from outside, and
 * that is put on record, so that asking again gives the same answer. So does one that ended before the machine went
 * down: nobody synced what it had written, and of that anything may be gone.
 */
export async function recoverRun(dir: string, runId: string): Promise<ProcessEnd | 'missing'> {
  const seen = readExitRecord(dir)
  if (seen !== null) return (bootOfEnd(dir) ?? bootId()) === bootId() ? seen : { ...STOPPED, ...readSandboxRecord(dir) }
  if (!hasStarted(dir)) return 'missing'
  const identity = readPidFile(dir) ?? readProcessRecord(dir)
  const met = await endOrphan(dir, runId)
  const unseen = identity?.bootId === bootId() ? ({ unseen: true } as const) : {}
  const end: ProcessEnd = { ...STOPPED, ...unseen, ...readSandboxRecord(dir), ...(met === null ? {} : { met }) }
  await writeExitRecord(dir, end)
  return end
}

/** Ends what lives of this run, and returns when it is gone: with the limit that it had come to, if any. */
export async function endOrphan(dir: string, runId: string): Promise<LimitMet | null> {
  if (existsSync(pidFile(dir)) && readPidFile(dir) === null) await delay(pidWriteMs)
  for (const identity of [readPidFile(dir), readProcessRecord(dir)]) {
    if (identity === null || !isOfRun(identity, runId)) continue
    signalGroup(identity.pid, 'SIGKILL')
    await groupGone(identity.pid, orphanGoneMs)
  }
  // The worker's pid namespace goes with its outer process, if that was not killed while it was still setting it up.
  const init = readInitRecord(dir)
  if (init?.startTime != null && init.bootId === bootId()) {
    await endNamespace({ pid: init.pid, startTime: init.startTime }, orphanGoneMs)
  }
  await removeContainer(dir)
  // Its first process may have left the group already, before anybody could write down which one it is.
  for (const { pid, startTime } of lostInits(dir, runId)) await endNamespace({ pid, startTime }, orphanGoneMs)
  return closeGroups(dir)
}

/**
 * First processes of pid namespaces that carry the run's mark and whose parent, which would carry it too, is gone. Another
 * project may have a run of this name: those of one that goes on have their parent.
 */
function lostInits(dir: string, runId: string): ProcessStat[] {
  const isLost = ({ pid }: ProcessStat): boolean => {
    if (!carriesMark(pid, runId)) return false
    // A container's parent never carries it, so its name has to say whose it is.
    const [container] = /\0muster-[^\0]*-[0-9a-f]{16}\0/.exec(textOf(pid, 'cmdline')) ?? []
    if (container !== undefined && container !== `\0${containerName(dir)}\0`) return false
    const status = textOf(pid, 'status')
    return /^NSpid:.*\t1$/m.test(status) && !carriesMark(Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]), runId)
  }
  return (allProcesses() ?? []).filter(isLost)
}

function textOf(pid: number, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/** Workers lead their group, so the pid is the group's number too. */
function isOfRun(identity: ProcessIdentity, runId: string): boolean {
  if (identity.bootId !== null && identity.bootId !== bootId()) return false
  const members = groupMembers(identity.pid) ?? []
  const leader = members.find((member) => member.pid === identity.pid)
  if (leader !== undefined && identity.startTime !== null) return leader.startTime === identity.startTime
  // No start time to compare, or only children of the leader are left: then they must carry the run's own mark.
  return members.some((member) => carriesMark(member.pid, runId))
}

function carriesMark(pid: number, runId: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`MUSTER_RUN_ID=${runId}`)
  } catch {
    return false
  }
}
