/** An attempt in its workspace: where it starts, its checkout, and the snapshot of what it left. */
import type { Workspaces } from '../ports/workspaces.ts'
import { noteOnto, takenOut } from './branches.ts'
import { makeClone } from './clone.ts'
import { locksOf, seal } from './golden.ts'
import type { Mirror } from './mirror.ts'
import { requireAgain } from './retired.ts'
import { changedPaths, leftoverMarkers, takeSnapshot } from './snapshot.ts'
import { isThere } from './squashed.ts'
import type { StartInside } from './start.ts'
import { startAgain, startAt, startFrom } from './start.ts'
import type { Submodules } from './submodules.ts'

/** `layers`: a workspace may lie over a golden copy instead of holding a copy of it. */
export function attemptsIn(mirror: Mirror, submodules: Submodules, layers: boolean) {
  return {
    async attemptBase(head, target) {
      const targetHead = await requireAgain(mirror, target)
      const onto = { target, head: targetHead }
      // What a power cut took is done again from the target.
      if (head === null || !(await submodules.holds(head))) return { ...(await startAt(mirror, targetHead)), onto }
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

    changes: (dir, base, index) => changedPaths(mirror, dir, base, index),
  } satisfies Partial<Workspaces>
}
