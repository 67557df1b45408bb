/** The Workspaces port over the mirror: disposable clones, snapshots of their trees, merges and landings. */
import type { Workspaces } from '../ports/workspaces.ts'
import { layersOf, writtenIn } from '../process/layers.ts'
import { attemptsIn } from './attempts.ts'
import { namedFilters } from './attributes.ts'
import { historyIn } from './history.ts'
import { landingsIn } from './landings.ts'
import type { Mirror } from './mirror.ts'
import { remoteGit } from './remote.ts'
import { removeTree } from './remove.ts'
import { userBranchesIn } from './user-branches.ts'
import { Submodules } from './submodules.ts'

export function mirrorWorkspaces(mirror: Mirror, { layers = true } = {}): Workspaces {
  const submodules = new Submodules(mirror)
  return {
    identity: mirror.committer,
    sync: () => mirror.ensure(),

    filters: async (commit) => namedFilters(mirror.dir, await mirror.treeOf(commit), mirror.userGitDir),

    ...attemptsIn(mirror, submodules, layers),
    ...landingsIn(mirror, submodules),
    ...userBranchesIn(mirror, submodules),
    ...historyIn(mirror, submodules),

    snapshots: () => mirror.snapshots(),

    forget: (keptAs) => mirror.forget(keptAs),

    remote: (place) => remoteGit(mirror, place),

    written: writtenIn,

    async remove(dir) {
      for (const path of [layersOf(dir), dir]) await removeTree(path)
    },
  }
}
