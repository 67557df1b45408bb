/** Removing a folder whatever is in it: some tools leave folders behind that even their owner may not change. */
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 }
  try {
    await rm(path, options)
  } catch {
    // Module caches are read-only on purpose. If it was something else, the second try says so.
    await unlock(path)
    await rm(path, options)
  }
}

/** Only real folders: what a link leads to is not ours. */
async function unlock(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(() => undefined)
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await unlock(join(dir, entry.name))
}
