/** Workspaces: everything that is git. The engine knows branches and commits by name only. */
import type { ForgeGit } from './forge.ts'
import type { LandResult, PersonalCommit } from './landing.ts'

/** What an attempt starts from. */
export interface AttemptBase {
  /** The parents of the attempt's commit: one, or two when the target moved since the last attempt. */
  parents: readonly string[]
  tree: string
  /** Files with conflict markers that the author must resolve. */
  conflicts: readonly string[]
  /** The bases of submodules that both sides changed; others start from the commit that the tree names. */
  submodules?: readonly { path: string; base: AttemptBase }[]
  /** The target and its head, which the attempt builds on. */
  onto?: { target: string; head: string }
}

/** A checkout in which the project's setup has run; nobody writes to it. */
export interface Golden {
  dir: string
  /** Git's index of its files. */
  index: string
  tree: string
  /** Paths that the setup made and that are not in the tree. */
  outputs: readonly string[]
  /** Those of them that git would treat as work. */
  leaveOut: readonly string[]
}

export interface CheckoutRequest {
  /** Must not exist. */
  dir: string
  base: AttemptBase
  branch: string
  /** A file outside of the clone for git's index, from which the snapshot starts. */
  index: string
  golden: Golden | null
  /** Untracked files of the user's that the workspace needs. */
  copy: { root: string; paths: readonly string[] }
}

export interface SnapshotRequest {
  dir: string
  base: AttemptBase
  /** The file that `checkout` kept for it. */
  index: string
  /** Paths that are not work, as `checkout` returned them. */
  leaveOut: readonly string[]
  keepAs: string
  message: string
  /** The role that did the work. */
  author: string
}

export interface Snapshot {
  commit: string
  refused: Refused[]
}

/** A path that was left out of a snapshot. */
export interface Refused {
  path: string
  why: string
}

export type MergeResult =
  /** `commit` makes a commit of it, which no branch points to yet. */
  | { kind: 'merged'; tree: string; old: string; commit(message: string): Promise<string> }
  /** The target already has it: `commit` is its head, `as` the commit that brought it there, if known. */
  | { kind: 'already'; commit: string; as: string | null }
  /** The user removed commits from the target that the snapshot builds on, and merging would restore them. 0: the snapshot itself is lost. */
  | { kind: 'rewritten'; commits: number }
  /** The target is missing: `detail` says so, with the command to type. */
  | { kind: 'missing'; detail: string }
  /** Each file with the first place where the two sides differ, markers included. */
  | { kind: 'conflict'; files: { path: string; excerpt: string }[] }

export type PushResult =
  /** The remote has it; `changed`: by this push. */
  | { kind: 'pushed'; changed: boolean }
  /** Nothing has changed here. Why, and the command to type. */
  | { kind: 'refused'; why: string; next: string }

/** A forge's repository, for git. */
export interface RemotePlace {
  /** For people: `GitHub`. */
  name: string
  /** Contains no secret, because it is in git's arguments and messages. */
  url: string
  /** Called each time. Null: no token is needed. Rejects with `config` if a needed one is missing. */
  token(): string | null
  /** What the token must allow, for people. */
  permission: string
  /** Ends every running git call there. */
  over: AbortSignal
  /** The name of a branch there. */
  nameOf(branch: string): Promise<string>
}

export interface Workspaces {
  /** The author of Muster's commits. */
  identity: { name: string; email: string }
  /** Makes the mirror if there is none. Rejects with `git` or `config`. */
  sync(): Promise<void>
  /** Filters that attributes of this commit or the repository name, such as `lfs (.gitattributes)`. Muster runs none. */
  filters(commit: string): Promise<string[]>
  /** The current head of a branch in the user's repository; of a retired branch, its last head. */
  head(branch: string): Promise<string | null>
  /** Makes a branch in the user's repository; one that exists is left as it is. Returns its head. */
  ensureBranch(branch: string, from: string): Promise<string>
  /**
   * Where an attempt starts: the task's last snapshot merged with the target's head, or the head alone. If the user took
   * commits out of the target since, the snapshot's own changes are done again on the new head.
   */
  attemptBase(head: string | null, target: string): Promise<AttemptBase>
  /** A base that is exactly one commit, for judges. */
  at(commit: string): Promise<AttemptBase>
  /** The key of a setup: trees with the same lock files (and the same listed files) share it. */
  locks(tree: string, listed: readonly string[]): Promise<string>
  /** Makes a checkout in which the setup has run a golden copy; `index` is the file that `checkout` kept. */
  seal(dir: string, index: string, tree: string): Promise<Golden>
  /**
   * A clean clone at `base`, its submodules too; over or with a golden copy if there is one. What git knows of its files
   * is kept in the file `index` and in others beside it. Says which of its files are no work.
   */
  checkout(request: CheckoutRequest): Promise<{ leaveOut: string[] }>
  /**
   * The tree of the workspace as a commit, kept under `refs/muster/attempt/<keepAs>`; the parent itself when nothing
   * changed and there is one parent. What must not reach a branch is left out and named. Messages of the author's own
   * commits are added to `message`.
   */
  snapshot(request: SnapshotRequest): Promise<Snapshot>
  /** Files of a commit that still have conflict markers of Muster's merges. */
  leftoverMarkers(commit: string): Promise<string[]>
  /**
   * The merge of a snapshot into the target's head. Squashed, the snapshot is no parent of its commit; what the snapshot
   * brings of `base` is.
   */
  merge(target: string, head: string, squash: false | { base: string }): Promise<MergeResult>
  /** Whether the snapshot contains commits of the base that its target lacks, as a sync task's does. */
  brings(target: string, head: string, base: string): Promise<boolean>
  /** Moves the target from `old` to `commit`, or not at all. The user has the submodules' commits before that. */
  land(target: string, old: string, commit: string): Promise<LandResult>
  /**
   * Brings a commit that landed on a branch of the user's to the remote that the user pushes it to, and commits of
   * submodules that it names before that. Safe to repeat. Leaves the branch here as it is, whatever comes of it.
   */
  push(branch: string, commit: string, signal: AbortSignal): Promise<PushResult>
  /** What in the user's repository prevents landing this snapshot on the branch, with file names, or null. */
  obstacle(branch: string, commit: string): Promise<string | null>
  /** Whether the commit is part of the branch's history: how recovery knows that a landing happened. */
  isAncestor(commit: string, branch: string): Promise<boolean>
  /** Those of Muster's commits that are no longer in the branch's history. */
  lostFrom(branch: string, commits: readonly string[]): Promise<string[]>
  /** Publishes a snapshot as a branch; never overwrites a commit that is not Muster's. Returns why it could not, or null. */
  publish(branch: string, commit: string): Promise<string | null>
  /** Muster's branches for tasks and stories in the user's repository. */
  ownBranches(): Promise<string[]>
  /** Why such a branch must stay although `landed` is on its target, or null if it can be removed. */
  whyKept(branch: string, landed: string): Promise<string | null>
  /**
   * Takes away a branch of Muster's own that is part of `landed`. It comes back by itself when something is to start from
   * it or land on it. Why it stays, or null.
   */
  retire(branch: string, landed: string): Promise<string | null>
  /** The commit of a revision in the user's repository, fetched into the mirror; null if there is none. */
  find(revision: string): Promise<PersonalCommit | null>
  /** The head of a published branch, if a person committed it on top of Muster's commit; otherwise null. */
  personalHead(branch: string, own: string): Promise<PersonalCommit | null>
  /** Makes the commit count as Muster's own: later snapshots contain it, so they may be published over it. */
  adopt(commit: string): Promise<void>
  /** Whether the mirror has the commit. */
  has(commit: string): Promise<boolean>
  /** The paths of a commit's files. */
  files(commit: string): Promise<string[]>
  /** A file of a commit as text; null if there is none, or it is larger than `bytesMax`. */
  read(commit: string, path: string, bytesMax: number): Promise<string | null>
  /** The target of a symbolic link in a commit; null if that path is not a link. */
  link(commit: string, path: string): Promise<string | null>
  /** The paths that differ between two commits. */
  changed(from: string, to: string): Promise<string[]>
  /** The change from one commit to another as a patch; with `stat` a summary. */
  diff(from: string, to: string, options: { stat: boolean; color: boolean }): Promise<string>
  mergeBase(a: string, b: string): Promise<string | null>
  /** The paths in which a workspace differs from its base. `index` is a file to be made for it. */
  changes(dir: string, base: AttemptBase, index: string): Promise<string[]>
  /** The stored snapshots, by the name under which they are stored. */
  snapshots(): Promise<Map<string, string>>
  /**
   * Drops these snapshots and frees unreachable objects. Only while no workspace exists and none is being made: a clone
   * borrows objects that nothing else refers to.
   */
  forget(keptAs: readonly string[]): Promise<void>
  /** Git for a forge's repository: the only git that uses the network. */
  remote(place: RemotePlace): ForgeGit
  /** Where to find, from outside, what a worker wrote into a workspace. */
  written(dir: string): string
  /** Removes a folder with all its contents, read-only folders included; a missing one is no error. */
  remove(dir: string): Promise<void>
}
