/** Where an attempt starts: at one commit, or from two sides merged, in submodules as in the files around them. */
import type { AttemptBase } from '../ports/workspaces.ts'
import { mergeTrees } from './merge.ts'
import type { Mirror } from './mirror.ts'

/** A submodule that both sides of a merge changed. */
export interface SubmoduleConflict {
  path: string
  ours: string
  theirs: string
}

/** A base that is exactly one commit. */
export async function startAt(mirror: Mirror, commit: string): Promise<AttemptBase> {
  return { parents: [commit], tree: await mirror.treeOf(commit), conflicts: [] }
}

/** The base that has all of both commits; `inner` says where each submodule starts that both changed. */
export async function startFrom(
  mirror: Mirror,
  head: string,
  target: string,
  inner: (tree: string, conflict: SubmoduleConflict) => Promise<AttemptBase>,
): Promise<AttemptBase> {
  if (await mirror.isAncestor(head, target)) return startAt(mirror, target)
  if (await mirror.isAncestor(target, head)) return startAt(mirror, head)
  const { tree, conflicts } = await mergeTrees(mirror, head, target)
  const files: string[] = []
  const submodules: { path: string; base: AttemptBase }[] = []
  for (const { path, commits } of conflicts) {
    if (commits === undefined) files.push(path)
    else {
      const base = await inner(tree, { path, ours: commits[0], theirs: commits[1] })
      submodules.push({ path, base })
      files.push(...base.conflicts.map((file) => `${path}/${file}`))
    }
  }
  return { parents: [head, target], tree, conflicts: files, ...(submodules.length > 0 && { submodules }) }
}
