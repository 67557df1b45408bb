/**
 * Reads a run's log, also while it grows: the segments on disk in order, and how much is missing between them. A
 * verification has one log per command; they are read as one, each under its command.
 */
import { existsSync, mkdirSync, watch } from 'node:fs'
import { open, readFile, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { forDisplay } from '../domain/display.ts'
import { compareNatural } from '../domain/ids.ts'
import { COMMAND_FILE, isCommandFolder } from '../domain/run.ts'
import { wholeCharacters } from './last-line.ts'
import { headFile, offsetDigits, segmentHeaderBytes, tailFile } from './log.ts'
import { serviceLogs } from './services.ts'

/** One file of the log, open: where it starts in the whole output and how many bytes of it there are. */
interface Piece {
  file: FileHandle
  headerBytes: number
  start: number
  bytes: number
}

/** How far a reader got. */
interface Cursor {
  offset: number
  /** The last byte given was not a newline. */
  inLine: boolean
}

const readBytes = 256 * 1024

/** The whole log, or that of a service beside it, as it is kept: the head, a line `… N bytes left out …` if any were, and the tail. */
export async function readLog(dir: string, service?: string): Promise<Buffer> {
  const parts: Buffer[] = []
  await readAll(dir, new Map(), (chunk) => void parts.push(chunk), service)
  return Buffer.concat(parts)
}

/** The end of the output as text, safe to show and without colours, at most `chars` characters. */
export async function outputTail(dir: string, chars: number): Promise<string> {
  const pieces = await openPieces(dir)
  try {
    let bytes: Buffer = Buffer.alloc(0)
    for (const piece of pieces.toReversed()) {
      const from = Math.max(0, piece.bytes - (chars * 4 - bytes.length))
      bytes = Buffer.concat([await readPiece(piece, from, piece.bytes - from), bytes])
      if (bytes.length >= chars * 4) break
    }
    return forDisplay(wholeCharacters(bytes), { colours: false }).trimEnd().slice(-chars).toWellFormed()
  } finally {
    await closePieces(pieces)
  }
}

/** The same of one command of a verification, by its folder; empty where there is none. */
export async function commandTail(dir: string, folder: string, chars: number): Promise<string> {
  return isCommandFolder(folder) ? outputTail(join(dir, folder), chars).catch(() => '') : ''
}

/**
 * Gives the log from its start and goes on as it grows, until the run has ended and all is read, or the signal aborts.
 * Only who runs it knows that it has ended: a deploy, and a run that could not begin, leave no exit record of ours. The
 * folder of one that has only just begun may not be there yet.
 */
export async function followLog(
  dir: string,
  signal: AbortSignal,
  onChunk: (chunk: Buffer) => void | Promise<void>,
  ended: AbortSignal,
  service?: string,
): Promise<void> {
  if (signal.aborted || (ended.aborted && !existsSync(dir))) return
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let changed = Promise.withResolvers<void>()
  const wake = (): void => changed.resolve()
  const watcher = watch(dir, { recursive: true }, wake)
  watcher.on('error', wake)
  signal.addEventListener('abort', wake)
  ended.addEventListener('abort', wake)
  try {
    const cursors = new Map<string, Cursor>()
    while (!signal.aborted) {
      changed = Promise.withResolvers()
      const over = ended.aborted
      await readAll(dir, cursors, onChunk, service, signal)
      if (over) return
      await changed.promise
    }
  } finally {
    signal.removeEventListener('abort', wake)
    ended.removeEventListener('abort', wake)
    watcher.close()
  }
}

/** Gives everything that is new since the cursors were where they are. */
async function readAll(
  dir: string,
  cursors: Map<string, Cursor>,
  onChunk: (chunk: Buffer) => void | Promise<void>,
  service?: string,
  signal?: AbortSignal,
): Promise<void> {
  const names = (await readdir(dir).catch((): string[] => [])).filter(isCommandFolder).toSorted(compareNatural)
  for (const folder of [dir, ...names.map((name) => join(dir, name))]) {
    const cursor = cursors.get(folder) ?? { offset: 0, inLine: false }
    if (folder !== dir && !cursors.has(folder)) {
      const command = await readFile(join(folder, COMMAND_FILE), 'utf8').catch(() => null)
      if (command === null) continue
      await onChunk(Buffer.from(`$ ${command}\n`))
    }
    cursors.set(folder, cursor)
    await readOn(service === undefined ? folder : join(serviceLogs(folder), service), cursor, onChunk, signal)
  }
}

/** Gives everything from the cursor on, and moves it behind the last byte. */
async function readOn(
  dir: string,
  cursor: Cursor,
  onChunk: (chunk: Buffer) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const pieces = await openPieces(dir)
  try {
    for (const piece of pieces) {
      if (piece.start > cursor.offset) {
        await onChunk(Buffer.from(`${cursor.inLine ? '\n' : ''}… ${piece.start - cursor.offset} bytes left out …\n`))
        cursor.offset = piece.start
      }
      while (cursor.offset < piece.start + piece.bytes) {
        if (signal?.aborted === true) return
        const chunk = await readPiece(piece, cursor.offset - piece.start, readBytes)
        if (chunk.length === 0) break
        cursor.offset += chunk.length
        cursor.inLine = chunk.at(-1) !== 0x0a
        await onChunk(chunk)
      }
    }
  } finally {
    await closePieces(pieces)
  }
}

/** In the order of the output. Open, a segment can be read whole even if it is replaced meanwhile. */
async function openPieces(dir: string): Promise<Piece[]> {
  const pieces: Piece[] = []
  try {
    for (const [index, path] of [headFile(dir), tailFile(dir, 0), tailFile(dir, 1)].entries()) {
      const file = await open(path, 'r').catch(() => null)
      if (file !== null) pieces.push({ file, headerBytes: index === 0 ? 0 : segmentHeaderBytes, start: 0, bytes: 0 })
    }
    // Only now: a file is complete once its successor exists, so no bytes seem left out that are there.
    for (const piece of pieces) await measure(piece)
  } catch (error) {
    await closePieces(pieces)
    throw error
  }
  return pieces.sort((a, b) => a.start - b.start)
}

/** A segment so new that it does not yet say where it starts counts as empty. */
async function measure(piece: Piece): Promise<void> {
  const { size } = await piece.file.stat()
  if (size < piece.headerBytes) return
  if (piece.headerBytes > 0) {
    const header = Buffer.alloc(offsetDigits)
    await piece.file.read(header, 0, offsetDigits, 0)
    piece.start = Number.parseInt(header.toString('latin1'), 10)
  }
  piece.bytes = size - piece.headerBytes
}

async function readPiece(piece: Piece, from: number, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(maxBytes, piece.bytes - from))
  const { bytesRead } = await piece.file.read(buffer, 0, buffer.length, piece.headerBytes + from)
  return buffer.subarray(0, bytesRead)
}

async function closePieces(pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) await piece.file.close()
}
