/** What SQLite's failures mean for a person: a full disk, a damaged file and a locked one need different remedies. */
import { MusterError } from '../domain/errors.ts'

interface Meaning {
  says: (file: string) => string
  hint: string
}

const DAMAGED: Meaning = {
  says: (file) => `${file} is damaged: a part of it is not readable as a database`,
  hint: 'stop Muster, then restore your latest backup: muster restore <file> (it keeps the damaged file)',
}

const LOCKED: Meaning = {
  says: (file) => `${file} is locked: another process is writing to it for too long`,
  hint: 'another Muster may be at work on this project: stop it or wait for it, then try again',
}

/** By SQLite's primary result code. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  5: LOCKED,
  6: LOCKED,
  8: {
    says: (file) => `${file} cannot be written: it is read-only for this process`,
    hint: 'check who owns the file and its folder, and whether the disk is mounted read-only',
  },
  10: {
    says: (file) => `the disk failed to read or write ${file}`,
    hint: 'check the disk (its log, its free space, its mount), then try again',
  },
  11: DAMAGED,
  13: {
    says: (file) => `the disk is full: ${file} could not grow, and nothing was written`,
    hint: 'free some space on that disk, then run the same command again',
  },
  14: {
    says: (file) => `${file} cannot be opened`,
    hint: 'check that its folder exists and that you can read and write there',
  },
  26: {
    says: (file) => `${file} is not a database: SQLite cannot read it`,
    hint: 'check the path. If it is right, the file was overwritten: restore your latest backup with muster restore <file>',
  },
}

/** The failure in a person's words, or the same error when it is no state of the disk but a mistake of ours. */
export function storageError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  // The low byte is the primary code; the rest says where it happened.
  const meaning = MEANINGS[Number(error.errcode) & 0xff]
  if (meaning === undefined) return error
  return new MusterError('storage', meaning.says(file), { hint: meaning.hint, cause: error })
}
