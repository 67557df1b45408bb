/** Time and chance, the two things that pure code must be given. */

export interface Clock {
  /** What the clock on the wall shows. Somebody may set it, forward or back. */
  now(): number
  /** Milliseconds since some moment, which nobody sets: for how long something has taken, or is to wait. */
  steady(): number
  /** Calls back once everything that is already waiting has had its turn. */
  soon(callback: () => void): void
  /** Calls back once; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void
}

export interface Random {
  /** An unguessable word of hexadecimal digits. */
  nonce(): string
}
