/** A merge without any checkout: the merged tree, and for each conflict the file and both sides of its first clash. */
import type { Mirror } from './mirror.ts'
import { GITLINK } from './refusals.ts'

export interface MergedTree {
  /** Conflicted files are in it with their markers, conflicted submodules as on our side. */
  tree: string
  conflicts: Conflict[]
}

export interface Conflict {
  path: string
  excerpt: string
  /** Of a submodule that both sides changed: the commit on ours and on theirs. */
  commits?: [ours: string, theirs: string]
}

const excerptCharsMax = 1500
const excerptFilesMax = 20

export async function mergeTrees(mirror: Mirror, ours: string, theirs: string): Promise<MergedTree> {
  // What builds directly on our side is the merge; git need not be asked.
  if (mirror.buildsOn(theirs, ours)) return { tree: await mirror.treeOf(theirs), conflicts: [] }
  const args = ['merge-tree', '--write-tree', '--no-messages', '-z', ours, theirs]
  const [tree = '', ...stages] = (await mirror.run(args, { okCodes: [1] })).stdout.split('\0')
  // In a conflict, a line per side: mode, object, which side (1: before both, 2: ours, 3: theirs), path.
  const sides = new Map<string, { ours?: string; theirs?: string }>()
  for (const line of stages) {
    const [, mode = '', object = '', stage = '', path = ''] = /^(\d+) (\w+) ([123])\t([\s\S]+)$/.exec(line) ?? []
    if (path === '') continue
    const of = sides.get(path) ?? {}
    sides.set(path, mode !== GITLINK || stage === '1' ? of : { ...of, [stage === '2' ? 'ours' : 'theirs']: object })
  }
  const conflicts: Conflict[] = []
  for (const [path, of] of sides) {
    if (of.ours !== undefined && of.theirs !== undefined) {
      const excerpt = `both sides changed this submodule: one has it at ${of.ours}, the other at ${of.theirs}`
      conflicts.push({ path, excerpt, commits: [of.ours, of.theirs] })
    } else {
      conflicts.push({ path, excerpt: conflicts.length < excerptFilesMax ? await firstClash(mirror, tree, path) : '' })
    }
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
