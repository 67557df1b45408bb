/** The Workspaces port over the mirror: disposable clones, snapshots of their trees, merges and landings. */
import { MusterError } from '../domain/errors.ts'
import type { MergeResult, Workspaces } from '../ports/workspaces.ts'
import type { LandResult, PersonalCommit } from '../ports/landing.ts'
import { layersOf, writtenIn } from '../process/layers.ts'
import { namedFilters } from './attributes.ts'
import { makeBranch, moveBranch, noteOnto, returnOf, takenOut } from './branches.ts'
import { findObstacle } from './checkout.ts'
import { makeClone } from './clone.ts'
import { changedEntries } from './entries.ts'
import { locksOf, seal } from './golden.ts'
import { pathsIn } from './listing.ts'
import { mergeTrees } from './merge.ts'
import type { Mirror } from './mirror.ts'
import { asText } from './names.ts'
import { pushAll } from './push.ts'
import { remoteGit } from './remote.ts'
import { removeTree } from './remove.ts'
import { headAgain, headOf, ownBranches, requireAgain, retire, whyKept } from './retired.ts'
import { changedPaths, leftoverMarkers, takeSnapshot } from './snapshot.ts'
import { bringsOf, isThere, noteSquash } from './squashed.ts'
import type { StartInside } from './start.ts'
import { startAgain, startAt, startFrom } from './start.ts'
import { Submodules } from './submodules.ts'
import { treesOf } from './trees.ts'

const racesMax = 5

export function mirrorWorkspaces(mirror: Mirror, { layers = true } = {}): Workspaces {
  const submodules = new Submodules(mirror)
  const has = async (commit: string) => (await mirror.has(commit)) && !(await submodules.lacks(commit))
  return {
    identity: mirror.committer,
    sync: () => mirror.ensure(),

    filters: async (commit) => namedFilters(mirror.dir, await mirror.treeOf(commit), mirror.userGitDir),

    head: (branch) => headOf(mirror, branch),

    async ensureBranch(branch, from) {
      await mirror.fetch(from)
      const existing = await mirror.userHead(branch)
      // Left over from a start that was cut short: it holds nothing of its own, so it may follow.
      const behind = existing !== null && existing !== from && (await mirror.isAncestor(existing, from))
      if (existing !== null && !behind) return existing
      const made = existing === null ? makeBranch(mirror, branch, from) : moveBranch(mirror, branch, existing, from)
      if ((await made) === 'ok') return from
      const head = await mirror.userHead(branch)
      if (head !== null) return head
      const [top = ''] = branch.split('/')
      const inTheWay =
        (await mirror.userHead(top)) === null ? 'the repository refuses it' : `the branch "${top}" is in the way`
      throw new MusterError('config', `the branch ${branch} cannot be made: ${inTheWay}`, {
        hint: `git branch -m ${top} <another name>`,
      })
    },

    async attemptBase(head, target) {
      const targetHead = await requireAgain(mirror, target)
      const onto = { target, head: targetHead }
      // What a power cut took is done again from the target.
      if (head === null || !(await has(head))) return { ...(await startAt(mirror, targetHead)), onto }
      // What was squashed onto the target and changed there since is not merged with itself.
      if ((await isThere(mirror, head, targetHead)) !== null) return { ...(await startAt(mirror, targetHead)), onto }
      const gone = await takenOut(mirror, head, target, targetHead)
      const inner: StartInside = (tree, conflict) => submodules.merged(tree, conflict)
      const base =
        gone === null
          ? await startFrom(mirror, head, targetHead, inner)
          : await startAgain(mirror, gone, head, targetHead, inner)
      return { ...base, onto }
    },

    at: (commit) => startAt(mirror, commit),

    locks: (tree, listed) => locksOf(mirror, tree, listed),

    seal: (dir, index, tree) => seal(mirror, dir, index, tree),

    async checkout(request) {
      const made = await makeClone(mirror, request, layers)
      await submodules.fill(request.dir, request.base, request.branch, request.index)
      return made
    },

    async snapshot(request) {
      const taken = await takeSnapshot(mirror, request, (...of) => submodules.take(...of))
      await mirror.keep(`attempt/${request.keepAs}`, taken.commit)
      const { onto } = request.base
      if (onto !== undefined) await noteOnto(mirror, taken.commit, onto.target, onto.head)
      return taken
    },

    async leftoverMarkers(commit) {
      return [...(await leftoverMarkers(mirror, commit)), ...(await submodules.leftoverMarkers(commit))]
    },

    async merge(target, head, squash): Promise<MergeResult> {
      const before = await headOf(mirror, target)
      if (before === null) return { kind: 'missing', detail: await returnOf(mirror, target) }
      if (!(await has(head))) return { kind: 'rewritten', commits: 0 }
      const there = await isThere(mirror, head, before)
      if (there !== null) return { kind: 'already', commit: before, as: there.as }
      const old = (await headAgain(mirror, target)) ?? before
      const gone = await takenOut(mirror, head, target, old)
      if (gone !== null) return { kind: 'rewritten', commits: await mirror.count(`${old}..${gone}`) }
      const merged = await mergeTrees(mirror, old, head)
      if (merged.conflicts.length > 0) return { kind: 'conflict', files: merged.conflicts }
      const kept = squash === false ? [head] : await bringsOf(mirror, head, old, squash.base)
      if (kept.length === 0 && merged.tree === (await mirror.treeOf(old)))
        return { kind: 'already', commit: old, as: null }
      const commit = async (message: string) => {
        const made = await mirror.commitTree(merged.tree, [old, ...kept], message, mirror.committer)
        await mirror.keep(`merge/${made}`, made)
        if (squash !== false) await noteSquash(mirror, head, made)
        return made
      }
      return { kind: 'merged', tree: merged.tree, old, commit }
    },

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
      if (!(await has(commit))) return null
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

    async publish(branch, commit) {
      for (let race = 0; race < racesMax; race++) {
        const head = await mirror.userHead(branch)
        if (head === commit) return null
        if (head !== null && !(await mirror.isOwn(head)) && !(await mirror.isAncestor(head, commit)))
          return `it holds a commit that is not Muster's (git show ${branch}; muster submit takes it as an attempt)`
        await submodules.show(commit, branch)
        const moved = await moveBranch(mirror, branch, head, commit)
        if (moved === 'ok') return null
        // Moved in between: what it moved to decides.
        if (moved !== 'moved') return `it waits for ${moved.detail}`
      }
      return 'others keep moving it'
    },

    ownBranches: () => ownBranches(mirror.userGitDir),

    whyKept: (branch, landed) => whyKept(mirror, branch, landed),

    retire: (branch, landed) => retire(mirror, branch, landed),

    find: (revision) => findCommit(mirror, revision),

    async personalHead(branch, own) {
      const head = await mirror.userHead(branch)
      if (head === null || head === own || (await mirror.isOwn(head)) || !(await mirror.isAncestor(own, head)))
        return null
      return findCommit(mirror, head)
    },

    has,

    adopt: (commit) => mirror.keep(`adopted/${commit}`, commit),

    ...treesOf(mirror.dir),

    async changed(from, to) {
      // Asked by tree, merges that change nothing more are the same question again.
      const entries = await changedEntries(mirror, await mirror.treeOf(from), await mirror.treeOf(to))
      return entries.map(({ path }) => asText(path))
    },

    files: async (commit) => (await pathsIn(mirror.dir, await mirror.treeOf(commit))).map(asText),

    async diff(from, to, { stat, color }) {
      for (const commit of [from, to]) await mirror.fetch(commit)
      const args = [
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        stat ? '--stat=100' : '--patch',
        `--color=${color ? 'always' : 'never'}`,
      ]
      return (await mirror.run([...args, from, to, '--'])).stdout + (await submodules.diff(from, to, args))
    },

    async mergeBase(a, b) {
      const found = await mirror.ask(['merge-base', a, b])
      return found.code === 0 ? found.stdout.trim() : null
    },

    changes: (dir, base, index) => changedPaths(mirror, dir, base, index),

    snapshots: () => mirror.snapshots(),

    forget: (keptAs) => mirror.forget(keptAs),

    remote: (place) => remoteGit(mirror, place),

    written: writtenIn,

    async remove(dir) {
      for (const path of [layersOf(dir), dir]) await removeTree(path)
    },
  }
}

async function findCommit(mirror: Mirror, revision: string): Promise<PersonalCommit | null> {
  const commit = await mirror.resolveUser(revision)
  if (commit === null) return null
  await mirror.fetch(commit)
  return { commit, author: await mirror.line(['show', '-s', '--format=%an', commit]) }
}
