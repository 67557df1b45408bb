/**
 * One engine per data directory: a lock that the operating system releases when its holder dies, whatever kills it. It
 * is SQLite's own exclusive file lock, held by an open transaction on a file that stores nothing.
 */
import { DatabaseSync } from 'node:sqlite'

export interface Lock {
  release(): void
}

/** The lock, or null while another process holds it. */
export function takeLock(file: string): Lock | null {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw error
  }
  return { release: () => db.close() }
}
