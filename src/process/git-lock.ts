/**
 * Whether a git that was killed left a lock behind. A living git holds the lock of a ref for milliseconds, or longer
 * during a hook; then it is among the processes of this machine.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { allProcesses } from './group.ts'

const staleMs = 2000

/** `gitDir`: of the repository whose lock it is. False where nobody can be asked which programs run. */
export async function isLeftLock(lock: string, gitDir: string): Promise<boolean> {
  const info = await stat(lock).catch(() => null)
  return info?.isFile() === true && Date.now() - info.mtimeMs >= staleMs && !isGitAtWork(gitDir)
}

/** Whether a git runs that names the repository or stands in it. True where that cannot be seen. */
function isGitAtWork(gitDir: string): boolean {
  const processes = allProcesses()
  if (processes === null) return true
  const top = dirname(gitDir)
  return processes.some(({ pid, name }) => {
    if (!name.startsWith('git')) return false
    const [folder, ...told] = ['cwd', 'cmdline', 'environ'].map((file) => readProc(pid, file))
    // One of another user's may be at work anywhere.
    if (folder === null) return true
    return `${folder}/`.startsWith(`${top}/`) || [folder, ...told].some((text) => text?.includes(gitDir))
  })
}

/** Null if it is not ours to look at; nothing is to be seen of one that has ended. */
function readProc(pid: number, file: string): string | null {
  const path = `/proc/${pid}/${file}`
  try {
    return file === 'cwd' ? readlinkSync(path) : readFileSync(path, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? null : ''
  }
}
