/**
 * All limits of one run together: control groups for processes and memory, and a check of disk space every second. Each
 * limit that was reached is reported once. This file also decides which of them end the run, because a refused fork
 * does not.
 */
import { totalmem } from 'node:os'
import {
  runDiskBytesDefault,
  runMemoryShareDefault,
  runProcessesDefault,
  type ChosenLimits,
  type LimitMet,
  type RunLimits,
} from '../../domain/run-limits.ts'
import { closeGroups, makeGroups, metIn } from './group.ts'
import { enterText, moveInto } from './groups.ts'
import { watchSpace } from './space.ts'

const lookMs = 1000

export interface Fence {
  /** Shell text for the process that becomes the run; empty where no group is made. */
  enter: string
  /**
   * For a run that something else started, as a container's runtime does: its first process and all that it will start.
   * Where Muster may not move it, the runtime's own limits are all there are.
   */
  take(pid: number): void
  /** Begins to look; calls back at most once, with what the run has to be ended for. */
  watch(end: () => void): void
  /** When nothing of the run is left: what it met, whatever it ended with. */
  close(): Promise<LimitMet | null>
}

export interface Fenced {
  limits: RunLimits
  /** Where its disk is counted. */
  places: readonly string[]
}

/** What muster.yaml does not say. */
export function runLimits({ processes, memoryBytes, diskBytes }: ChosenLimits): RunLimits {
  return {
    processes: processes === undefined ? runProcessesDefault : processes,
    memoryBytes: memoryBytes === undefined ? Math.floor(machineBytes() * runMemoryShareDefault) : memoryBytes,
    diskBytes: diskBytes === undefined ? runDiskBytesDefault : diskBytes,
  }
}

/** A container may have less than the machine. */
function machineBytes(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}

/** `dir`: the run's folder. */
export async function makeFence(dir: string, { limits, places }: Fenced): Promise<Fence> {
  const groups = await makeGroups(dir, limits)
  const space = await watchSpace(places, limits.diskBytes)
  let met: LimitMet | null = null
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<unknown> = Promise.resolve()

  const measure = async (end: () => void): Promise<void> => {
    const refused = metIn(groups)
    // A program that could not start another one goes on, and often knows what to do.
    met = refused?.limit === 'memory' ? refused : await space.look(performance.now())
    if (met !== null) return end()
    if (timer !== undefined) again(end)
  }
  const again = (end: () => void): void => {
    timer = setTimeout(() => {
      looking = measure(end)
    }, lookMs)
    timer.unref()
  }
  return {
    enter: enterText(groups.map((group) => group.dir)),
    take: (pid) =>
      moveInto(
        groups.map((group) => group.dir),
        pid,
      ),
    watch: again,
    async close() {
      clearTimeout(timer)
      timer = undefined
      const last = space.lookLast(performance.now())
      await looking
      const refused = await closeGroups(dir, groups)
      const written = await last
      return met ?? (refused?.limit === 'memory' ? refused : (written ?? refused))
    },
  }
}
