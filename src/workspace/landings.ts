/** The way of a snapshot to its target: the merge, what it waits for, the landing, and what became of it since. */
import type { LandResult } from '../ports/landing.ts'
import type { MergeResult, Workspaces } from '../ports/workspaces.ts'
import { moveBranch, returnOf, takenOut } from './branches.ts'
import { findObstacle } from './checkout.ts'
import { mergeTrees } from './merge.ts'
import type { Mirror } from './mirror.ts'
import { pushAll } from './push.ts'
import { headAgain, headOf } from './retired.ts'
import { bringsOf, isThere, noteSquash } from './squashed.ts'
import type { Submodules } from './submodules.ts'

export function landingsIn(mirror: Mirror, submodules: Submodules) {
  return {
    merge: (target, head, squash) => merge(mirror, submodules, target, head, squash),

    async brings(target, head, base) {
      const old = await mirror.userHead(target)
      return old !== null && (await bringsOf(mirror, head, old, base)).length > 0
    },

    async land(target, old, commit): Promise<LandResult> {
      await submodules.show(commit, target)
      const moved = await moveBranch(mirror, target, old, commit)
      if (moved === 'ok') return { kind: 'landed' }
      if (moved === 'moved') return { kind: 'moved', head: await mirror.userHead(target) }
      return { kind: 'blocked', ...moved }
    },

    async push(branch, commit, signal) {
      const inner = await submodules.outgoing(commit, branch)
      return pushAll([...inner, { gitDir: mirror.userGitDir, path: '', branch, commit }], signal)
    },

    async obstacle(branch, commit) {
      const head = await headOf(mirror, branch)
      if (head === null) return returnOf(mirror, branch)
      if (!(await submodules.holds(commit))) return null
      const { tree, conflicts } = await mergeTrees(mirror, head, commit)
      // A conflict goes back to the author, whatever the checkout looks like.
      return conflicts.length > 0 ? null : ((await findObstacle(mirror, branch, head, tree))?.detail ?? null)
    },

    async isAncestor(commit, branch) {
      const head = await headOf(mirror, branch)
      return head !== null && (await mirror.has(commit)) && mirror.isAncestor(commit, head)
    },

    async lostFrom(branch, commits) {
      const head = await headOf(mirror, branch)
      if (head === null || commits.length === 0) return [...commits]
      const stdin = [`^${head}`, ...commits].map((name) => `${name}\n`).join('')
      const beyond = await mirror.line(['rev-list', '--ignore-missing', '--stdin'], { stdin })
      const lost = new Set(beyond.split('\n'))
      return commits.filter((commit) => lost.has(commit))
    },
  } satisfies Partial<Workspaces>
}

async function merge(
  mirror: Mirror,
  submodules: Submodules,
  target: string,
  head: string,
  squash: false | { base: string },
): Promise<MergeResult> {
  const before = await headOf(mirror, target)
  if (before === null) return { kind: 'missing', detail: await returnOf(mirror, target) }
  if (!(await submodules.holds(head))) return { kind: 'rewritten', commits: 0 }
  const there = await isThere(mirror, head, before)
  if (there !== null) return { kind: 'already', commit: before, as: there.as }
  const old = (await headAgain(mirror, target)) ?? before
  const gone = await takenOut(mirror, head, target, old)
  if (gone !== null) return { kind: 'rewritten', commits: await mirror.count(`${old}..${gone}`) }
  const merged = await mergeTrees(mirror, old, head)
  if (merged.conflicts.length > 0) return { kind: 'conflict', files: merged.conflicts }
  const kept = squash === false ? [head] : await bringsOf(mirror, head, old, squash.base)
  if (kept.length === 0 && merged.tree === (await mirror.treeOf(old))) return { kind: 'already', commit: old, as: null }
  const commit = async (message: string) => {
    const made = await mirror.commitTree(merged.tree, [old, ...kept], message, mirror.committer)
    await mirror.keep(`merge/${made}`, made)
    if (squash !== false) await noteSquash(mirror, head, made)
    return made
  }
  return { kind: 'merged', tree: merged.tree, old, commit }
}
