/** The trusted side of a verification: the attempt base's files, and the user's own while they are not committed. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Workspaces } from '../ports/workspaces.ts'
import type { Trusted } from './command.ts'

export const trustedBytesMax = 1024 * 1024

export function trustedSide(
  parts: { workspaces: Workspaces; projectRoot: string; dataDir: string },
  base: string,
): Trusted {
  const { workspaces, projectRoot, dataDir } = parts
  return {
    read: (path) => workspaces.read(base, path, trustedBytesMax),
    own: (path) => (existsSync(join(projectRoot, path)) ? join(projectRoot, path) : null),
    async place(path, text) {
      const dir = join(dataDir, 'trusted', createHash('sha256').update(text).digest('hex').slice(0, 32))
      const file = join(dir, basename(path))
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFile(file, text)
      await chmod(file, 0o700)
      return file
    },
  }
}
