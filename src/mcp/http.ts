/** MCP over HTTP: one request, one answer, nothing stored in between. The guards have already checked who asks. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ToolServer } from './protocol.ts'
import { protocolServer } from './protocol.ts'

/** Answers a POST whose body was read already. */
export type McpHandler = (request: Request, body: unknown) => Promise<Response>

export function httpHandler(server: ToolServer, onerror: (error: Error) => void): McpHandler {
  const handler = createMcpHandler(() => protocolServer(server), { onerror, maxSubscriptions: 0 })
  return (request, body) => handler.fetch(request, { parsedBody: body })
}
