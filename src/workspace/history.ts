/** What the commits that Muster keeps hold, and how they differ. */
import type { Workspaces } from '../ports/workspaces.ts'
import { changedEntries } from './entries.ts'
import { pathsIn } from './listing.ts'
import type { Mirror } from './mirror.ts'
import { asText } from './names.ts'
import type { Submodules } from './submodules.ts'
import { treesOf } from './trees.ts'

export function historyIn(mirror: Mirror, submodules: Submodules) {
  const { read, link } = treesOf(mirror.dir)
  return {
    has: (commit) => submodules.holds(commit),

    read,

    link,

    files: async (commit) => (await pathsIn(mirror.dir, await mirror.treeOf(commit))).map(asText),

    async changed(from, to) {
      // Asked by tree, merges that change nothing more are the same question again.
      const entries = await changedEntries(mirror, await mirror.treeOf(from), await mirror.treeOf(to))
      return entries.map(({ path }) => asText(path))
    },

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
  } satisfies Partial<Workspaces>
}
