/**
 * Detects that the machine went down while a Muster was at work, and repairs the damage. A Muster that is only killed
 * loses nothing that it wrote, because the system still has it. A machine that goes down loses what was not synced.
 */
import { existsSync, readFileSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { join } from 'node:path'
import { forDisplay } from './domain/display.ts'
import { MusterError } from './domain/errors.ts'
import { readDurable, writeDurably } from './durable.ts'
import { gone, lives } from './process/group.ts'
import { bootId, identify } from './process/record.ts'
import type { Place } from './project.ts'
import { mendMirror } from './workspace/mend.ts'
import { mendSubmodules } from './workspace/submodules.ts'

/** By then a system has written to the disk what nobody synced. */
const writtenMs = 2 * 60_000

/** How long a process that was killed may take to go: its locks are free a moment before that. */
const goingMs = 3_000

const markOf = (dataDir: string): string => join(dataDir, 'at-work.json')

/** Mends what needs it, and says from now on that somebody is at work. The refs that were lost; null: nothing was wrong. */
export async function beginWork(place: Place, now: number): Promise<string[] | null> {
  await requireAlone(place.dataDir)
  const lost = wentDown(place.dataDir, now) ? await mend(place) : null
  await writeDurably(markOf(place.dataDir), whereWeAre())
  return lost
}

/** What was written last may still be on its way to the disk: the mark stays, and says since when nobody is at work. */
export async function endWork({ dataDir }: Place, now: number): Promise<void> {
  // One that cannot be written says that somebody is: at worst the next start of the machine has more to look at.
  await writeDurably(markOf(dataDir), { ...whereWeAre(), ended: now }).catch(() => undefined)
}

/** The main mirror first: it knows what those of submodules must have. */
export async function mend({ dataDir, repository }: Place): Promise<string[] | null> {
  const mirror = join(dataDir, 'mirror.git')
  const lost = await mendMirror(mirror, { userGitDirs: async () => [repository.gitDir] })
  const inside = await mendSubmodules(mirror, repository.gitDir)
  return lost === null && inside === null ? null : [...(lost ?? []), ...(inside ?? [])]
}

/** Whoever begins has the lock. If the one who had it before still works, it was given to both. */
async function requireAlone(dataDir: string): Promise<void> {
  const { pid, startTime, boot, ended } = readDurable(markOf(dataDir)) ?? {}
  if (typeof pid !== 'number' || pid === process.pid || typeof ended === 'number') return
  if (boot !== bootId() || typeof startTime !== 'string') return
  if (await gone(() => lives({ pid, startTime }), goingMs)) return
  throw new MusterError(
    'storage',
    `the file locks of ${dataDir} do not work: process ${pid} works there at the same time`,
    {
      hint: `end that process, and set MUSTER_HOME to a folder on a local disk`,
    },
  )
}

/** A mark that cannot be read was lost with the rest. On another machine nobody can tell whether that one still works. */
function wentDown(dataDir: string, now: number): boolean {
  const file = markOf(dataDir)
  if (!existsSync(file)) return false
  const mark = readDurable(file)
  if (mark === null) return true
  const { boot, machine = machineId(), host, ended } = mark
  // Whoever shares the kernel, in another container say, is the same machine.
  if (boot === bootId()) return false
  if (typeof ended === 'number') return ended > now - uptime() * 1000 - writtenMs
  if (machine === machineId()) return true
  const there = forDisplay(String(host))
  throw new MusterError('busy', `another machine (${there}) is using ${dataDir}, or went down while using it`, {
    hint: `if no Muster runs there any more: rm '${file}'`,
  })
}

const whereWeAre = () => {
  const { pid, startTime } = identify(process.pid)
  return { boot: bootId(), machine: machineId(), host: hostname(), pid, startTime }
}

/** The same until the system is installed anew. */
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname()
  } catch {
    return hostname()
  }
}
