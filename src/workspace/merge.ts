/** A merge without any checkout: the merged tree, and for each conflict the file and both sides of its first clash. */
import type { Mirror } from './mirror.ts'

export interface MergedTree {
  /** Conflicted files are in it with their markers. */
  tree: string
  conflicts: { path: string; excerpt: string }[]
}

const excerptCharsMax = 1500
const excerptFilesMax = 20

export async function mergeTrees(mirror: Mirror, ours: string, theirs: string): Promise<MergedTree> {
  // What builds directly on our side is the merge; git need not be asked.
  if (mirror.buildsOn(theirs, ours)) return { tree: await mirror.treeOf(theirs), conflicts: [] }
  const result = await mirror.run(['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs], {
    okCodes: [1],
  })
  const [tree = '', ...paths] = result.stdout.split('\0').filter((part) => part !== '')
  if (result.code === 0) return { tree, conflicts: [] }
  const conflicts: MergedTree['conflicts'] = []
  for (const [index, path] of [...new Set(paths)].entries()) {
    conflicts.push({ path, excerpt: index < excerptFilesMax ? await firstClash(mirror, tree, path) : '' })
  }
  return { tree, conflicts }
}

async function firstClash(mirror: Mirror, tree: string, path: string): Promise<string> {
  const blob = await mirror.run(['cat-file', 'blob', `${tree}:${path}`], { okCodes: [128] })
  const clash = /^<{7} [\s\S]*?^>{7} [^\n]*/m.exec(blob.stdout)?.[0]
  if (clash === undefined)
    return blob.code === 0
      ? 'changed on both sides in ways that do not merge'
      : 'deleted on one side, changed on the other'
  return clash.length > excerptCharsMax ? `${clash.slice(0, excerptCharsMax)}\n…` : clash
}
