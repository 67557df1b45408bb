/** Workspaces: everything that is git. The engine knows branches and commits by name only. */
import type { ForgeGit } from './forge.ts'
import type { LandResult, PersonalCommit } from './landing.ts'

/** What an attempt starts from. */
export interface AttemptBase {
  /** The parents of the attempt's commit: one, or two when the target moved since the last attempt. */
  parents: readonly string[]
  tree: string
  /** Files with conflict markers that the author has to resolve. */
  conflicts: readonly string[]
  /** What submodules start from that both sides changed; the others start from the commit that the tree names. */
  submodules?: readonly { path: string; base: AttemptBase }[]
  /** The target and its head, which the attempt builds on. */
  onto?: { target: string; head: string }
}

/** A checkout in which the project's setup has run; nobody writes to it any more. */
export interface Golden {
  dir: string
  /** What git knows of its files. */
  index: string
  tree: string
  /** What the setup made: paths that the tree does not have. */
  outputs: readonly string[]
  /** Those among them that git would take for work. */
  leaveOut: readonly string[]
}

export interface CheckoutRequest {
  /** Must not exist. */
  dir: string
  base: AttemptBase
  branch: string
  /** A file outside the clone, for what git knows of its files: the snapshot starts from it. */
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
  /** Paths that are no work: what `checkout` said. */
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
  /** The target has it: `commit` is its head, `as` the commit that brought it there, where that is known. */
  | { kind: 'already'; commit: string; as: string | null }
  /** The user took commits out of the target that the snapshot builds on: merging it would bring them back. 0: the snapshot itself is lost. */
  | { kind: 'rewritten'; commits: number }
  /** There is no target: what it waits for, with what to type. */
  | { kind: 'missing'; detail: string }
  /** Each file with the first place where the two sides differ, markers included. */
  | { kind: 'conflict'; files: { path: string; excerpt: string }[] }

export type PushResult =
  /** The remote has it; `changed`: by this push. */
  | { kind: 'pushed'; changed: boolean }
  /** Nothing here has changed. Why, and what to type. */
  | { kind: 'refused'; why: string; next: string }

/** A forge's repository, as git reaches it. */
export interface RemotePlace {
  /** For people: `GitHub`. */
  name: string
  /** Without any secret: it is in the arguments of git, and in its messages. */
  url: string
  /** Asked for each time: null where none is needed. Rejects with `config` when there is none. */
  token(): string | null
  /** What the token must allow, for people. */
  permission: string
  /** Ends every git that is under way there. */
  over: AbortSignal
  /** What a branch is called there. */
  nameOf(branch: string): Promise<string>
}

export interface Workspaces {
  /** Whose name commits have. */
  identity: { name: string; email: string }
  /** Makes the mirror if there is none. Rejects with `git` or `config`. */
  sync(): Promise<void>
  /** Filters that attributes of this commit or the repository name, such as `lfs (.gitattributes)`. Muster runs none. */
  filters(commit: string): Promise<string[]>
  /** The commit of a branch of the user's repository, as it is now; of one that was retired, as it was then. */
  head(branch: string): Promise<string | null>
  /** Makes a branch in the user's repository; one that exists is left as it is. Returns its head. */
  ensureBranch(branch: string, from: string): Promise<string>
  /**
   * Where an attempt starts: the task's last snapshot merged with the target's head, or the head alone. If the user took
   * commits out of the target since, the snapshot's own changes are done again on the new head.
   */
  attemptBase(head: string | null, target: string): Promise<AttemptBase>
  /** A base that is exactly one commit, for those who judge it. */
  at(commit: string): Promise<AttemptBase>
  /** What a setup depends on, by name: trees with the same lock files (and the same of the listed files) share it. */
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
  /** Files of a commit that still hold conflict markers of Muster's own merges. */
  leftoverMarkers(commit: string): Promise<string[]>
  /**
   * The merge of a snapshot into the target's head. Squashed, the snapshot is no parent of its commit; what the snapshot
   * brings of `base` is.
   */
  merge(target: string, head: string, squash: false | { base: string }): Promise<MergeResult>
  /** Whether the snapshot brings commits of the base that its target lacks, as one does that brings both together. */
  brings(target: string, head: string, base: string): Promise<boolean>
  /** Moves the target from `old` to `commit`, or not at all. The user has the submodules' commits before that. */
  land(target: string, old: string, commit: string): Promise<LandResult>
  /**
   * Brings a commit that landed on a branch of the user's to the remote that the user pushes it to, and commits of
   * submodules that it names before that. Safe to repeat. Leaves the branch here as it is, whatever comes of it.
   */
  push(branch: string, commit: string, signal: AbortSignal): Promise<PushResult>
  /** What landing this snapshot on the branch would have to wait for in the user's repository, naming files, or null. */
  obstacle(branch: string, commit: string): Promise<string | null>
  /** Whether the commit is part of the branch's history: how recovery knows that a landing happened. */
  isAncestor(commit: string, branch: string): Promise<boolean>
  /** Of these commits, which Muster made, those that are not part of the branch's history any more. */
  lostFrom(branch: string, commits: readonly string[]): Promise<string[]>
  /** Shows a snapshot to the user as a branch; never takes a commit from it that is not Muster's. Why it could not, or null. */
  publish(branch: string, commit: string): Promise<string | null>
  /** The branches there that Muster made for tasks and stories. */
  ownBranches(): Promise<string[]>
  /** Why such a branch stays although `landed` is on its target, or null if it may go. */
  whyKept(branch: string, landed: string): Promise<string | null>
  /**
   * Takes away a branch of Muster's own that is part of `landed`. It comes back by itself when something is to start from
   * it or land on it. Why it stays, or null.
   */
  retire(branch: string, landed: string): Promise<string | null>
  /** The commit that a person means by a revision of their repository, brought into Muster's; null when there is none. */
  find(revision: string): Promise<PersonalCommit | null>
  /** The head of a shown branch, if a person has put it there on top of Muster's own commit; else null. */
  personalHead(branch: string, own: string): Promise<PersonalCommit | null>
  /** From now on the commit counts as Muster's own: later snapshots may be shown over it, since they contain it. */
  adopt(commit: string): Promise<void>
  /** Whether the commit is kept here. */
  has(commit: string): Promise<boolean>
  /** The paths of a commit's files. */
  files(commit: string): Promise<string[]>
  /** A file of a commit as text; null when it has none there, or one larger than `bytesMax`. */
  read(commit: string, path: string, bytesMax: number): Promise<string | null>
  /** What a link of a commit says where it leads; null when there is no link of that path. */
  link(commit: string, path: string): Promise<string | null>
  /** The paths that differ between two commits. */
  changed(from: string, to: string): Promise<string[]>
  /** The change from one commit to another as a patch; with `stat` a summary. */
  diff(from: string, to: string, options: { stat: boolean; color: boolean }): Promise<string>
  mergeBase(a: string, b: string): Promise<string | null>
  /** The paths in which a workspace differs from its base. `index` is a file to be made for it. */
  changes(dir: string, base: AttemptBase, index: string): Promise<string[]>
  /** The snapshots that are kept, by what they were kept as. */
  snapshots(): Promise<Map<string, string>>
  /**
   * Keeps these snapshots no longer and frees what nothing leads to any more. Only while no workspace exists and none is
   * being made: a clone borrows objects that only it knows the use of.
   */
  forget(keptAs: readonly string[]): Promise<void>
  /** The way to a forge's repository: all that leaves this machine. */
  remote(place: RemotePlace): ForgeGit
  /** Where what a worker wrote into a workspace is to be found from outside. */
  written(dir: string): string
  /** Removes a folder with whatever is in it, read-only folders included; one that is not there is no error. */
  remove(dir: string): Promise<void>
}
