/**
 * Whether the machine went down under a Muster that was at work, and what is mended then. A Muster that is merely killed
 * loses nothing that it wrote: the system still has it. A machine that goes down loses what was not synced.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readDurable, writeDurably } from './durable.ts'
import { bootId } from './process/record.ts'
import type { Place } from './project.ts'
import { mendMirror } from './workspace/mend.ts'

const markOf = (dataDir: string): string => join(dataDir, 'at-work.json')

/** Mends what needs it, and says from now on that somebody is at work. The refs that were lost; null: nothing was wrong. */
export async function beginWork(place: Place): Promise<string[] | null> {
  const lost = wentDown(place.dataDir) ? await mend(place) : null
  await writeDurably(markOf(place.dataDir), { boot: bootId() })
  return lost
}

export async function endWork({ dataDir }: Place): Promise<void> {
  await rm(markOf(dataDir), { force: true })
}

export function mend({ dataDir, repository }: Place): Promise<string[] | null> {
  return mendMirror(join(dataDir, 'mirror.git'), repository.gitDir)
}

/** A mark that cannot be read was lost with the rest. */
function wentDown(dataDir: string): boolean {
  if (!existsSync(markOf(dataDir))) return false
  const mark = readDurable(markOf(dataDir))
  return mark === null || mark['boot'] !== bootId()
}
