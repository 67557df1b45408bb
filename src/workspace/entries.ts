/** The differences between two trees, cached: trees never change, and a task asks for the same two repeatedly. */
import type { Mirror } from './mirror.ts'

export interface Entry {
  mode: string
  object: string
  baseMode: string
  baseObject: string
  /** Its bytes. */
  path: string
}

/** `from`, `to`: trees, by their hash. */
export async function changedEntries(mirror: Mirror, from: string, to: string): Promise<Entry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to]
  const parts = (await mirror.ask(args, { bytes: true })).stdout.split('\0')
  const entries: Entry[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [baseMode = '', mode = '', baseObject = '', object = ''] = (parts[at] ?? '').slice(1).split(' ')
    entries.push({ mode, object, baseMode, baseObject, path: parts[at + 1] ?? '' })
  }
  return entries
}
