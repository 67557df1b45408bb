/**
 * MCP over stdin and stdout: one JSON-RPC message per line. Lines are limited in size, an invalid message gets an
 * error, and everything asked before the input ends is answered before the process ends.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolServer } from './protocol.ts'
import { protocolServer } from './protocol.ts'

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const INTERNAL_ERROR = -32603
/** Requests that are being answered at a time. */
const openMax = 64

type Id = string | number

class Lines implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly #open = new Set<Id>()
  readonly #write: (text: string) => void
  #answered: (() => void) | null = null

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`${JSON.stringify(message)}\n`)
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  take(line: string): void {
    if (line.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return this.#fail(null, PARSE_ERROR, 'not valid JSON')
    }
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(value)
    } catch {
      return this.#fail(null, INVALID_REQUEST, 'not a message: one JSON-RPC object per line')
    }
    if ('method' in message && 'id' in message) {
      if (this.#open.size >= openMax) return this.#fail(message.id, INTERNAL_ERROR, 'too many requests at a time')
      this.#open.add(message.id)
    }
    this.onmessage?.(message)
    // Nobody answers what was called off.
    const called = 'method' in message && message.method === 'notifications/cancelled' ? message.params : undefined
    if (called !== undefined) this.#settle(called['requestId'] as Id)
  }

  /** Settles when nothing is left to be answered. */
  async answered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#answered = resolve))
  }

  #settle(id: Id): void {
    this.#open.delete(id)
    if (this.#open.size === 0) this.#answered?.()
  }

  #fail(id: Id | null, code: number, message: string): void {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
}

/** Serves until there is no more input. A line that is longer than any message is answered as what it is: no JSON. */
export async function serveLines(
  server: ToolServer,
  input: AsyncIterable<string>,
  write: (text: string) => void,
  lineCharsMax: number,
): Promise<void> {
  const lines = new Lines(write)
  const serving = serveStdio(() => protocolServer(server), { transport: lines, maxSubscriptions: 0 })
  let line = ''
  for await (const chunk of input) {
    const pieces = chunk.split('\n')
    for (const [index, piece] of pieces.entries()) {
      line = line.length > lineCharsMax ? line : line + piece
      if (index === pieces.length - 1) break
      lines.take(line.length > lineCharsMax ? '{' : line)
      line = ''
    }
  }
  await lines.answered()
  await serving.close()
}
