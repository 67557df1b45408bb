/** The client of the local socket: the commands of a running engine, as if they were in this process. */
import { open as openFile, type FileHandle } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { MusterError } from '../domain/errors.ts'
import type { Commands } from '../engine/commands.ts'
import type { Decision } from '../engine/proven.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import type { Claim, SocketMessage, SocketRequest } from './socket.ts'
import { readLines } from './socket.ts'

export interface EngineClient {
  commands: Commands
  settled(story: string | null | undefined): Promise<void>
  follow(listener: (event: ProbeEvent) => void): Promise<void>
  /** A link to the board that the engine's process serves; null: it serves none. */
  link(): Promise<string | null>
  /** Aborts when the connection is over: the engine's process ended, or we closed it. */
  gone: AbortSignal
  close(): void
}

/** null when no engine answers there. */
export async function connectEngine(path: string): Promise<EngineClient | null> {
  const socket = await open(path)
  if (socket === null) return null
  const { call, listen, gone } = callsOver(socket)
  const claim = claimOver(socket, call)
  const command =
    <M extends keyof Commands>(method: M) =>
    (params: Parameters<Commands[M]>[0]) =>
      call(method, params) as ReturnType<Commands[M]>
  const decision =
    <M extends Decision>(method: M) =>
    (params: Parameters<Commands[M]>[0]) =>
      claim().then((from) => call(method, params, from)) as ReturnType<Commands[M]>
  return {
    commands: {
      submit: decision('submit'),
      contract: decision('contract'),
      add: command('add'),
      decide: decision('decide'),
      take: decision('take'),
      retry: decision('retry'),
      cancel: decision('cancel'),
      cancelStory: decision('cancelStory'),
      archiveStory: decision('archiveStory'),
      ship: decision('ship'),
      ask: command('ask'),
      fix: command('fix'),
      elaborate: command('elaborate'),
      pause: command('pause'),
      look: command('look'),
      clean: decision('clean'),
      discard: decision('discard'),
    },
    settled: async (story) => void (await call('settled', story === undefined ? {} : { story })),
    async follow(listener) {
      listen(listener)
      await call('follow', {})
    },
    link: async () => (await call('link', {}, await claim())) as string | null,
    gone,
    close: () => void socket.destroy(),
  }
}

type Call = (method: SocketRequest['method'], params: unknown, from?: Claim) => Promise<unknown>

/** Requests and their answers, the events that come in between, and a signal for when there will be no more of either. */
function callsOver(socket: Socket): {
  call: Call
  listen: (listener: (event: ProbeEvent) => void) => void
  gone: AbortSignal
} {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const listeners: ((event: ProbeEvent) => void)[] = []
  const gone = new AbortController()
  let lastId = 0
  readLines(socket, (line) => {
    const message = JSON.parse(line) as SocketMessage
    if ('event' in message) {
      for (const listener of listeners) listener(message.event)
      return
    }
    const request = pending.get(message.id)
    pending.delete(message.id)
    if ('result' in message) return request?.resolve(message.result)
    const { code, message: text, hint } = message.error
    request?.reject(new MusterError(code, text, hint === undefined ? {} : { hint }))
  })
  socket.once('close', () => {
    for (const { reject } of pending.values()) reject(lostEngine())
    pending.clear()
    gone.abort()
  })
  return {
    call: (method, params, from) =>
      new Promise((resolve, reject) => {
        if (!socket.writable) return reject(lostEngine())
        const id = ++lastId
        pending.set(id, { resolve, reject })
        socket.write(`${JSON.stringify({ id, method, params, ...(from && { from }) } satisfies SocketRequest)}\n`)
      }),
    listen: (listener) => void listeners.push(listener),
    gone: gone.signal,
  }
}

/** What shows the engine which process this is: a file that it names, held open until the connection ends. */
function claimOver(socket: Socket, call: Call): () => Promise<Claim> {
  let held: Promise<FileHandle> | undefined
  socket.once('close', () => void held?.then((file) => file.close()).catch(() => undefined))
  return async () => {
    held ??= call('prove', {}).then((path) => openFile(String(path)))
    return { pid: process.pid, descriptor: (await held).fd }
  }
}

/** The engine's process ended while we waited; whoever waits may become the engine. */
function lostEngine(): MusterError {
  return new MusterError('busy', 'the running muster ended before it answered', { hint: 'run the command again' })
}

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
    const fail = () => resolve(null)
    socket.once('error', fail)
  })
}
