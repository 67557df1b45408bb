/**
 * `/mcp`: the tools of `muster mcp` for programs that speak HTTP, behind the guards of the API. Nothing is kept between two
 * requests. The protocol's library is loaded with the first.
 */
import type { IncomingMessage } from 'node:http'
import type { McpHandler } from '../../mcp/http.ts'
import type { McpService } from '../../mcp/service.ts'
import { version } from '../../version.ts'
import { readBody } from './body.ts'
import type { HttpService } from './service.ts'

export const MCP_PATH = '/mcp'

export function mcpRoute(service: HttpService): (request: Request, incoming: IncomingMessage) => Promise<Response> {
  let handler: Promise<McpHandler> | null = null
  return async (request, incoming) => {
    const body = await readBody(incoming)
    handler ??= load(service)
    const { url, method, headers, signal } = request
    // Its body has been read: with our limits, and by what it says it is.
    return (await handler)(new Request(url, { method, headers, signal }), body)
  }
}

async function load(service: HttpService): Promise<McpHandler> {
  const { httpHandler } = await import('../../mcp/http.ts')
  const { peopleServer } = await import('../../mcp/people.ts')
  const { store, clock } = service
  const failed = (error: unknown) =>
    service.emit({ type: 'http-failed', path: MCP_PATH, error: error instanceof Error ? error.stack : String(error) })
  const stood: McpService = {
    version,
    now: () => clock.now(),
    look: (use) => use(store),
    ask: (use) => use(service.commandsOf('token')),
    project: () => service.project(),
    log: (_store, run) => service.log(run),
    failed,
  }
  // What it refuses is told to who asked; that is no mistake of ours.
  return httpHandler(peopleServer(stood), () => undefined)
}
