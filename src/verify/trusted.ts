/** The trusted side of a verification: the base's files, and the user's own if they are not committed yet. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces } from '../ports/workspaces.ts'
import type { Trusted } from './script-file.ts'

/** Lock files are the largest that are read. */
export const trustedBytesMax = 16 * 1024 * 1024
const basesMax = 20

/** The trusted sides of many verifications. Tasks share their targets: what was read of a base is not read again. */
export function trustedSides({
  workspaces,
  projectRoot,
}: {
  workspaces: Pick<Workspaces, 'read' | 'files'>
  projectRoot: string
}): (base: string, changed: ReadonlySet<string>) => Trusted {
  const bases = new Map<string, Base>()
  return (base, changed) => {
    if (bases.size >= basesMax && !bases.has(base)) bases.clear()
    const known: Base = bases.get(base) ?? { texts: new Map(), files: null }
    bases.set(base, known)
    return {
      read(path) {
        const text = known.texts.get(path) ?? workspaces.read(base, path, trustedBytesMax)
        known.texts.set(path, text)
        text.catch(() => known.texts.delete(path))
        return text
      },
      files() {
        known.files ??= workspaces.files(base)
        known.files.catch(() => (known.files = null))
        return known.files
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
}

interface Base {
  texts: Map<string, Promise<string | null>>
  files: Promise<string[]> | null
}
