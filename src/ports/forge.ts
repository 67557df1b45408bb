/**
 * Forges: where pull requests are made, reviewed and merged. One folder of src/forge/ for each; what they do alike is in
 * src/forge/conformance.ts. Nothing here is remembered by whoever asks: every answer is how things stand now.
 *
 * Every function may reject with `busy` (the forge asks to wait, or does not answer: worth another try by itself),
 * `not_allowed` or `not_found` (the token, what it may do, what it may see: a person has to look), `config`, or `git`.
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
  /** Merged as it is, or not at all. */
  head: string
  title: string
  message: string
  /** Only as a merge commit: the head brings the story together with its base, and both stay its parents. */
  keepParents: boolean
  /** Where Muster lands itself: what it made of the target. */
  landed: string | null
}

export type MergeAnswer =
  | { kind: 'merged'; commit: string }
  /** The pull request has another head than the one that was to be merged. */
  | { kind: 'moved' }
  /** It does not merge with what its target is there now. */
  | { kind: 'conflict' }
  /** Rules of the forge are in the way: which. */
  | { kind: 'blocked'; why: string }

export interface GateStatus {
  /** As in `muster/verify`. */
  context: string
  state: 'pending' | 'success' | 'failure'
  description: string
  /** Where to read more. */
  link: string
}

/** By their numbers, whatever became of them, or all open ones with the label. */
export type IssueWish = { numbers: readonly string[] } | { label: string }

export interface Forge {
  /** For people. */
  readonly name: string
  /** Which forge, and what there: a pull request of another place is none of its own. */
  readonly place: string
  /** `there`: a repository of its own, in which it merges. `here`: Muster lands in the user's, and the record follows. */
  readonly lands: 'here' | 'there'
  /**
   * The pull request of this branch for this task: the one that there is, whatever became of it, or a new draft. One that
   * was merged is taken for another only if it holds this head. Safe to repeat: there is never a second one for the same work.
   */
  ensure(wish: PullWish): Promise<Pull>
  /** Rejects with `not_found` when there is none any more. */
  read(pull: PullRef): Promise<Pull>
  /** Those of people who may decide here, oldest first, with all their comments. */
  reviews(pull: PullRef): Promise<Review[]>
  /** The checks that a merge needs, on this very commit. */
  checks(pull: PullRef, head: string): Promise<ForgeChecks>
  /** Makes a draft a pull request to be merged; one that is none any more is left as it is. */
  markReady(pull: PullRef): Promise<void>
  merge(pull: PullRef, wish: MergeWish): Promise<MergeAnswer>
  /** Shows how a gate stands beside the commit; what stands there already is not written again. */
  status(pull: PullRef, commit: string, gate: GateStatus): Promise<void>

  /** Rejects with `config` where nobody can write any. */
  issues(wish: IssueWish): Promise<Issue[]>

  /**
   * Gives the forge exactly this commit as the branch. Never takes a commit from there that is not Muster's: then it is
   * `foreign`, and here. `there`: what the branch is called.
   */
  publish(
    branch: string,
    commit: string,
  ): Promise<{ kind: 'published' } | ({ kind: 'foreign'; there: string } & PersonalCommit)>
  /** The head of the branch there, if it is not a commit of Muster's; brought here. Null if it is, or there is none. */
  foreignHead(branch: string, head: string): Promise<PersonalCommit | null>
  /**
   * Sees to it that the forge's target has all that the one here has (`give`), and the other way round as well (`follow`),
   * or moves nothing yet (`look`). Takes nothing from anybody: only branches of Muster's own are pushed. What it waits
   * for, for people, or null.
   */
  meet(target: string, how: 'look' | 'give' | 'follow'): Promise<string | null>
  /** Brings what the forge made of the target here, and moves the target in the user's repository to it. */
  follow(target: string, commit: string, of: string): Promise<LandResult & { tree?: string }>

  /** Nobody waits any more: whatever is asked ends at once as `busy`, and so does all that is asked from now on. */
  leave(): void
}

/** The git of a forge, as far as forges need it: the one door that leads out of this machine. See src/workspace/remote.ts. */
export type ForgeGit = Pick<Forge, 'publish' | 'foreignHead' | 'meet' | 'follow'>
