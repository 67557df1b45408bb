/**
 * Moves the user's branches: only after a look at their checkouts, only from the expected head, and with a note of the
 * last head in case a branch disappears.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { Obstacle } from './checkout.ts'
import { checkoutsOf, findObstacle } from './checkout.ts'
import { nameOf } from './files.ts'
import { git, gitLine, otherSide } from './git.ts'
import { handOver } from './hand-over.ts'
import type { Mirror } from './mirror.ts'

const wayDownMax = 100
const RECEIVE = otherSide('receive-pack', 'receive.denyCurrentBranch=updateInstead')

/**
 * Moves a branch of the user's repository from `old` (null: it must not exist) to `commit`, or says why not: it is
 * somewhere else, or something is in the way. A checked-out branch is updated with its files.
 */
export async function moveBranch(
  mirror: Mirror,
  branch: string,
  old: string | null,
  commit: string,
): Promise<'ok' | 'moved' | Obstacle> {
  const obstacleNow = async () => (old === null ? null : findObstacle(mirror, branch, old, commit))
  const obstacle = await obstacleNow()
  if (obstacle !== null) return obstacle
  // What it could not do, for whatever reason, the push does or explains.
  if (await handOver(mirror, branch, old, commit).catch(() => false)) return noteMoved(mirror, branch, commit)
  const pushed = await push(mirror, branch, old, commit)
  if (pushed === 'ok') return noteMoved(mirror, branch, commit)
  if (pushed === 'half') await takeBack(mirror, branch, commit)
  if (typeof pushed === 'string') return 'moved'
  // It came between the look and the push.
  return (await obstacleNow()) ?? { detail: `the checkout of ${branch}: ${pushed.refused}`, brief: true }
}

/**
 * Makes a branch at a commit that the user's repository has. Where nobody stands on it, only the ref has to be written; in
 * any other case it is moved there from nowhere.
 */
export async function makeBranch(mirror: Mirror, branch: string, commit: string): Promise<'ok' | 'moved' | Obstacle> {
  if ((await checkoutsOf(mirror.userGitDir, branch)).length === 0) {
    const ref = ['-m', 'muster', `refs/heads/${branch}`, commit, '0'.repeat(commit.length)]
    const made = await git(['update-ref', '--no-deref', ...ref], { gitDir: mirror.userGitDir, okCodes: [1, 128] })
    if (made.code === 0) return noteMoved(mirror, branch, commit)
  }
  return moveBranch(mirror, branch, null, commit)
}

async function noteMoved(mirror: Mirror, branch: string, commit: string): Promise<'ok'> {
  await mirror.noteHead(branch, commit)
  await noteOnto(mirror, commit, branch, commit)
  return 'ok'
}

/**
 * git updates the files of a checkout before the branch: when the user commits there at that very moment, the branch stays
 * theirs, and the files must become theirs again. Whatever else they have changed there stays as it is.
 */
async function takeBack(mirror: Mirror, branch: string, commit: string): Promise<void> {
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror.dir, 'objects') }
  for (const { gitDir, workTree } of await checkoutsOf(mirror.userGitDir, branch)) {
    await git(['read-tree', '-m', '-u', commit, 'HEAD'], { gitDir, workTree, env, okCodes: [128] })
  }
}

/** `half`: the branch stayed where it was, but the files of its checkout may have moved already. */
export async function push(
  mirror: Mirror,
  branch: string,
  old: string | null,
  commit: string,
  receive = RECEIVE,
): Promise<'ok' | 'moved' | 'half' | { refused: string }> {
  const ref = `refs/heads/${branch}`
  const result = await mirror.run(
    [
      'push',
      '--porcelain',
      '--no-verify',
      `--force-with-lease=${ref}:${old ?? ''}`,
      `--receive-pack=${receive}`,
      mirror.userGitDir,
      `${commit}:${ref}`,
    ],
    { okCodes: [1] },
  )
  if (result.code === 0) return 'ok'
  const said = `${result.stdout}\n${result.stderr}`
  const reason = /^!.*\[(?:remote )?rejected\] \((.*)\)/m.exec(said)?.[1] ?? ''
  if (/working (?:directory|tree)|up-to-date check/i.test(reason)) return { refused: reason }
  if (/failed to update ref|cannot lock ref/.test(reason)) return 'half'
  if (/stale info|fetch first|non-fast-forward|already exists/.test(reason)) return 'moved'
  const why = reason || said.trim().split('\n').slice(-3).join(' ')
  // What git says when it looks at all refs and one of them is broken, whichever branch was pushed.
  const broken = why === 'missing necessary objects'
  throw new MusterError('git', `${branch} could not be updated: ${why}`, {
    hint: broken
      ? 'a ref of the repository is broken: find it with git fsck, remove it with git update-ref -d'
      : 'the repository refused the push: check its permissions and receive.* in its configuration',
  })
}

/** The head of a branch that must be there; a `git` error that says how to bring it back when it is not. */
export async function requireHead(mirror: Mirror, branch: string): Promise<string> {
  const head = await mirror.userHead(branch)
  if (head !== null) return head
  const { state, hint } = await missing(mirror, branch)
  throw new MusterError('git', `the branch ${branch} is ${state}`, { hint })
}

/** What waits for a branch that is gone, with what to type. */
export async function returnOf(mirror: Mirror, branch: string): Promise<string> {
  const { state, hint } = await missing(mirror, branch)
  return `the branch ${branch} is ${state} (${hint})`
}

async function missing(mirror: Mirror, branch: string): Promise<{ state: string; hint: string }> {
  const renamed = await newName(mirror.userGitDir, branch)
  const from = renamed ?? (await mirror.lastHead(branch))?.slice(0, 12) ?? '<commit>'
  return {
    state: `no longer in the repository${renamed === null ? '' : ` (renamed to ${renamed})`}`,
    hint: `to restore it: git branch ${branch} ${from}`,
  }
}

/** The name that the user gave this branch, as git noted it down. */
async function newName(gitDir: string, branch: string): Promise<string | null> {
  const refs = await gitLine(['for-each-ref', '--format=%(refname)', 'refs/heads/'], { gitDir })
  for (const ref of refs.split('\n')) {
    const log = await readFile(join(gitDir, 'logs', ref), 'utf8').catch(() => '')
    if (log.includes(`Branch: renamed refs/heads/${branch} to ${ref}\n`)) return ref.slice('refs/heads/'.length)
  }
  return null
}

/** Notes down that the work at `commit` builds on this head of the target. */
export function noteOnto(mirror: Mirror, commit: string, target: string, head: string): Promise<void> {
  return mirror.note(nameOf('onto', target, commit), head)
}

/** The head of the target that the work builds on, if the user has taken it out of the target since. */
export async function takenOut(mirror: Mirror, work: string, target: string, now: string): Promise<string | null> {
  let onto = await mirror.noted(nameOf('onto', target, work))
  if (onto === null) {
    // A person's commit, or what subtasks landed: it was noted of something further down.
    const args = ['rev-list', '--first-parent', `--max-count=${wayDownMax}`, work, `^${now}`]
    for (const commit of (await mirror.line(args)).split('\n'))
      onto ??= await mirror.noted(nameOf('onto', target, commit))
  }
  return onto === null || (await mirror.isAncestor(onto, now)) ? null : onto
}
