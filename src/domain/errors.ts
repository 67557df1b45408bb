/**
 * The one error class that people see. Every expected failure is a MusterError with a code from this table; the table
 * alone maps codes to exit codes and HTTP statuses. A programmer's mistake is an assertion, never a MusterError.
 */

export const ERROR_CODES = {
  usage: { exit: 2, http: 400 },
  config: { exit: 2, http: 422 },
  failed: { exit: 1, http: 500 },
  gate_closed: { exit: 3, http: 409 },
  conflict: { exit: 3, http: 409 },
  not_allowed: { exit: 4, http: 403 },
  not_found: { exit: 5, http: 404 },
  waiting: { exit: 8, http: 409 },
  busy: { exit: 1, http: 503 },
  storage: { exit: 1, http: 500 },
  git: { exit: 1, http: 500 },
  interrupted: { exit: 130, http: 503 },
} as const

export type ErrorCode = keyof typeof ERROR_CODES

export class MusterError extends Error {
  override readonly name = 'MusterError'
  readonly code: ErrorCode
  /** What the user can type or change next. */
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}

/** A bug in Muster: stop rather than continue in an unexpected state. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** What the system is out of, by the code that it gives. None of it is a bug in Muster, and nothing stored is lost. */
const OUT_OF: Readonly<Record<string, { what: string; hint: string }>> = {
  ENOSPC: { what: 'the disk is full', hint: 'free some space, then run the command again' },
  EDQUOT: { what: 'your disk quota is used up', hint: 'free some of your space, then run the command again' },
  EIO: {
    what: 'the disk failed to read or write',
    hint: 'check the disk (its log, its mount), then run the command again',
  },
  EROFS: { what: 'the disk is read-only', hint: 'set MUSTER_HOME to a folder that you can write to' },
  EMFILE: { what: 'too many files are open', hint: 'raise the limit: ulimit -n 4096' },
  ENFILE: {
    what: 'too many files are open on this machine',
    hint: 'end programs that you do not need, then run the command again',
  },
  EAGAIN: {
    what: 'no more processes can be started',
    hint: 'end programs that you do not need, or raise the limit: ulimit -u',
  },
  ENOMEM: {
    what: 'the machine is out of memory',
    hint: 'end programs that you do not need, then run the command again',
  },
}

/** What a file system says that cannot sync at all. */
const NO_SYNC = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

/** The failure of the system that an error tells of, in words; null if it tells of none. */
export function systemFailure(error: unknown): MusterError | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  if ('syscall' in error && error.syscall === 'fsync' && NO_SYNC.has(String(error.code))) {
    const what = `the disk of Muster's data cannot sync (${String(error.code)}), so a power cut would lose data`
    return new MusterError('storage', what, {
      hint: 'set MUSTER_HOME to a folder on a local disk',
      cause: error,
    })
  }
  const out = OUT_OF[String(error.code)]
  if (out === undefined) return null
  const where = 'path' in error && typeof error.path === 'string' ? ` (${error.path})` : ''
  return new MusterError('storage', `${out.what}${where}`, { hint: out.hint, cause: error })
}

/** What went wrong, and what to do about it, for who reads of it later. */
export function errorWords(error: unknown): string {
  const known = error instanceof MusterError ? error : systemFailure(error)
  const what = known?.message ?? (error instanceof Error ? error.message : String(error))
  return known?.hint === undefined ? what : `${what} (${known.hint})`
}

/** What everybody is told who waits for an engine that cannot go on. What it was doing is stored. */
export function engineFailed(error: unknown, log: string): MusterError {
  const known = error instanceof MusterError ? error : systemFailure(error)
  const what = known?.message ?? (error instanceof Error ? error.message : String(error))
  const hint = `${known?.hint === undefined ? '' : `${known.hint}\n`}for details, see ${log}\nthen: muster run`
  const message = `the engine failed: ${known === null ? 'internal error (a bug in Muster): ' : ''}${what}`
  return new MusterError(known?.code === 'storage' ? 'storage' : 'failed', message, { hint, cause: error })
}
