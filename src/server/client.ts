/** The other end of the local socket: a running engine's commands, as if they were ours. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { MusterError } from '../domain/errors.ts'
import type { Commands } from '../engine/commands.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import type { SocketMessage, SocketRequest } from './socket.ts'
import { readLines } from './socket.ts'

export interface EngineClient {
  commands: Commands
  settled(story: string | null | undefined): Promise<void>
  follow(listener: (event: ProbeEvent) => void): Promise<void>
  /** Aborts when the connection is over: the engine's process ended, or we closed it. */
  gone: AbortSignal
  close(): void
}

/** null when no engine answers there. */
export async function connectEngine(path: string): Promise<EngineClient | null> {
  const socket = await open(path)
  if (socket === null) return null
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
  const call = (method: SocketRequest['method'], params: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (!socket.writable) return reject(lostEngine())
      const id = ++lastId
      pending.set(id, { resolve, reject })
      socket.write(`${JSON.stringify({ id, method, params } satisfies SocketRequest)}\n`)
    })
  const command =
    <M extends keyof Commands>(method: M) =>
    (params: Parameters<Commands[M]>[0]) =>
      call(method, params) as ReturnType<Commands[M]>
  return {
    commands: {
      submit: command('submit'),
      contract: command('contract'),
      add: command('add'),
      decide: command('decide'),
      take: command('take'),
      retry: command('retry'),
      cancel: command('cancel'),
      ship: command('ship'),
      ask: command('ask'),
      fix: command('fix'),
      elaborate: command('elaborate'),
      pause: command('pause'),
      look: command('look'),
      clean: command('clean'),
      discard: command('discard'),
    },
    settled: async (story) => void (await call('settled', story === undefined ? {} : { story })),
    async follow(listener) {
      listeners.push(listener)
      await call('follow', {})
    },
    gone: gone.signal,
    close: () => void socket.destroy(),
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
