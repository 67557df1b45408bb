/**
 * The control groups of one run: created before it starts, asked which limits it reached, and removed when it is over,
 * with every process in them. Their names are in the run's folder, so that a later Muster can end what a killed one
 * left.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LimitMet, RunLimits } from '../../domain/run-limits.ts'
import { gone } from '../group.ts'
import {
  CONTROLLERS,
  findPlaces,
  groupName,
  removeGroup,
  setLimit,
  textOf,
  tryWrite,
  type Controller,
  type Places,
} from './groups.ts'

interface Group {
  dir: string
  version: 1 | 2
  limits: Partial<Record<Controller, number>>
}

const recordOf = (dir: string): string => join(dir, 'groups.json')

/** What is killed is gone as soon as the kernel gets to it. */
const emptyMs = 5000

/** None where nothing can be limited, or nothing is to be. Throws if one cannot be made: the run must not start then. */
export async function makeGroups(dir: string, limits: RunLimits): Promise<Group[]> {
  const groups = planned(
    groupName(createHash('sha256').update(dir).digest('hex').slice(0, 12)),
    limits,
    await findPlaces(),
  )
  if (groups.length === 0) return groups
  // First the note, then the groups: one that nobody knows of would stay. It need not outlast a power cut, they do not.
  writeFileSync(recordOf(dir), JSON.stringify(groups), { mode: 0o600 })
  for (const { dir: group, version, limits: values } of groups) {
    mkdirSync(group, { recursive: true })
    for (const controller of CONTROLLERS) {
      const value = values[controller]
      if (value !== undefined) setLimit(group, controller, version, value)
    }
  }
  return groups
}

export function planned(name: string, limits: RunLimits, places: Places): Group[] {
  const values: Record<Controller, number | null> = { pids: limits.processes, memory: limits.memoryBytes }
  const groups = new Map<string, Group>()
  for (const controller of CONTROLLERS) {
    const [place, value] = [places[controller], values[controller]]
    if (typeof place === 'string' || value === null) continue
    const dir = join(place.base, name)
    const group = groups.get(dir) ?? { dir, version: place.version, limits: {} }
    group.limits[controller] = Math.min(value, place.ceiling ?? value)
    groups.set(dir, group)
  }
  return [...groups.values()]
}

/** What the kernel refused them, the worst first; null: nothing. */
export function metIn(groups: readonly Group[]): LimitMet | null {
  for (const { dir, version, limits } of groups) {
    const kills = count(join(dir, version === 1 ? 'memory.oom_control' : 'memory.events'), 'oom_kill')
    if (limits.memory !== undefined && kills > 0) return { limit: 'memory', at: limits.memory }
  }
  for (const { dir, limits } of groups) {
    const refused = count(join(dir, 'pids.events'), 'max')
    if (limits.pids !== undefined && refused > 0) return { limit: 'processes', at: limits.pids }
  }
  return null
}

function count(file: string, word: string): number {
  return Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(textOf(file))?.[1] ?? 0)
}

/** Ends what is left in them, which is this run's and nobody else's, and removes them. What they met before that. */
export async function closeGroups(dir: string, groups: readonly Group[] = readRecord(dir)): Promise<LimitMet | null> {
  if (groups.length === 0) return null
  const met = metIn(groups)
  for (const group of groups) {
    await gone(() => {
      if (removeGroup(group.dir)) return false
      killAll(group.dir)
      return true
    }, emptyMs)
  }
  rmSync(recordOf(dir), { force: true })
  return met
}

/** Nothing new comes while the old is killed: what forks faster than it is killed would never end. */
function killAll(group: string): void {
  tryWrite(join(group, 'pids.max'), '0')
  for (const pid of textOf(join(group, 'cgroup.procs')).split('\n').map(Number)) {
    try {
      if (pid > 1) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone in between.
    }
  }
}

/** Written by Muster where no worker in a sandbox can; one outside could have been at it, so that it is read with care. */
function readRecord(dir: string): Group[] {
  try {
    const groups = JSON.parse(readFileSync(recordOf(dir), 'utf8')) as Group[]
    const isGroup = (group: Group): boolean =>
      /^\/.*\/muster-\d+-\d+-[0-9a-f]{12}$/.test(group.dir) && Boolean(group.limits)
    return groups.filter(isGroup)
  } catch {
    return []
  }
}
