import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import type { Commands } from '../engine/commands.ts'
import { Hub } from '../engine/loop/hub.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import { connectEngine } from './client.ts'
import type { SocketServer } from './socket.ts'
import { serveSocket } from './socket.ts'

let dir: string
let path: string
let server: SocketServer
let finish: () => void
const hub = new Hub()
const random = { nonce: () => randomUUID() }

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'muster-socket-'))
  path = join(dir, 'engine.sock')
  const refuse = async () => Promise.reject(new MusterError('gate_closed', 'not now', { hint: 'later' }))
  const commands = {
    retry: async ({ task }: { task: string }) => ({ id: `s-${task}` }),
    cancel: refuse,
  } as unknown as Commands
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  server = await serveSocket(path, {
    commandsOf: (asker) => ({ ...commands, take: async () => ({ id: 's-1', commit: JSON.stringify(asker) }) }),
    // As the kernel would say it: the descriptor is one of that file.
    askerAt: async (file, from) =>
      from !== undefined && statSync(`/proc/${from.pid}/fd/${from.descriptor}`).ino === (await file?.stat())?.ino
        ? { pid: from.pid }
        : 'unknown',
    random,
    link: async (asker) => JSON.stringify(asker),
    settled: () => done,
    subscribe: (listener) => hub.subscribe(listener),
  })
})
afterEach(async () => {
  await server.close()
  rmSync(dir, { recursive: true })
})

async function client() {
  const connected = await connectEngine(path)
  if (connected === null) throw new Error('no engine')
  return connected
}

test('answers commands, and errors come back with code and hint', async () => {
  const { commands, close } = await client()
  expect(await commands.retry({ task: '1', by: 'me' })).toEqual({ id: 's-1' })
  await expect(commands.cancel({ task: '1', reason: '', by: 'me' })).rejects.toMatchObject({
    code: 'gate_closed',
    hint: 'later',
  })
  await expect(commands.pause({ paused: true })).rejects.toMatchObject({ code: 'usage' })
  close()
})

test('who decides shows which process it is, by a file that only this connection was told to open', async () => {
  const { commands, link, close, gone } = await client()
  const { commit } = await commands.take({ task: '1', revision: null, by: 'me' })
  expect(JSON.parse(commit)).toEqual({ pid: process.pid })
  expect(JSON.parse((await link()) ?? '')).toEqual({ pid: process.pid })
  expect(readdirSync(dir)).toHaveLength(2)
  close()
  if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }))
  await server.close()
  expect(readdirSync(dir)).toEqual([])
})

test('what a dead engine left beside its socket goes', async () => {
  await server.close()
  writeFileSync(`${path}.left`, '')
  const none = { random, askerAt: async () => 'unknown' as const, link: async () => null }
  const service = {
    ...none,
    commandsOf: () => ({}) as Commands,
    settled: async () => undefined,
    subscribe: () => () => undefined,
  }
  server = await serveSocket(path, service)
  expect(readdirSync(dir)).toEqual(['engine.sock'])
})

test('only its owner can reach it', () => {
  expect(statSync(path).mode & 0o077).toBe(0)
})

test('followers hear what happens', async () => {
  const { follow, close } = await client()
  const heard = Promise.withResolvers<ProbeEvent>()
  await follow((event) => heard.resolve(event))
  hub.emit({ type: 'task-completed', task: 's-1' })
  expect(await heard.promise).toEqual({ type: 'task-completed', task: 's-1' })
  close()
})

test('is idle again when those who waited are served, or gone', async () => {
  const [one, two] = [await client(), await client()]
  const settled = one.settled(undefined)
  const lost = two.settled(undefined)
  const told = lost.catch((error: unknown) => error)
  two.close()
  expect(await told).toMatchObject({ code: 'busy' })
  finish()
  await settled
  await server.idle()
  one.close()
})

test('an engine that ends tells those who wait', async () => {
  const { settled } = await client()
  const waiting = settled(undefined)
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'busy' }), server.close()])
  expect(await connectEngine(path)).toBeNull()
})

test.for(['not json\n', '{"id":"x"}\n', 'null\n', '[]\n'])(
  'nonsense ends that connection and nothing else: %j',
  async (nonsense) => {
    const socket = connect(path)
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.on('error', () => undefined)
      socket.write(nonsense)
      socket.resume()
    })
    const { commands, close } = await client()
    expect(await commands.retry({ task: '2', by: 'me' })).toEqual({ id: 's-2' })
    close()
  },
)
