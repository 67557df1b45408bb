/**
 * A run's log, with a bounded size on disk: `log` holds the first bytes, then `log.tail.0` and `log.tail.1` alternate,
 * so that between one and two segments of the end are kept. Raw bytes, never re-encoded.
 */
import { rmSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { logHeadBytes, logTailBytes } from '../domain/limits.ts'
import { lineWatcher } from './last-line.ts'

export const headFile = (dir: string): string => join(dir, 'log')
export const tailFile = (dir: string, index: number): string => join(dir, `log.tail.${index}`)

/** A segment opens with the offset of its first byte in the whole output, in this many digits, and a newline. */
export const offsetDigits = 16
export const segmentHeaderBytes = offsetDigits + 1

export interface LogWriter {
  /** Resolves when it is written: not to be called again before. */
  write(chunk: Buffer): Promise<void>
  close(): Promise<void>
}

interface LogOptions {
  /** Gets the last line, complete or not, safe for display; not more often than people can read. */
  onLine?: (line: string) => void
  headBytes?: number
  tailBytes?: number
}

/**
 * Starts a new log. A disk that refuses costs the log, not the run: what cannot be written is left out.
 */
export function openLog(dir: string, options: LogOptions = {}): LogWriter {
  const headBytes = options.headBytes ?? logHeadBytes
  const tailBytes = options.tailBytes ?? logTailBytes
  const lines = lineWatcher(options.onLine ?? (() => {}))
  for (const index of [0, 1]) rmSync(tailFile(dir, index), { force: true })
  let offset = 0
  let file: FileHandle | null = null
  let room = 0
  let segment = -1

  /** A new file rather than an emptied one: a reader that has the old one open still reads it whole. */
  const nextFile = async (): Promise<FileHandle> => {
    await file?.close()
    file = null
    segment = offset === 0 ? -1 : (segment + 1) % 2
    const path = segment < 0 ? headFile(dir) : tailFile(dir, segment)
    await rm(path, { force: true })
    file = await open(path, 'wx', 0o600)
    room = segment < 0 ? headBytes : tailBytes
    if (segment >= 0) await file.writeFile(`${String(offset).padStart(offsetDigits, '0')}\n`)
    return file
  }
  const append = async (chunk: Buffer): Promise<void> => {
    for (let rest = chunk; rest.length > 0;) {
      const into = file === null || room === 0 ? await nextFile() : file
      const part = rest.subarray(0, room)
      await into.writeFile(part)
      room -= part.length
      offset += part.length
      rest = rest.subarray(part.length)
    }
  }

  return {
    async write(chunk) {
      lines.add(chunk)
      const end = offset + chunk.length
      try {
        await append(chunk)
      } catch {
        // What was lost shows as left out: the next byte goes to a new segment, which says where it starts.
        offset = end
        room = 0
      }
    },
    async close() {
      lines.close()
      await file?.close().catch(() => {})
      file = null
    },
  }
}
