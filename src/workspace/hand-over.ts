/**
 * Moves a branch that nobody has checked out, with two processes where a push starts eight: the user's repository gets
 * the objects that it lacks as files, then git moves the ref. Whatever is out of the ordinary is left to a push, which
 * says what is wrong.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeWhole } from '../durable.ts'
import { checkoutsOf } from './checkout.ts'
import { readRef } from './files.ts'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'

const objectsMax = 5_000
/** Settings that say who may read new objects, or what a push may do. */
const SETTINGS_OF_PUSH = /sharedrepository|\[receive\b|\[include/i

/** False: nothing was moved, and a push should try. `old`: where it is; null: it must not exist. */
export async function handOver(mirror: Mirror, branch: string, old: string | null, commit: string): Promise<boolean> {
  const { userGitDir } = mirror
  const ref = `refs/heads/${branch}`
  if ((await readRef(userGitDir, ref)) !== old) return false
  if (SETTINGS_OF_PUSH.test(await readFile(join(userGitDir, 'config'), 'utf8').catch(() => ''))) return false
  const lacking = await lackingObjects(mirror, commit)
  if (lacking === null || !(await giveObjects(mirror, lacking))) return false
  // Looked at last: whoever checks it out from now on gets the new commit.
  if ((await checkoutsOf(userGitDir, branch)).length > 0) return false
  const move = ['update-ref', '--no-deref', '-m', 'muster', ref, commit, old ?? '0'.repeat(commit.length)]
  return (await git(move, { gitDir: userGitDir, okCodes: [1, 128] })).code === 0
}

/** The objects of a commit that no ref of the user's repository leads to; null when there are many, or git cannot tell. */
async function lackingObjects(mirror: Mirror, commit: string): Promise<string[] | null> {
  const listed = await git(['rev-list', '--objects', '--no-object-names', commit, '--not', '--all'], {
    gitDir: mirror.userGitDir,
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror.dir, 'objects') },
    okCodes: [128],
  })
  const objects = listed.stdout.split('\n').filter(Boolean)
  return listed.code === 0 && objects.length <= objectsMax ? objects : null
}

/** False if one of them is in a pack of the mirror's: taking it out of there is for git. */
async function giveObjects(mirror: Mirror, objects: readonly string[]): Promise<boolean> {
  // Files first, their commits last: what a crash leaves behind is whole as far as it goes.
  for (const object of objects.toReversed()) {
    const name = join('objects', object.slice(0, 2), object.slice(2))
    const to = join(mirror.userGitDir, name)
    if (existsSync(to)) continue
    const from = join(mirror.dir, name)
    if (!existsSync(from)) return false
    if ((await mkdir(dirname(to), { recursive: true })) !== undefined) await syncFolder(dirname(dirname(to)))
    // A copy, not a link: each repository mends the other, should its file be damaged.
    await writeWhole(to, await readFile(from), 0o444)
  }
  return true
}
