/** Reads the session file of a program, if it has one, from where the last read ended. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { AgentEvent } from '../../domain/agent-event.ts'
import type { AgentAdapter } from '../stream/adapter.ts'
import { lineSplitter } from '../stream/lines.ts'

const readBytes = 256 * 1024

/** What cannot be read tells nothing: the file is the program's own, and may be anywhere or of another version. */
export function ledgerReader(
  { ledger }: AgentAdapter,
  env: Readonly<Record<string, string>>,
): (session: string | null) => AgentEvent[] {
  const lines = lineSplitter()
  let path: string | null = null
  let offset = 0
  return (session) => {
    if (ledger === undefined || session === null) return []
    try {
      path ??= ledger.find(env, session)
      if (path === null) return []
      const file = openSync(path, 'r')
      try {
        const events: AgentEvent[] = []
        for (const buffer = Buffer.alloc(readBytes); ;) {
          const bytes = readSync(file, buffer, 0, readBytes, offset)
          if (bytes === 0) return events
          offset += bytes
          events.push(...lines.add(buffer.subarray(0, bytes)).flatMap((line) => ledger.parse(line)))
        }
      } finally {
        closeSync(file)
      }
    } catch {
      return []
    }
  }
}
