/**
 * The Model Context Protocol as far as a server of tools over stdio needs it: one JSON-RPC message per line. Written out
 * because it is four methods, and starts in the time that the official package takes to be read (docs/dependencies.md).
 */
import type { Tool } from '../domain/judge-tools.ts'

export interface ToolServer {
  name: string
  version: string
  /** What it is for: programs that search for tools search here as well. */
  instructions: string
  tools: readonly Tool[]
  /** What the model is told; `refused`: that it has to do something else. */
  call(tool: string, input: unknown): { text: string; refused: boolean }
}

/** The newest is what a client gets that asks for one we do not know; it may then go. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601

interface Message {
  id?: unknown
  method?: unknown
  params?: unknown
}

/** The answer to one line; null if it needs none. */
export function answerLine(server: ToolServer, line: string): string | null {
  if (line.trim() === '') return null
  const fail = (id: unknown, code: number, message: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
  let message: Message
  try {
    message = JSON.parse(line) as Message
  } catch {
    return fail(null, PARSE_ERROR, 'not valid JSON')
  }
  if (typeof message !== 'object' || message === null || typeof message.method !== 'string') {
    return fail(null, INVALID_REQUEST, 'not a request: one JSON-RPC object per line')
  }
  const { id, method } = message
  // Notifications want no answer.
  if (id === undefined) return null
  if (typeof id !== 'string' && typeof id !== 'number')
    return fail(null, INVALID_REQUEST, 'its id is no text and no number')
  const params = (message.params ?? {}) as Readonly<Record<string, unknown>>
  const result = resultOf(server, method, params)
  if (result === null) return fail(id, METHOD_NOT_FOUND, `there is no method ${method.slice(0, 80)}`)
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function resultOf(server: ToolServer, method: string, params: Readonly<Record<string, unknown>>): object | null {
  const { name, version, tools, instructions } = server
  switch (method) {
    case 'initialize': {
      const protocolVersion = VERSIONS.find((known) => known === params['protocolVersion']) ?? VERSIONS[0]
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version }, instructions }
    }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools }
    case 'tools/call': {
      const called = params['name']
      const { text, refused } = server.call(typeof called === 'string' ? called : '', params['arguments'] ?? {})
      return { content: [{ type: 'text', text }], isError: refused }
    }
    default:
      return null
  }
}

/** Until there is no more input. A line that is longer than any call is answered as what it is: no JSON. */
export async function serve(
  server: ToolServer,
  input: AsyncIterable<string>,
  write: (text: string) => void,
  lineCharsMax: number,
): Promise<void> {
  let line = ''
  for await (const chunk of input) {
    const pieces = chunk.split('\n')
    for (const [index, piece] of pieces.entries()) {
      line = line.length > lineCharsMax ? line : line + piece
      if (index === pieces.length - 1) break
      const answer = answerLine(server, line)
      if (answer !== null) write(`${answer}\n`)
      line = ''
    }
  }
}
