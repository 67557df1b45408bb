/**
 * The file below its home in which Codex stores a session. It has what the stream lacks: the usage after every call of
 * the model. So Muster can enforce a budget during a run, and knows what an interrupted run used.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../domain/agent-event.ts'
import { fieldsOf, parseLine } from '../stream/json.ts'
import { usageEvents } from './parse.ts'

const dayMs = 24 * 60 * 60 * 1000

/** In a folder of the day it began, which its id tells. Null if there is none. */
export function findRollout(home: string, session: string): string | null {
  const beganMs = Number.parseInt(session.replaceAll('-', '').slice(0, 12), 16)
  if (!/^[0-9a-f-]{36}$/i.test(session) || !Number.isSafeInteger(beganMs)) return null
  // The folder is named in the program's time zone, whichever that is.
  for (const offset of [0, -dayMs, dayMs]) {
    const [year = '', month = '', day = ''] = new Date(beganMs + offset).toISOString().slice(0, 10).split('-')
    const folder = join(home, 'sessions', year, month, day)
    const name = existsSync(folder)
      ? readdirSync(folder).find((entry) => entry.endsWith(`${session}.jsonl`))
      : undefined
    if (name !== undefined) return join(folder, name)
  }
  return null
}

/** The session's totals: noted with each call and, once more, after what the call led to. */
export function parseRollout(line: string): AgentEvent[] {
  const payload = fieldsOf(parseLine(line)?.['payload'])
  const info = fieldsOf(payload['info'])
  return [payload['thread_token_usage'], info['total_token_usage']].flatMap((usage) => usageEvents(fieldsOf(usage)))
}
