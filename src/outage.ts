/**
 * Whether the machine went down under a Muster that was at work, and what is mended then. A Muster that is merely killed
 * loses nothing that it wrote: the system still has it. A machine that goes down loses what was not synced.
 */
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { forDisplay } from './domain/display.ts'
import { MusterError } from './domain/errors.ts'
import { readDurable, writeDurably } from './durable.ts'
import { bootId } from './process/record.ts'
import type { Place } from './project.ts'
import { mendMirror } from './workspace/mend.ts'

const markOf = (dataDir: string): string => join(dataDir, 'at-work.json')

/** Mends what needs it, and says from now on that somebody is at work. The refs that were lost; null: nothing was wrong. */
export async function beginWork(place: Place): Promise<string[] | null> {
  const lost = wentDown(place.dataDir) ? await mend(place) : null
  await writeDurably(markOf(place.dataDir), { boot: bootId(), machine: machineId(), host: hostname() })
  return lost
}

export async function endWork({ dataDir }: Place): Promise<void> {
  await rm(markOf(dataDir), { force: true })
}

export function mend({ dataDir, repository }: Place): Promise<string[] | null> {
  return mendMirror(join(dataDir, 'mirror.git'), repository.gitDir)
}

/** A mark that cannot be read was lost with the rest. On another machine nobody can tell whether that one still works. */
function wentDown(dataDir: string): boolean {
  const file = markOf(dataDir)
  if (!existsSync(file)) return false
  const mark = readDurable(file)
  if (mark === null) return true
  const { boot, machine = machineId(), host } = mark
  if (machine !== machineId()) {
    throw new MusterError(
      'busy',
      `another machine (${forDisplay(String(host))}) works in ${dataDir}, or went down in it`,
      {
        hint: `if nothing of Muster runs there any more: rm '${file}'`,
      },
    )
  }
  return boot !== bootId()
}

/** The same until the system is installed anew. */
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname()
  } catch {
    return hostname()
  }
}
