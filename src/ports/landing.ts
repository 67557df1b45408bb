/** Results of moving a branch, and commits that people made. */
export interface PersonalCommit {
  commit: string
  author: string
}

export type LandResult =
  | { kind: 'landed' }
  /** The branch is not at the expected commit: somebody else moved it. */
  | { kind: 'moved'; head: string | null }
  /** Something in the user's repository prevents it: `detail` says what, with the command to type. `brief`: it may be over in a moment. */
  | { kind: 'blocked'; detail: string; brief: boolean }
