/** The key that seals a project's history (store/seal.ts): a file beside the database, for its owner alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from './durable.ts'
import type { Random } from './ports/clock.ts'

export const keyFile = (dataDir: string): string => join(dataDir, 'history.key')

/** Undefined where there is none, or none that can be one. */
export function readKey(dataDir: string): string | undefined {
  try {
    return /^[0-9a-f]{64}$/.exec(readFileSync(keyFile(dataDir), 'utf8').trim())?.[0]
  } catch {
    return undefined
  }
}

/** The one that is there, or a new one, which fits no seal that is there. */
export async function ensureKey(dataDir: string, random: Random): Promise<{ key: string; isNew: boolean }> {
  const known = readKey(dataDir)
  if (known !== undefined) return { key: known, isNew: false }
  const key = `${random.nonce()}${random.nonce()}`
  await writeWhole(keyFile(dataDir), `${key}\n`)
  return { key, isNew: true }
}
