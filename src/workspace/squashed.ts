/**
 * One commit for a snapshot: what it keeps of the snapshot's history, and how Muster finds the snapshot in a branch.
 */
import type { Mirror } from './mirror.ts'

/** Notes down that the target gets the snapshot as this commit. */
export function noteSquash(mirror: Mirror, snapshot: string, commit: string): Promise<void> {
  return mirror.note(`squashed/${snapshot}/${commit}`, commit)
}

/** Whether the target has the snapshot, as it is or squashed; `as`: the commit that brought it there, where that is known. */
export async function isThere(
  mirror: Mirror,
  snapshot: string,
  targetHead: string,
): Promise<{ as: string | null } | null> {
  if (await mirror.isAncestor(snapshot, targetHead)) return { as: await broughtBy(mirror, snapshot, targetHead) }
  for (const commit of await mirror.notedIn(`squashed/${snapshot}`)) {
    if (await mirror.isAncestor(commit, targetHead)) return { as: commit }
  }
  return null
}

/** The step of the branch itself that merged the snapshot; null if it is such a step, as what a person put there may be. */
async function broughtBy(mirror: Mirror, snapshot: string, targetHead: string): Promise<string | null> {
  const way = ['rev-list', '--first-parent', '--ancestry-path', '--reverse', `${snapshot}..${targetHead}`]
  const [step = ''] = (await mirror.line(way)).split('\n')
  const parents = step === '' ? [] : (await mirror.line(['show', '-s', '--format=%P', step])).split(' ')
  return parents.indexOf(snapshot) > 0 ? step : null
}

/**
 * The commits of the base that a snapshot has and its target lacks, the newest of each line. One commit without them as
 * parents would have their changes and not their history, and would conflict with the base for ever.
 */
export async function bringsOf(mirror: Mirror, snapshot: string, targetHead: string, base: string): Promise<string[]> {
  const head = await mirror.userHead(base)
  if (head === null || head === targetHead) return []
  const shared = await mirror.ask(['merge-base', '--all', snapshot, head])
  const brings: string[] = []
  for (const commit of shared.stdout.split('\n').filter(Boolean)) {
    if (!(await mirror.isAncestor(commit, targetHead))) brings.push(commit)
  }
  return brings
}
