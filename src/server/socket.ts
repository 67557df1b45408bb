/**
 * The local socket of a running engine: other `muster` processes hand their requests to it and follow what happens. One
 * JSON object per line. Only the user's own processes can reach it (the socket's folder is theirs alone).
 */
import { rmSync } from 'node:fs'
import { chmod, open, readdir, rm, type FileHandle } from 'node:fs/promises'
import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { ErrorCode } from '../domain/errors.ts'
import { socketLineBytesMax } from '../domain/limits.ts'
import type { Asker } from '../domain/proof.ts'
import type { Commands } from '../engine/commands.ts'
import type { Random } from '../ports/clock.ts'
import type { ProbeEvent } from '../ports/probe.ts'

export interface SocketRequest {
  id: number
  /** `prove`: which file to hold open, to show which process asks. `link`: a link to the board. */
  method: keyof Commands | 'settled' | 'follow' | 'prove' | 'link'
  params: unknown
  /** The process that asks, and its descriptor of that file. */
  from?: Claim
}

export interface Claim {
  pid: number
  descriptor: number
}

export type SocketMessage =
  | { id: number; result: unknown }
  | { id: number; error: { code: ErrorCode; message: string; hint?: string | undefined } }
  | { event: ProbeEvent }

interface EngineService {
  commandsOf(asker: Asker): Commands
  /** Who holds the file open, if the claim is true. */
  askerAt(file: FileHandle | undefined, claim: Claim | undefined): Promise<Asker>
  random: Random
  /** A link to the board, where there is one. */
  link(asker: Asker): Promise<string | null>
  /** Settles when the story, or everything, needs nobody but people. */
  settled(story: string | null | undefined): Promise<void>
  subscribe(listener: (event: ProbeEvent) => void): () => void
}

export interface SocketServer {
  /** Settles when no other process waits for its work to be done. */
  idle(): Promise<void>
  close(): Promise<void>
}

export async function serveSocket(path: string, service: EngineService): Promise<SocketServer> {
  const sockets = new Set<Socket>()
  let waiting = 0
  let wakeIdle: (() => void)[] = []
  const track = async <T>(work: Promise<T>): Promise<T> => {
    waiting += 1
    return work.finally(() => {
      waiting -= 1
      if (waiting > 0) return
      for (const wake of wakeIdle.splice(0)) wake()
    })
  }
  // The engine's lock is ours, so what is there belongs to a dead process.
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (name.startsWith(basename(path))) await rm(join(dirname(path), name), { force: true })
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => socket.destroy())
    const proof: Proving = { path: `${path}.${service.random.nonce()}` }
    socket.once('close', () => {
      sockets.delete(socket)
      rmSync(proof.path, { force: true })
      void proof.file?.then((file) => file.close()).catch(() => undefined)
    })
    readLines(socket, (line) => {
      const request = parseRequest(line)
      if (request === null) return void socket.destroy()
      void answer(request, service, { socket, gone, proof }, track)
    })
  })
  await listen(server, path)
  await chmod(path, 0o600)
  return {
    async idle() {
      if (waiting > 0) await new Promise<void>((resolve) => wakeIdle.push(resolve))
    },
    async close() {
      wakeIdle = []
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await rm(path, { force: true })
    },
  }
}

interface Connection {
  socket: Socket
  gone: Promise<void>
  proof: Proving
}

/** The file that only who is at the other end is told to open. What lies at its path later is another matter. */
interface Proving {
  path: string
  file?: Promise<FileHandle>
}

async function answer(
  { id, method, params, from }: SocketRequest,
  service: EngineService,
  { socket, gone, proof }: Connection,
  track: <T>(work: Promise<T>) => Promise<T>,
): Promise<void> {
  const send = (message: SocketMessage) => socket.writable && socket.write(`${JSON.stringify(message)}\n`)
  try {
    if (method === 'follow') {
      const stop = service.subscribe((event) => send({ event }))
      void gone.then(stop)
      send({ id, result: null })
    } else if (method === 'settled') {
      const { story } = params as { story?: string | null }
      await track(Promise.race([service.settled(story), gone]))
      send({ id, result: null })
    } else if (method === 'prove') {
      proof.file ??= open(proof.path, 'wx', 0o600)
      await proof.file
      send({ id, result: proof.path })
    } else if (method === 'link') {
      send({ id, result: await service.link(await service.askerAt(await proof.file, from)) })
    } else {
      const commands = service.commandsOf(await service.askerAt(await proof.file, from))
      const command = commands[method] as ((params: unknown) => Promise<unknown>) | undefined
      if (command === undefined)
        throw new MusterError('usage', `the running muster does not support "${method}"`, {
          hint: 'use the same version of muster for both',
        })
      send({ id, result: await command(params) })
    }
  } catch (error) {
    send({ id, error: errorOf(error) })
  }
}

function errorOf(error: unknown): { code: ErrorCode; message: string; hint?: string | undefined } {
  if (error instanceof MusterError) return { code: error.code, message: error.message, hint: error.hint }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error) }
}

function parseRequest(line: string): SocketRequest | null {
  try {
    const value = JSON.parse(line) as Partial<SocketRequest> | null
    return typeof value?.id === 'number' && typeof value.method === 'string' ? (value as SocketRequest) : null
  } catch {
    return null
  }
}

/** Whole lines as they come; a line without end is cut off with its connection. */
export function readLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > socketLineBytesMax) return void socket.destroy()
    for (const line of lines) onLine(line)
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}
