/** Where an attempt starts: at one commit, or from two merged sides, both for files and for submodules. */
import type { AttemptBase } from '../ports/workspaces.ts'
import type { MergedTree } from './merge.ts'
import { mergeTrees, redoOn } from './merge.ts'
import type { Mirror } from './mirror.ts'

/** A submodule that both sides of a merge changed. */
export interface SubmoduleConflict {
  path: string
  ours: string
  theirs: string
  /** Where it was before both, if what our side did since is only to be done again on theirs. */
  gone?: string
}

/** Says where a submodule of the merged tree starts that both sides changed. */
export type StartInside = (tree: string, conflict: SubmoduleConflict) => Promise<AttemptBase>

/** A base that is exactly one commit. */
export async function startAt(mirror: Mirror, commit: string): Promise<AttemptBase> {
  return { parents: [commit], tree: await mirror.treeOf(commit), conflicts: [] }
}

/** The base that has all of both commits. */
export async function startFrom(
  mirror: Mirror,
  head: string,
  target: string,
  inner: StartInside,
): Promise<AttemptBase> {
  if (await mirror.isAncestor(head, target)) return startAt(mirror, target)
  if (await mirror.isAncestor(target, head)) return startAt(mirror, head)
  return startIn(await mergeTrees(mirror, head, target), [head, target], inner)
}

/** The base that has all of the target and, of the other commit, what was done since `gone`. */
export async function startAgain(
  mirror: Mirror,
  gone: string,
  head: string,
  target: string,
  inner: StartInside,
): Promise<AttemptBase> {
  return startIn(await redoOn(mirror, gone, head, target), [target], inner, true)
}

async function startIn(
  { tree, conflicts }: MergedTree,
  parents: readonly string[],
  inner: StartInside,
  again = false,
): Promise<AttemptBase> {
  const files: string[] = []
  const submodules: { path: string; base: AttemptBase }[] = []
  for (const { path, commits } of conflicts) {
    if (commits === undefined) files.push(path)
    else {
      const { before, ours, theirs } = commits
      const base = await inner(tree, { path, ours, theirs, ...(again && before !== undefined && { gone: before }) })
      submodules.push({ path, base })
      files.push(...base.conflicts.map((file) => `${path}/${file}`))
    }
  }
  return { parents, tree, conflicts: files, ...(submodules.length > 0 && { submodules }) }
}
