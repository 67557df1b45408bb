/**
 * Forges: where pull requests are made, reviewed and merged. One folder of src/forge/ for each; their common contract is
 * src/forge/conformance.ts. Callers cache nothing: every answer is the current state.
 *
 * Every function may reject with `busy` (the forge asks to wait, or does not answer: Muster tries again by itself),
 * `not_allowed` or `not_found` (a person must check the token and its permissions), `config`, or `git`.
 */
import type { ForgeChecks, Issue, Pull, PullRef, Review } from '../domain/forge.ts'
import type { LandResult, PersonalCommit } from './landing.ts'

export interface PullWish {
  task: string
  /** The branch with the work, and the branch that it is to land on. */
  branch: string
  target: string
  head: string
  title: string
  body: string
}

export interface MergeWish {
  /** Merge exactly this head, or nothing. */
  head: string
  title: string
  message: string
  /** Only as a merge commit: the head merges the story with its base, and both must stay its parents. */
  keepParents: boolean
  /** If Muster lands itself: the target's new commit. */
  landed: string | null
}

export type MergeAnswer =
  | { kind: 'merged'; commit: string }
  /** The pull request has another head than the requested one. */
  | { kind: 'moved' }
  /** It conflicts with the current target at the forge. */
  | { kind: 'conflict' }
  /** Rules of the forge forbid it: which. */
  | { kind: 'blocked'; why: string }

export interface GateStatus {
  /** As in `muster/verify`. */
  context: string
  state: 'pending' | 'success' | 'failure'
  description: string
  /** Where to read more. */
  link: string
}

/** Issues by number, open or not, or all open ones with the label. */
export type IssueWish = { numbers: readonly string[] } | { label: string }

export interface Forge {
  /** For people. */
  readonly name: string
  /** Which forge and repository. A pull request of another place does not belong to it. */
  readonly place: string
  /** `there`: the forge merges in its own repository. `here`: Muster lands in the user's repository and records it. */
  readonly lands: 'here' | 'there'
  /**
   * The pull request of this branch for this task: the existing one in any state, or a new draft. A merged one counts only
   * if it contains this head. Safe to repeat: there is never a second one for the same work.
   */
  ensure(wish: PullWish): Promise<Pull>
  /** Rejects with `not_found` if it no longer exists. */
  read(pull: PullRef): Promise<Pull>
  /** Reviews by people who may decide there, oldest first, with all their comments. */
  reviews(pull: PullRef): Promise<Review[]>
  /** The checks that a merge needs, on this very commit. */
  checks(pull: PullRef, head: string): Promise<ForgeChecks>
  /** Marks a draft as ready for review; does nothing if it is not a draft. */
  markReady(pull: PullRef): Promise<void>
  merge(pull: PullRef, wish: MergeWish): Promise<MergeAnswer>
  /** Shows the state of a gate as a commit status; an unchanged one is not sent again. */
  status(pull: PullRef, commit: string, gate: GateStatus): Promise<void>

  /** Rejects with `config` if the forge has no issues. */
  issues(wish: IssueWish): Promise<Issue[]>

  /**
   * Pushes exactly this commit as the branch. Never overwrites a commit that is not Muster's: that one is fetched and
   * returned as `foreign`. `there`: the branch's name at the forge.
   */
  publish(
    branch: string,
    commit: string,
  ): Promise<{ kind: 'published' } | ({ kind: 'foreign'; there: string } & PersonalCommit)>
  /** The head of the branch there, fetched, if it is not Muster's commit. Null: it is, or there is no branch. */
  foreignHead(branch: string, head: string): Promise<PersonalCommit | null>
  /**
   * Brings the target there and here together: pushes what is only here (`give`), also moves the branch here forward
   * (`follow`), or only checks (`look`). It pushes only Muster's own branches. Returns what prevents it, in words for
   * people, or null.
   */
  meet(target: string, how: 'look' | 'give' | 'follow'): Promise<string | null>
  /** Fetches the target's commit after a merge there, and moves the target in the user's repository to it. */
  follow(target: string, commit: string, of: string): Promise<LandResult & { tree?: string }>

  /** Ends all calls at once, and all later ones, with `busy`. */
  leave(): void
}

/** Git for forges: the only git that uses the network. See src/workspace/remote.ts. */
export type ForgeGit = Pick<Forge, 'publish' | 'foreignHead' | 'meet' | 'follow'>
