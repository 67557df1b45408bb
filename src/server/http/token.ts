/** The token: a secret in a file that only its owner can read, in Muster's data, which no sandboxed agent sees. */
import { chmod, lstat, readFile, rename, writeFile } from 'node:fs/promises'
import type { Random } from '../../ports/clock.ts'

/** The token that is there, or a new one of 32 random bytes. One that others could have read is replaced. */
export async function tokenIn(file: string, random: Random): Promise<string> {
  const info = await lstat(file).catch(() => null)
  if (info?.isFile() === true && (info.mode & 0o077) === 0) {
    const kept = (await readFile(file, 'utf8')).trim()
    if (/^[0-9a-f]{64}$/.test(kept)) return kept
  }
  const token = random.nonce() + random.nonce()
  // Another process may be making one too: the last to rename it wins.
  const fresh = `${file}.${random.nonce()}.new`
  await writeFile(fresh, `${token}\n`, { mode: 0o600, flag: 'wx' })
  await chmod(fresh, 0o600)
  await rename(fresh, file)
  return token
}
