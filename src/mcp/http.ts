/** The protocol over HTTP: one request, one answer, nothing kept in between. Who may ask has been looked at before. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ToolServer } from './protocol.ts'
import { protocolServer } from './protocol.ts'

/** Answers a POST whose body was read already. */
export type McpHandler = (request: Request, body: unknown) => Promise<Response>

export function httpHandler(server: ToolServer, onerror: (error: Error) => void): McpHandler {
  const handler = createMcpHandler(() => protocolServer(server), { onerror, maxSubscriptions: 0 })
  return (request, body) => handler.fetch(request, { parsedBody: body })
}
