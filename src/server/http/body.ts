/** A request's body, read with suspicion: JSON and nothing else, bounded in size and depth before it is parsed. */
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { MusterError } from '../../domain/errors.ts'
import { problemsMax } from '../../domain/limits.ts'
import { bodyBytesMax, jsonDepthMax } from './limits.ts'
import { HttpError } from './problems.ts'

/** What the body says; an empty object where there is none. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  if (encoding === undefined && Number(length ?? 0) === 0) return {}
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type ?? '')) {
    throw new HttpError(
      'unsupported_media_type',
      `the body ${type === undefined ? 'has no Content-Type' : 'is not JSON, by its Content-Type'}`,
      'send "Content-Type: application/json"',
    )
  }
  return parse(decode(await readAll(incoming)))
}

/** Not `for await`: leaving that early would cut the connection before anything is answered. */
export function readAll(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    if (Number(incoming.headers['content-length'] ?? 0) > bodyBytesMax) return reject(tooLarge())
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) return void chunks.push(chunk)
      incoming.pause()
      reject(tooLarge())
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.once('close', () => reject(new MusterError('usage', 'the body was cut off', { hint: 'send it again' })))
    incoming.once('error', () => reject(new MusterError('usage', 'the body was cut off', { hint: 'send it again' })))
  })
}

function tooLarge(): HttpError {
  const detail = `the body is larger than ${bodyBytesMax} bytes`
  return new HttpError('too_large', detail, 'send smaller requests', { Connection: 'close' })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw noJson('it is not UTF-8')
  }
}

function parse(text: string): unknown {
  if (isDeep(text)) throw noJson(`it is nested deeper than ${jsonDepthMax} levels`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw noJson(error instanceof Error ? error.message : String(error))
  }
}

function noJson(why: string): MusterError {
  return new MusterError('usage', `the body cannot be read: ${why}`, { hint: 'send one JSON object' })
}

/** Counts brackets outside of strings, in one pass: what is no JSON is for the parser to say. */
function isDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inString && char === '\\') at += 1
    else if (char === '"') inString = !inString
    else if (inString) continue
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
    if (depth > jsonDepthMax) return true
  }
  return false
}

/** The value as the schema wants it, or every problem in one error. `what`: the body, or the query. */
export function checked<T extends z.ZodType>(schema: T, value: unknown, what: string): z.infer<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const lines = result.error.issues.slice(0, problemsMax).map(({ path, message }) => {
    return `${path.length === 0 ? what : path.join('.')}: ${message}`
  })
  throw new MusterError('usage', lines.join('\n'), { hint: 'GET /api/openapi.json describes every request' })
}
