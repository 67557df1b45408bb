/**
 * Moves a branch that nobody has checked out with two or three processes, where a push starts eight: copies missing
 * objects as files into the user's repository, then git moves the ref. Anything unusual is left to a push, which says
 * what is wrong.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { syncFolder, writeObject } from '../durable.ts'
import { checkoutsOf } from './checkout.ts'
import { readRef } from './files.ts'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'

/** More of them a push brings as one pack, as git itself would: each file is synced, and so is its folder. */
const objectsMax = 100
const objectBytesMax = 64 * 1024 * 1024
/** Settings that say who may read new objects, or what a push may do. */
const SETTINGS_OF_PUSH = /sharedrepository|\[(?:receive|transfer)\b|\[include/i

/** False: nothing was moved, and a push should try. `old`: where it is; null: it must not exist. */
export async function handOver(mirror: Mirror, branch: string, old: string | null, commit: string): Promise<boolean> {
  const { userGitDir } = mirror
  const ref = `refs/heads/${branch}`
  if ((await readRef(userGitDir, ref)) !== old || (await saysWhatPushesDo(userGitDir))) return false
  const lacking = await lackingObjects(mirror, commit)
  if (lacking === null || !(await giveObjects(mirror, lacking))) return false
  // Looked at last: whoever checks it out from now on gets the new commit.
  if ((await checkoutsOf(userGitDir, branch)).length > 0) return false
  const move = ['update-ref', '--no-deref', '-m', 'muster', ref, commit, old ?? '0'.repeat(commit.length)]
  if ((await git(move, { gitDir: userGitDir, okCodes: [1, 128] })).code !== 0) return false
  // A gc that began before that may have taken some: nothing led to them.
  const taken = lacking.filter((object) => !existsSync(join(userGitDir, nameOf(object))))
  await giveObjects(mirror, taken).catch(() => undefined)
  if (old !== null) await bringAlong(userGitDir, branch, old, commit).catch(() => undefined)
  return true
}

/** Who checked the branch out at that very moment may have the files of the old commit: they follow. Changes of theirs stay. */
async function bringAlong(userGitDir: string, branch: string, old: string, commit: string): Promise<void> {
  const standing = (await checkoutsOf(userGitDir, branch)).filter(({ doing, gone }) => doing === 'nothing' && !gone)
  for (const { gitDir, workTree } of standing)
    await git(['read-tree', '-m', '-u', old, commit], { gitDir, workTree, okCodes: [128] })
}

async function saysWhatPushesDo(userGitDir: string): Promise<boolean> {
  // The second: the repository's own, where its worktrees have settings of their own.
  const files = ['config', 'config.worktree'].map((name) => readFile(join(userGitDir, name), 'utf8').catch(() => ''))
  return (await Promise.all(files)).some((text) => SETTINGS_OF_PUSH.test(text))
}

/** The objects of a commit that no ref of the user's repository leads to; null when there are many, or git cannot tell. */
async function lackingObjects(mirror: Mirror, commit: string): Promise<string[] | null> {
  const listed = await git(['rev-list', '--objects', '--no-object-names', '--boundary', commit, '--not', '--all'], {
    gitDir: mirror.userGitDir,
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror.dir, 'objects') },
    okCodes: [128],
  })
  const lines = listed.stdout.split('\n').filter(Boolean)
  const objects = lines.filter((line) => !line.startsWith('-'))
  if (listed.code !== 0 || objects.length > objectsMax) return null
  // Git has looked into the mirror as well. What the user's refs lead to may be there alone: it was lost here.
  const known = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1))
  return (await hasAll(mirror.userGitDir, known)) ? objects : null
}

/** Whether the repository has these commits without help. Mostly they are files: Muster has brought them there. */
async function hasAll(gitDir: string, commits: readonly string[]): Promise<boolean> {
  const packed = commits.filter((commit) => !existsSync(join(gitDir, nameOf(commit))))
  if (packed.length === 0) return true
  const found = await git(['cat-file', '--batch-check'], { gitDir, stdin: packed.map((each) => `${each}\n`).join('') })
  return !/ missing$/m.test(found.stdout)
}

/** False if one of them is in a pack of the mirror's, or damaged: what is to be done about that git knows. */
async function giveObjects(mirror: Mirror, objects: readonly string[]): Promise<boolean> {
  // Files first, their commits last: what a crash leaves behind is whole as far as it goes.
  for (const object of objects.toReversed()) {
    const to = join(mirror.userGitDir, nameOf(object))
    // One that is there is written again: git takes away what is old, and nothing leads to this one yet.
    const from = [join(mirror.dir, nameOf(object)), to].find((file) => existsSync(file))
    const bytes = from === undefined ? null : await readFile(from)
    if (bytes === null || !(await isWhole(bytes, object))) return false
    if ((await mkdir(dirname(to), { recursive: true })) !== undefined) await syncFolder(dirname(dirname(to)))
    // A copy, not a link: each repository mends the other, should its file be damaged.
    await writeObject(to, bytes)
  }
  return true
}

const nameOf = (object: string): string => join('objects', object.slice(0, 2), object.slice(2))

/** Whether a file holds the object that it is named for. */
async function isWhole(bytes: Uint8Array, object: string): Promise<boolean> {
  const content = await promisify(inflate)(bytes, { maxOutputLength: objectBytesMax }).catch(() => null)
  const format = object.length === 40 ? 'sha1' : 'sha256'
  return content !== null && createHash(format).update(content).digest('hex') === object
}
