/**
 * A disposable clone for one run: its own git directory, which borrows the mirror's objects, and the files of its base.
 * It is assembled by hand, because `git init` and `clone` start more processes than all other steps together.
 */
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { AttemptBase, CheckoutRequest } from '../ports/workspaces.ts'
import { canLayer, makeLayers, upperOf } from '../process/layers.ts'
import { git } from './git.ts'
import { gitlinksOf } from './gitmodules.ts'
import { copyOutputs } from './golden.ts'
import { ignorePatterns } from './ignore.ts'
import type { Mirror } from './mirror.ts'

/** What `git init` would have written, for either kind of object name. */
function configText(commit: string): string {
  const sha256 = commit.length === 64
  const core = { repositoryformatversion: sha256 ? 1 : 0, filemode: true, bare: false, logallrefupdates: true }
  const lines = Object.entries(core).map(([key, value]) => `\t${key} = ${value}\n`)
  return `[core]\n${lines.join('')}${sha256 ? '[extensions]\n\tobjectformat = sha256\n' : ''}`
}

/** `layers`: whoever works there can see a folder in layers. */
export async function makeClone(
  mirror: Mirror,
  request: CheckoutRequest,
  layers = true,
): Promise<{ leaveOut: string[] }> {
  const { dir, base, golden, index } = request
  // Submodules are filled in and taken from out here, where layers are not to be seen.
  const plain = golden === null || (await gitlinksOf(mirror.dir, base.tree)).all.length > 0
  const layered = layers && !plain && (await canLayer(dirname(dir)))
  if (layered) await makeLayers(dir, golden.dir)
  // Where files have to be written from out here to be seen in there.
  const files = layered ? upperOf(dir) : dir
  const copied = await untracked(mirror, base.tree, request.copy.paths)
  const leaveOut = [...(await untracked(mirror, base.tree, golden?.leaveOut ?? [])), ...copied]
  await writeGitDirectory(mirror, join(files, '.git'), request, leaveOut)
  if (golden !== null && !layered) await copyOutputs(golden, dir)
  await copyFiles(request.copy.root, copied, files)
  const gitDir = join(dir, '.git')
  if (!layered) await git(['read-tree', '--reset', '-u', base.tree], { gitDir, workTree: dir })
  else {
    await copyFile(golden.index, join(files, '.git', 'index'))
    // From one tree to the other only what differs is looked at.
    if (golden.tree !== base.tree)
      await git(['read-tree', '--reset', '-u', golden.tree, base.tree], { gitDir, workTree: dir, layered })
  }
  // Taken before any agent comes near: the snapshot starts from it and looks only at files that changed since.
  await copyFile(join(files, '.git', 'index'), index)
  return { leaveOut }
}

async function writeGitDirectory(
  mirror: Mirror,
  gitDir: string,
  { base, branch }: { base: AttemptBase; branch: string },
  exclude: readonly string[],
): Promise<void> {
  const branchFile = join(gitDir, 'refs/heads', branch)
  for (const folder of [join(gitDir, 'objects/info'), join(gitDir, 'info'), dirname(branchFile)]) {
    await mkdir(folder, { recursive: true })
  }
  await Promise.all([
    writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`),
    writeFile(join(gitDir, 'config'), configText(base.parents[0] ?? '')),
    writeFile(join(gitDir, 'objects/info/alternates'), `${join(mirror.dir, 'objects')}\n`),
    writeFile(branchFile, `${base.parents[0]}\n`),
    writeFile(join(gitDir, 'info/exclude'), ignorePatterns(exclude)),
  ])
  // Where the history ends that the user has.
  const shallow = join(mirror.dir, 'shallow')
  if (existsSync(shallow)) await copyFile(shallow, join(gitDir, 'shallow'))
}

/** The paths that the tree does not have: a file that is tracked comes with the tree. */
async function untracked(mirror: Mirror, tree: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const listed = await mirror.run(['--literal-pathspecs', 'ls-tree', '-z', '--name-only', tree, ...paths])
  const tracked = new Set(listed.stdout.split('\0'))
  return paths.filter((path) => !tracked.has(path))
}

async function copyFiles(root: string, paths: readonly string[], to: string): Promise<void> {
  for (const path of paths) {
    if (!existsSync(join(root, path))) {
      throw new MusterError(
        'config',
        `muster.yaml lists ${path} under "copy", but ${join(root, path)} does not exist`,
        {
          hint: `create it, or remove it from "copy"`,
        },
      )
    }
    await cp(join(root, path), join(to, path), { recursive: true, dereference: true })
  }
}
