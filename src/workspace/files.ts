/** Files of a git directory that Muster reads and writes itself, because each git call costs a process. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../durable.ts'

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?\n?$/

export async function writeLine(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeWhole(file, `${text}\n`)
}

export async function readLine(file: string): Promise<string | null> {
  return readFile(file, 'utf8').then(
    // What a power cut left empty says nothing.
    (text) => text.trim() || null,
    () => null,
  )
}

/** One file for whatever names: `a` and `a/b` may have been branches one after the other. */
export function nameOf(what: string, ...names: string[]): string {
  return `${what}/${createHash('sha256').update(names.join(' ')).digest('hex')}`
}

/**
 * A ref as git keeps it in files: one of its own, which outranks the list of packed ones. Undefined when only git can
 * tell (symbolic, another ref storage).
 */
export async function readRef(gitDir: string, ref: string): Promise<string | null | undefined> {
  const own = await readFile(join(gitDir, ref), 'utf8').catch(() => null)
  if (own !== null) return COMMIT.test(own) ? own.trim() : undefined
  if (existsSync(join(gitDir, 'reftable'))) return undefined
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '')
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? null : packed.slice(packed.lastIndexOf('\n', at - 1) + 1, at)
}

/** Whether there can be refs below this folder of refs; git is asked only where it can. */
export async function mayHaveRefs(gitDir: string, folder: string): Promise<boolean> {
  if ([folder, 'reftable'].some((name) => existsSync(join(gitDir, name)))) return true
  return (await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '')).includes(` ${folder}`)
}
