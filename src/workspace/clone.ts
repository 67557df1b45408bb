/**
 * A disposable clone for one run: a git directory of its own that borrows the mirror's objects, and the files of its base.
 * It is put together by hand, because `git init` and `clone` cost more processes than all the rest of a start.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AttemptBase } from '../ports/workspaces.ts'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'

/** What `git init` would have written, for either kind of object name. */
function configText(commit: string): string {
  const sha256 = commit.length === 64
  const core = { repositoryformatversion: sha256 ? 1 : 0, filemode: true, bare: false, logallrefupdates: true }
  const lines = Object.entries(core).map(([key, value]) => `\t${key} = ${value}\n`)
  return `[core]\n${lines.join('')}${sha256 ? '[extensions]\n\tobjectformat = sha256\n' : ''}`
}

export async function makeClone(
  mirror: Mirror,
  dir: string,
  base: AttemptBase,
  branch: string,
  index: string,
): Promise<void> {
  const gitDir = join(dir, '.git')
  const branchFile = join(gitDir, 'refs/heads', branch)
  await mkdir(join(gitDir, 'objects/info'), { recursive: true })
  await mkdir(dirname(branchFile), { recursive: true })
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`),
    writeFile(join(gitDir, 'config'), configText(base.parents[0] ?? '')),
    writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirror.dir, 'objects')}\n`),
    writeFile(branchFile, `${base.parents[0]}\n`),
  ])
  await git(['read-tree', '--reset', '-u', base.tree], { gitDir, workTree: dir })
  // Taken before any agent comes near: the snapshot starts from it and looks only at files that changed since.
  await copyFile(join(gitDir, 'index'), index)
}
