/** The trusted side of a verification: the base's files, and the user's own while they are not committed. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces } from '../ports/workspaces.ts'
import type { Trusted } from './script-file.ts'

export const trustedBytesMax = 1024 * 1024

export function trustedSide(
  { workspaces, projectRoot }: { workspaces: Pick<Workspaces, 'read'>; projectRoot: string },
  base: string,
  changed: ReadonlySet<string>,
): Trusted {
  const texts = new Map<string, Promise<string | null>>()
  return {
    read(path) {
      const text = texts.get(path) ?? workspaces.read(base, path, trustedBytesMax)
      texts.set(path, text)
      return text
    },
    async own(path) {
      const at = join(projectRoot, path)
      const bytes = await readFile(at).catch(() => null)
      if (bytes === null) return null
      const isText = bytes.length <= trustedBytesMax && !bytes.includes(0)
      return { at, text: isText ? bytes.toString('utf8') : null }
    },
    changed: (path) => changed.has(path),
  }
}
