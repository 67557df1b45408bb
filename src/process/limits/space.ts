/**
 * Measures how much a run writes while it runs, because only root can set a quota. The free space of the file system is
 * checked every second, which costs nothing. Files are counted only when that says that the limit may be reached, and
 * now and then, so that a large workspace costs little CPU time.
 */
import { statfs } from 'node:fs/promises'
import type { LimitMet } from '../../domain/run-limits.ts'
import { toolEnvironment } from '../environment.ts'
import { runToEnd } from '../run.ts'

const countTimeoutMs = 60_000
/** Between two counts: so many times what the last one took, sooner when the file system says that much was written. */
const restTimes = 50
const restMsMin = 30_000
const hurryTimes = 4
/** Below these the file system counts as full: Muster itself needs some of it to write down what happened. */
const freeBytesMin = 64 * 1024 ** 2
const freeShareMin = 0.01
const freeFilesMin = 1000

interface Free {
  bytes: number
  files: number
  /** At these it is full. */
  bytesMin: number
  filesMin: number
}

type Unit = '-k' | '--inodes'

interface Space {
  /** Whether something was met, if it is time to look. One call at a time. */
  look(nowMs: number): Promise<LimitMet | null>
  /** The same once more at the end; a count under way is given up. */
  lookLast(nowMs: number): Promise<LimitMet | null>
}

/** `places`: the folders that it may write to, on one file system. */
export async function watchSpace(places: readonly string[], limitBytes: number | null): Promise<Space> {
  const start = await freeOf(places)
  let counted = { bytes: 0, free: start?.bytes ?? 0, atMs: Number.NEGATIVE_INFINITY, tookMs: 0 }
  let begunMs: number | null = null
  let counting = new AbortController()
  const countNow = (unit: Unit): Promise<number | null> => count(places, unit, counting.signal)

  const filled = async (free: Free): Promise<LimitMet | null> => {
    if (start === null) return null
    const isFull = free.bytes < free.bytesMin && start.bytes >= start.bytesMin
    const isCrowded = free.files < free.filesMin && start.files >= start.filesMin
    // Others write there, too: it is this run's doing if half of what went is in its folders.
    const bytes = isFull ? await countNow('-k') : null
    if (bytes !== null && bytes * 1024 * 2 >= start.bytes - free.bytes) return { limit: 'space', at: bytes * 1024 }
    const files = isCrowded ? await countNow('--inodes') : null
    return files !== null && files * 2 >= start.files - free.files ? { limit: 'files', at: files } : null
  }

  const overLimit = async (free: Free, nowMs: number, last: boolean): Promise<LimitMet | null> => {
    if (limitBytes === null) return null
    const written = counted.free - free.bytes
    const isClose = written * 2 >= limitBytes - counted.bytes
    const rested = nowMs - Math.max(counted.atMs, begunMs ?? nowMs)
    const isDue = isClose
      ? last || rested >= hurryTimes * counted.tookMs
      : !last && rested >= Math.max(restMsMin, restTimes * counted.tookMs)
    if (!isDue) return null
    const started = performance.now()
    const kilobytes = await countNow('-k')
    const bytes = kilobytes === null ? counted.bytes : kilobytes * 1024
    counted = { bytes, free: free.bytes, atMs: nowMs, tookMs: performance.now() - started }
    return bytes > limitBytes ? { limit: 'disk', at: limitBytes } : null
  }

  const lookNow = async (nowMs: number, last: boolean): Promise<LimitMet | null> => {
    begunMs ??= nowMs
    const free = await freeOf(places)
    if (free === null) return null
    return (await overLimit(free, nowMs, last)) ?? filled(free)
  }
  return {
    look: (nowMs) => lookNow(nowMs, false),
    lookLast(nowMs) {
      counting.abort()
      counting = new AbortController()
      return lookNow(nowMs, true)
    },
  }
}

async function freeOf([place = '/']: readonly string[]): Promise<Free | null> {
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(place)
    const size = blocks * bsize
    // Some file systems have as many files as they have room for, and say 0.
    const [left, most] = files === 0 ? [Number.MAX_SAFE_INTEGER, 0] : [ffree, files]
    return {
      bytes: bavail * bsize,
      files: left,
      bytesMin: Math.min(freeBytesMin, size * freeShareMin),
      filesMin: Math.min(freeFilesMin, most * freeShareMin),
    }
  } catch {
    return null
  }
}

/** The sum that `du` tells, in its own process; null if it cannot. Links are not followed, other disks not entered. */
async function count(places: readonly string[], unit: Unit, signal: AbortSignal): Promise<number | null> {
  const command = ['du', '-s', '-x', unit, '--', ...places]
  const options = { cwd: '/', env: toolEnvironment(), timeoutMs: countTimeoutMs, signal }
  const ended = await runToEnd({ command, ...options }).catch(() => null)
  const sums = (ended?.stdout.toString() ?? '').matchAll(/^(\d+)\t/gm)
  const sum = [...sums].reduce((all, [, each]) => all + Number(each), 0)
  // Files that go while it looks, or that it may not see, are not counted: the rest is.
  return sum === 0 ? null : sum
}
