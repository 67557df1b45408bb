/** A file with one task: a Markdown heading, lines such as `CHECKS: a,b`, and the instructions. */
import { readFile } from 'node:fs/promises'
import { MusterError } from '../domain/errors.ts'
import { configBytesMax } from '../domain/limits.ts'

export interface TaskFile {
  title: string
  instructions: string
  checks: string[]
  agent: string | null
}

export async function readTaskFile(path: string, name: string): Promise<TaskFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MusterError('not_found', `${name} cannot be read (${error.code})`, { hint: 'name a task file' })
  })
  if (text.length > configBytesMax) throw new MusterError('config', `${name} is too large for a task`)
  return parseTaskFile(text, name)
}

/** Lines `KEY: value` right below the heading are about the task; everything after them is what to do. */
export function parseTaskFile(text: string, name: string): TaskFile {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const title = /^#\s+(?:\[[\w.-]+\]\s*)?(.+)$/.exec(lines[first] ?? '')?.[1]?.trim()
  if (title === undefined) {
    throw new MusterError('config', `${name}: the first line must be the title`, {
      hint: '# [TASK-7] Fix the login form',
    })
  }
  const fields = new Map<string, string>()
  let at = first + 1
  for (; at < lines.length; at++) {
    const field = /^([A-Z_]+):\s*(.*)$/.exec(lines[at]?.trim() ?? '')
    if (field?.[1] !== undefined) fields.set(field[1], field[2] ?? '')
    else if (lines[at]?.trim() !== '') break
  }
  const list = (value = ''): string[] =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const body = lines.slice(at).join('\n').trim()
  return {
    title,
    instructions: body || title,
    checks: [...new Set(list(fields.get('CHECKS')))],
    agent: fields.get('ROLE') || null,
  }
}
