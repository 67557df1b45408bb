/**
 * Small files that a restart relies on. Each is written whole under a temporary name, synced, renamed, and its folder
 * synced, so that neither a kill nor a power cut leaves half a file. It carries a checksum. A file that does not match
 * its checksum, or cannot be read, counts as missing: one file's trouble is one run's.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
let written = 0

export function writeDurably(path: string, value: object): Promise<void> {
  const text = JSON.stringify(value)
  return writeWhole(path, `${text}\n${sumOf(text)}\n`)
}

/** A line at the end of a file, synced. What a power cut leaves of it fits no checksum, and is no line. */
export async function appendDurably(path: string, value: object): Promise<void> {
  const text = JSON.stringify(value)
  const isNew = !existsSync(path)
  const file = await open(path, 'a', 0o600)
  try {
    // A line of its own, whatever the last one left.
    await file.writeFile(`\n${sumOf(text)} ${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  if (isNew) await syncFolder(dirname(path))
}

interface Appended {
  lines: object[]
  /** Where the file ends now. */
  end: number
  /** The checksum of its first line: another file has another. */
  first: string
}

/** The whole lines of such a file from there on. From its beginning, if it is shorter than that. */
export async function readAppended(path: string, from: number): Promise<Appended> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return { lines: [], end: 0, first: '' }
  try {
    const { size } = await file.stat()
    const start = from > size ? 0 : from
    const head = await file.read(Buffer.alloc(65), 0, 65, 0)
    const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const lines = buffer.toString().split('\n')
    return { lines: lines.flatMap((line) => lineIn(line)), end: size, first: head.buffer.toString('latin1').trim() }
  } finally {
    await file.close()
  }
}

function lineIn(line: string): object[] {
  const [sum, text] = [line.slice(0, 64), line.slice(65)] as const
  return text !== '' && sum === sumOf(text) ? [JSON.parse(text) as object] : []
}

/** Several may write the same file at once: each has a name of its own meanwhile, which git takes for no ref. */
export function writeWhole(path: string, content: string): Promise<void> {
  return writeBeside(path, `${path}.${process.pid}-${++written}.lock`, content, 0o600)
}

/** An object of a git repository. What a kill leaves of it has the name of git's own halves, which its gc takes away. */
export function writeObject(path: string, content: Uint8Array): Promise<void> {
  return writeBeside(path, join(dirname(path), `tmp_obj_${process.pid}-${++written}`), content, 0o444)
}

async function writeBeside(path: string, half: string, content: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(half, 'w', mode)
  try {
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(half, path)
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** What is named in it stays named after a power cut. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Null if there is none, or none that can be trusted. One of an older Muster has no checksum, and is whole or no JSON. */
export function readDurable(path: string): Record<string, unknown> | null {
  try {
    const [text = '', sum = ''] = readFileSync(path, 'utf8').split('\n')
    if (sum !== '' && sum !== sumOf(text)) return null
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
