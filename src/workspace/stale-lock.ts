/**
 * Removes locks of refs that a killed git left: nobody else does, and every later git stops at them. Locks of an index
 * stay: a commit holds one for as long as somebody writes its message.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftLock } from '../process/git-lock.ts'

/** Whether it did. */
export async function removeStaleLock(lock: string, gitDir: string): Promise<boolean> {
  const left = await isLeftLock(lock, gitDir)
  if (left) await rm(lock, { force: true })
  return left
}

/** Of a mirror, and of Muster's own branches in the user's repository: before the first git of this start needs them. */
export async function removeStaleLocks(mirror: string, userGitDir: string): Promise<void> {
  const kept = [...(await locksBelow(mirror, 'refs')), 'packed-refs.lock', 'HEAD.lock', 'config.lock']
  for (const name of kept) await removeStaleLock(join(mirror, name), mirror)
  for (const name of await locksBelow(userGitDir, 'refs/heads/muster')) {
    await removeStaleLock(join(userGitDir, name), userGitDir)
  }
}

async function locksBelow(gitDir: string, folder: string): Promise<string[]> {
  const names = await readdir(join(gitDir, folder), { recursive: true }).catch((): string[] => [])
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(folder, name))
}
