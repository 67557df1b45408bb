/** The kinds of proof that a person makes a decision, and not an agent in their name. */

export type Proof =
  /** Agents cannot get at Muster at all. */
  | 'kept-in'
  /** The command was typed at a terminal that no worker has. */
  | 'terminal'
  /** It came from a page of the board that such a terminal opened. */
  | 'board'
  /** muster.yaml lets scripts decide, and so whatever else runs as this user. */
  | 'scripted'

/** Who asks, as far as the way that the request came can tell. */
export type Asker =
  /** A process of this machine. */
  | { pid: number }
  /** A page of the board that was opened from a terminal. */
  | 'board'
  /** Whoever can read the token's file. */
  | 'token'
  /** A program that does not say which process it is. */
  | 'unknown'

/** In the history, behind the name. Where agents are kept in there is nothing to say. */
export const PROOF_WORDS: Readonly<Record<Proof, string | null>> = {
  'kept-in': null,
  terminal: 'at a terminal',
  board: 'on the board',
  scripted: 'scripts may decide',
}
