/** A program that uses Muster's tools: the official client, in the old way of the protocol and in the new one. */
import type { Transport, VersionNegotiationMode } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/client'

/** How a client begins: by a handshake, as until 2025, or without one. */
export const WAYS: Record<string, VersionNegotiationMode> = {
  '2025-11-25': 'legacy',
  '2026-07-28': { pin: '2026-07-28' },
}

export interface Told {
  text: string
  isError: boolean
  /** The text as JSON. */
  json: Record<string, unknown>
}

export class Tools {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  static async over(transport: Transport, mode: VersionNegotiationMode = 'legacy'): Promise<Tools> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(transport)
    return new Tools(client)
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: input })
    const [first] = content
    const text = first?.type === 'text' ? first.text : ''
    return { text, isError, json: isError ? {} : (JSON.parse(text) as Told['json']) }
  }

  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri })
    return contents.map((content) => ('text' in content ? content.text : '')).join('')
  }

  close(): Promise<void> {
    return this.client.close()
  }
}
