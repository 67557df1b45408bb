/** Root may read and remove everything, so a test about rights must not be root while it tries. */
import { execFileSync } from 'node:child_process'

const nobody = 65534

export const isRoot = process.geteuid?.() === 0

/** Does it as somebody who owns `dir` and is not root. What is in `others` stays root's, if that is who we are. */
export async function asUser<T>(dir: string, act: () => Promise<T>, others: readonly string[] = []): Promise<T> {
  if (!isRoot) return act()
  execFileSync('chown', ['-R', String(nobody), dir])
  for (const path of others) execFileSync('chown', ['-R', '0', path])
  process.seteuid?.(nobody)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
