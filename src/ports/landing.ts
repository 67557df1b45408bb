/** Results of moving a branch, and commits that people made. */
export interface PersonalCommit {
  commit: string
  author: string
}

export type LandResult =
  | { kind: 'landed' }
  /** The branch is not where it was expected: somebody else moved it. */
  | { kind: 'moved'; head: string | null }
  /** Something in the user's repository is in the way: what it waits for, with what to type; `brief`: perhaps only for a moment. */
  | { kind: 'blocked'; detail: string; brief: boolean }
