/**
 * A disposable clone for one run: a git directory of its own that borrows the mirror's objects, and the files of its base.
 * It is put together by hand, because `git init` and `clone` cost more processes than all the rest of a start.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AttemptBase } from '../ports/workspaces.ts'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n'

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
    writeFile(join(gitDir, 'config'), CONFIG),
    writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirror.dir, 'objects')}\n`),
    writeFile(branchFile, `${base.parents[0]}\n`),
  ])
  await git(['read-tree', '--reset', '-u', base.tree], { gitDir, workTree: dir })
  // Taken before any agent comes near: the snapshot starts from it and looks only at files that changed since.
  await copyFile(join(gitDir, 'index'), index)
}
