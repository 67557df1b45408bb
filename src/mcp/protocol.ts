/**
 * The Model Context Protocol, with its official library: a server with tools and resources, in every revision that the
 * library supports. It does not know the transport or the client.
 */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import { MusterError } from '../domain/errors.ts'
import { visible } from '../domain/display.ts'

export interface ToolSpec {
  name: string
  description: string
  /** JSON Schema. */
  inputSchema: { type: 'object' } & Record<string, unknown>
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint?: boolean }
}

export interface ToolAnswer {
  /** What the model is told. */
  text: string
  /** It has to do something else. */
  refused: boolean
}

interface Resource {
  uri: string
  name: string
  mimeType: string
  description?: string
}

export interface Resources {
  /** A page, in a stable order. */
  list(cursor: string | undefined): Promise<{ resources: Resource[]; nextCursor?: string }>
  templates: readonly { uriTemplate: string; name: string; mimeType: string; description: string }[]
  /** null if there is none. */
  read(uri: string): Promise<{ mimeType: string; text: string } | null>
}

export interface ToolServer {
  name: string
  version: string
  /** What it is for: programs that search for tools search here as well. */
  instructions: string
  tools: readonly ToolSpec[]
  call(tool: string, input: unknown): ToolAnswer | Promise<ToolAnswer>
  resources?: Resources
}

/** One server for one connection, or one request. */
export function protocolServer(of: ToolServer): Server {
  const { name, version, instructions, resources } = of
  const capabilities = { tools: {}, ...(resources === undefined ? {} : { resources: {} }) }
  const server = new Server({ name, version }, { capabilities, instructions })
  server.setRequestHandler('tools/list', () => ({ tools: [...of.tools] }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { text, refused } = await of.call(params.name, params.arguments ?? {})
    return { content: [{ type: 'text', text }], isError: refused }
  })
  if (resources === undefined) return server
  server.setRequestHandler('resources/list', ({ params }) => inWords(() => resources.list(params?.cursor)))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    inWords(async () => {
      const found = await resources.read(uri)
      if (found === null) throw new ResourceNotFoundError(uri.slice(0, 200))
      return { contents: [{ uri, ...found }] }
    }),
  )
  return server
}

/** Resources have no errors of their own: those of the protocol carry the words. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MusterError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, wordsOf(error))
    throw error
  }
}

/** What happened, and what to do next. */
export function wordsOf({ message, hint }: MusterError): string {
  return visible(hint === undefined ? message : `${message}\nHint: ${hint}`)
}
