/**
 * The messages of commits that an agent made itself; Muster keeps them beside its snapshot. It reads them from the
 * clone's own loose objects, file by file and within limits: it runs no git there, and does not follow borrowed objects
 * (the mirror's, or whatever the agent wrote into `alternates`), so that it finds only the agent's own.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { forDisplay } from '../domain/display.ts'

const commitsMax = 50
const objectBytesMax = 64 * 1024
const messageCharsMax = 2000
const allCharsMax = 8000
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The messages of the commits between these and the agent's HEAD, the oldest first. Never rejects. */
export async function messagesOf(dir: string, base: readonly string[]): Promise<string[]> {
  const messages: string[] = []
  const head = await headOf(dir)
  const waiting = new Set(head === null ? [] : [head])
  for (const commit of waiting) {
    if (waiting.size > commitsMax) break
    const object = base.includes(commit) ? null : await looseCommit(dir, commit)
    if (object === null) continue
    messages.unshift(object.message)
    for (const parent of object.parents) waiting.add(parent)
  }
  return messages
}

/** The commit that HEAD names in a clone, itself or through one branch; null when its files do not say. */
export async function headOf(dir: string): Promise<string | null> {
  const head = (await readOwn(dir, '.git/HEAD'))?.toString().trimEnd() ?? ''
  const branch = /^ref: (refs\/[^\p{Cc}]+)$/u.exec(head)?.[1]
  const name = branch === undefined ? head : ((await readOwn(dir, `.git/${branch}`))?.toString().trimEnd() ?? '')
  return COMMIT.test(name) ? name : null
}

async function looseCommit(dir: string, name: string): Promise<{ parents: string[]; message: string } | null> {
  const file = await readOwn(dir, `.git/objects/${name.slice(0, 2)}/${name.slice(2)}`)
  if (file === null) return null
  let text: string
  try {
    text = inflateSync(file, { maxOutputLength: objectBytesMax }).toString()
  } catch {
    return null
  }
  const [, headers = '', message = ''] = /^commit \d+\0([\s\S]*?)\n\n([\s\S]*)$/.exec(text) ?? []
  return { parents: [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []), message }
}

/** A small file of the clone itself: no link, no pipe, nothing that lies outside. */
async function readOwn(dir: string, path: string): Promise<Buffer | null> {
  try {
    const whole = join(await realpath(dir), path)
    if (path.split('/').includes('..') || (await realpath(whole)) !== whole) return null
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = await open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const info = await file.stat()
      if (!info.isFile() || info.size > objectBytesMax) return null
      const { buffer, bytesRead } = await file.read(Buffer.alloc(info.size), 0, info.size, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

/**
 * A commit message with the agent's own in its body, before the last paragraph, which is Muster's. Indented, no line of
 * theirs can be taken for a trailer or the beginning of a patch.
 */
export function withMessages(message: string, messages: readonly string[]): string {
  const listed = messages.map(listItem).filter((item) => item !== '')
  if (listed.length === 0) return message
  let text = listed.join('\n')
  if (text.length > allCharsMax) text = `${text.slice(0, allCharsMax)}…`
  const [title = '', ...rest] = message.trimEnd().split('\n\n')
  return `${[title, "The agent's own commits:", text, ...rest].join('\n\n')}\n`
}

function listItem(message: string): string {
  const clean = forDisplay(message, { colours: false }).replaceAll('\t', ' ').trim()
  const short = clean.length > messageCharsMax ? `${clean.slice(0, messageCharsMax)}…` : clean
  return short === '' ? '' : `  * ${short.replaceAll(/\n(?!\n)/g, '\n    ').replaceAll(/[ ]+$/gm, '')}`
}
