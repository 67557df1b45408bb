/**
 * The HTTP API of a world, on a port of its own: requests as a program sends them, raw bytes as an attacker does, and
 * readers of event streams.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Hub } from '../../src/engine/loop/hub.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { answerFor, openPort, tokenFile } from '../../src/serve.ts'
import type { HttpServer } from '../../src/server/http/server.ts'
import type { World } from './world.ts'

export interface Said {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON. */
  json: Record<string, unknown>
}

export interface Message {
  id: string | null
  event: string
  data: Record<string, unknown>
}

export class Api {
  readonly world: World
  readonly http: HttpServer
  readonly hub: Hub
  readonly token: string
  readonly #close: () => Promise<void>

  private constructor(world: World, http: HttpServer, hub: Hub, close: () => Promise<void>) {
    this.world = world
    this.http = http
    this.hub = hub
    this.token = readFileSync(tokenFile(world.project), 'utf8').trim()
    this.#close = close
  }

  /** Starts the world's engine, too. */
  static async of(world: World, clock?: Clock): Promise<Api> {
    let hub: Hub | undefined
    await world.start((parts) => {
      hub = parts.probe as Hub
      return parts
    })
    if (hub === undefined) throw new Error('the world has a hub')
    const http = await openPort(world.project, { host: '127.0.0.1', port: 0 }, clock)
    const { commands, project, env } = world
    const stopReading = await answerFor(http, project, env, { commandsOf: () => commands, hub, by: 'tester' }, clock)
    return new Api(world, http, hub, async () => {
      await http.close()
      await stopReading()
    })
  }

  async close(): Promise<void> {
    await this.#close()
    await this.world.dispose()
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Said> {
    return this.ask('GET', path, headers)
  }

  /** A body that is no text is sent as JSON. */
  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Said> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const type: Record<string, string> = text === undefined ? {} : { 'Content-Type': 'application/json' }
    return this.ask('POST', path, { ...type, ...headers }, text)
  }

  /** With the token, unless `headers` say otherwise; an empty header is not sent. */
  async ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Said> {
    const response = await this.#send(method, path, headers, body)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    const json = /json/.test(response.headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : {}
    return { status: response.statusCode ?? 0, headers: response.headers, text, json: json as Said['json'] }
  }

  #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
    const all = { Authorization: `Bearer ${this.token}`, ...headers }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: this.http.port, method, path, headers: sent, agent: false })
      asked.once('response', resolve)
      asked.once('error', reject)
      asked.end(body)
    })
  }

  /** What comes back for these bytes until the server, or `enough`, ends the connection. `cut`: we end it right after. */
  raw(bytes: string, { cut = false, enough = /$^/ } = {}): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.http.port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (enough.test(text)) socket.destroy()
      })
      socket.on('error', () => undefined)
      socket.once('close', () => resolve(text))
      socket.write(bytes, () => cut && socket.destroy())
    })
  }

  async events(query = '', headers: Record<string, string> = {}): Promise<EventReader> {
    const response = await this.#send('GET', `/api/events${query}`, headers)
    return new EventReader(response)
  }

  async stream(path: string): Promise<EventReader> {
    return new EventReader(await this.#send('GET', path, { Accept: 'text/event-stream' }))
  }
}

/** The session that a link of muster serve is good for, as the board's page asks for it. */
export async function enter(link: string): Promise<string> {
  const key = new URLSearchParams(new URL(link).hash.slice(1)).get('key')
  const headers = { 'Content-Type': 'application/json' }
  const said = await fetch(new URL('/api/session', link), { method: 'POST', headers, body: JSON.stringify({ key }) })
  return ((await said.json()) as { session: string }).session
}

/** Reads messages one by one. */
export class EventReader {
  readonly response: IncomingMessage
  readonly #messages: AsyncGenerator<Message>

  constructor(response: IncomingMessage) {
    this.response = response
    response.on('error', () => undefined)
    this.#messages = messagesOf(response)
  }

  /** The next message, comments included as those of the event `comment`; null at the end. */
  async next(): Promise<Message | null> {
    const { value, done } = await this.#messages.next()
    return done === true ? null : value
  }

  /** Messages up to the first that fits, or up to the end. */
  async until(fits: (message: Message) => boolean): Promise<Message[]> {
    const all: Message[] = []
    for (let message = await this.next(); message !== null; message = await this.next()) {
      all.push(message)
      if (fits(message)) break
    }
    return all
  }

  leave(): void {
    this.response.destroy()
  }
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<Message> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const blocks = `${rest}${chunk}`.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield messageOf(block)
    }
  } catch {
    // Cut off.
  }
}

function messageOf(block: string): Message {
  const lines = block.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  if (block.startsWith(':')) return { id: null, event: 'comment', data: {} }
  const data = JSON.parse(field('data') ?? 'null') as Record<string, unknown>
  return { id: field('id') ?? null, event: field('event') ?? 'message', data }
}
