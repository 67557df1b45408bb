/**
 * The lock for one engine per data directory. The operating system releases it when its holder dies, for any reason. It
 * is SQLite's exclusive file lock, held by an open transaction on a file that stores nothing.
 */
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { storageError } from './errors.ts'

export interface Lock {
  /** Idempotent. */
  release(): void
}

const busy = 5
const notADatabase = 26

/** The lock, or null while another process holds it. */
export function takeLock(file: string): Lock | null {
  try {
    return tryLock(file)
  } catch (error) {
    const { errcode } = error as { errcode?: number }
    if (errcode === busy) return null
    if (errcode !== notADatabase) throw storageError(error, file)
    // Nothing is stored in it, and nobody can hold a lock on what is no database.
    rmSync(file)
    return takeLock(file)
  }
}

/** A program for another process, which asks for the lock of the file that it is given; it ends with 0 if it gets it. */
export const ASK_FOR_LOCK = `const { DatabaseSync } = require('node:sqlite')
try { new DatabaseSync(process.argv[1], { timeout: 0 }).exec('BEGIN EXCLUSIVE') } catch { process.exit(7) }`

function tryLock(file: string): Lock {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw error
  }
  return { release: () => void (db.isOpen && db.close()) }
}
