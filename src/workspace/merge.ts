/** Merges without a checkout: the merged tree, and for each conflict the file and both sides of its first clash. */
import type { Mirror } from './mirror.ts'
import { GITLINK } from './refusals.ts'

export interface MergedTree {
  /** Conflicted files are in it with their markers, conflicted submodules as on our side. */
  tree: string
  conflicts: Conflict[]
}

interface Conflict {
  path: string
  excerpt: string
  /** Of a submodule that both sides changed: its commit on ours, on theirs and, if it was there, before both. */
  commits?: { ours: string; theirs: string; before?: string }
}

const excerptCharsMax = 1500
const excerptFilesMax = 20
const SIDES = { '1': 'before', '2': 'ours', '3': 'theirs' } as const

export async function mergeTrees(mirror: Mirror, ours: string, theirs: string): Promise<MergedTree> {
  // What builds directly on our side is the merge; git need not be asked.
  if (mirror.buildsOn(theirs, ours)) return { tree: await mirror.treeOf(theirs), conflicts: [] }
  const args = ['merge-tree', '--write-tree', '--no-messages', '-z', ours, theirs]
  const [tree = '', ...stages] = (await mirror.ask(args)).stdout.split('\0')
  // In a conflict, a line per side: mode, object, which side, path.
  const sides = new Map<string, Partial<Record<'before' | 'ours' | 'theirs', string>>>()
  for (const line of stages) {
    const [, mode = '', object = '', stage = '', path = ''] = /^(\d+) (\w+) ([123])\t([\s\S]+)$/.exec(line) ?? []
    if (path === '') continue
    const of = sides.get(path) ?? {}
    sides.set(path, mode === GITLINK ? { ...of, [SIDES[stage as keyof typeof SIDES]]: object } : of)
  }
  const conflicts: Conflict[] = []
  for (const [path, { ours: our, theirs: their, ...rest }] of sides) {
    if (our !== undefined && their !== undefined) {
      const excerpt = `both sides changed this submodule: one has it at ${our}, the other at ${their}`
      conflicts.push({ path, excerpt, commits: { ours: our, theirs: their, ...rest } })
    } else {
      conflicts.push({ path, excerpt: conflicts.length < excerptFilesMax ? await firstClash(mirror, tree, path) : '' })
    }
  }
  return { tree, conflicts }
}

/** What was done between `base` and `ours`, done again on `theirs`, whatever their histories have in common. */
export async function redoOn(mirror: Mirror, base: string, ours: string, theirs: string): Promise<MergedTree> {
  const stand = async (commit: string, parents: string[]) =>
    mirror.commitTree(await mirror.treeOf(commit), parents, 'For a merge\n', mirror.committer)
  const root = await stand(base, [])
  return mergeTrees(mirror, await stand(ours, [root]), await stand(theirs, [root]))
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
