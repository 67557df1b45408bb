/**
 * The user's own checkouts of a branch, and what in them prevents moving the branch: changes, untracked files, a rebase
 * under way, a missing folder. It changes nothing except a lock that a killed git left.
 */
import { existsSync } from 'node:fs'
import { lstat, readFile, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'
import { removeStaleLock } from './stale-lock.ts'

export interface Obstacle {
  /** What the landing waits for, with what to type. */
  detail: string
  /** It may be over in a moment, without anybody doing anything. */
  brief: boolean
}

interface Checkout {
  /** The folder with the files. */
  workTree: string
  gitDir: string
  /** The folder is not there any more, or is something else. */
  gone: boolean
  doing: 'nothing' | 'rebase' | 'bisect'
}

const filesShownMax = 3
const namesMax = 5
/** Settings that may say that a repository has no files, or has them elsewhere: only git reads those rightly. */
const SETTINGS_OF_PLACE = /worktree|\[include|\bbare\b(?!\s*=\s*false\b)/i

/** What keeps the branch from being moved from `head` to another commit or tree, or null. */
export async function findObstacle(mirror: Mirror, branch: string, head: string, to: string): Promise<Obstacle | null> {
  const places = await checkoutsOf(mirror.userGitDir, branch)
  const own = join(mirror.userGitDir, 'refs/heads', `${branch}.lock`)
  if (existsSync(own)) await removeStaleLock(own, mirror.userGitDir)
  const locks = [own]
  for (const checkout of places) {
    const standing = unfit(checkout, branch)
    if (standing !== null) return { detail: standing, brief: false }
    locks.push(join(checkout.gitDir, 'index.lock'))
  }
  const lock = locks.find((file) => existsSync(file))
  if (lock !== undefined) {
    return {
      detail: `another git process is at work: it holds ${lock} (if none is running: rm ${shell(lock)})`,
      brief: true,
    }
  }
  const [checkout, second] = places
  if (checkout === undefined) return null
  const detail =
    second === undefined
      ? ((await changes(checkout, branch)) ?? (await filesInTheWay(mirror, checkout, branch, head, to)))
      : `${branch} is checked out twice, in ${checkout.workTree} and in ${second.workTree}, and only one would follow (git -C ${shell(second.workTree)} switch --detach)`
  return detail === null ? null : { detail, brief: false }
}

function unfit({ workTree: path, gitDir, gone, doing }: Checkout, branch: string): string | null {
  const there = `git -C ${shell(path)}`
  if (gone) {
    const unlock = existsSync(join(gitDir, 'locked')) ? `git worktree unlock ${shell(path)}; ` : ''
    return `${branch} is checked out in the worktree ${path}, and that folder is gone (${unlock}git worktree prune; if it was only moved: git worktree repair <new folder>)`
  }
  if (doing === 'rebase')
    return `a rebase of ${branch} is under way in ${path} (${there} rebase --continue, or ${there} rebase --abort)`
  if (doing === 'bisect') return `a bisection of ${branch} is under way in ${path} (${there} bisect reset)`
  return null
}

async function changes({ workTree: path, gitDir }: Checkout, branch: string): Promise<string | null> {
  // As git itself looks before it updates a checkout; and without taking the index's lock from the user.
  const args = ['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames', '--ignore-submodules=all']
  const status = await git(args, { gitDir, workTree: path, env: { GIT_OPTIONAL_LOCKS: '0' } })
  const changed = status.stdout.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]))
  if (changed.length === 0) return null
  return `${branch} is checked out in ${path} with uncommitted changes: ${listed(changed)} (commit there, or git -C ${shell(path)} stash)`
}

/** Files of the user's that git does not know, ignored ones too: git would write over those without a word. */
async function filesInTheWay(
  mirror: Mirror,
  checkout: Checkout,
  branch: string,
  head: string,
  to: string,
): Promise<string | null> {
  // A landing moves no files of a submodule.
  const how = ['--name-status', '--no-renames', '--diff-filter=AD', '--ignore-submodules=all']
  const parts = (await mirror.run(['diff-tree', '-r', '-z', ...how, head, to])).stdout.split('\0')
  const names = (status: string) => parts.filter((_, index) => index % 2 === 1 && parts[index - 1] === status)
  const deleted = new Set(names('D'))
  const found = new Set<string>()
  for (const name of names('A')) {
    const inTheWay = await fileInTheWay(checkout, name, deleted)
    if (inTheWay !== null) found.add(inTheWay)
  }
  if (found.size === 0) return null
  return `${branch} is checked out in ${checkout.workTree}, and the landing would overwrite uncommitted files there: ${listed([...found])} (commit them, or move them away)`
}

async function fileInTheWay(checkout: Checkout, name: string, deleted: ReadonlySet<string>): Promise<string | null> {
  const root = checkout.workTree
  const there = await lstat(join(root, name)).catch((error: NodeJS.ErrnoException) => error)
  if (!(there instanceof Error)) return there.isDirectory() ? firstUnknown(checkout, name) : name
  if (there.code !== 'ENOTDIR') return null
  // One of its folders is a file; which goes with this landing, or is the user's own.
  const parts = name.split('/')
  const folders = parts.map((_, index) => parts.slice(0, index).join('/')).slice(1)
  for (const folder of folders) {
    const isFolder = (await lstat(join(root, folder)).catch(() => null))?.isDirectory() ?? true
    if (!isFolder) return deleted.has(folder) ? null : folder
  }
  return null
}

async function firstUnknown({ workTree, gitDir }: Checkout, folder: string): Promise<string | null> {
  const others = await git(['ls-files', '--others', '-z', '--', `:(literal)${folder}`], { gitDir, workTree })
  return others.stdout.split('\0')[0] || null
}

/** The folders in which the user has this branch checked out, or is in the middle of rebasing or bisecting it. */
export async function checkoutsOf(userGitDir: string, branch: string): Promise<Checkout[]> {
  const found: Checkout[] = []
  for (const gitDir of await gitDirsOf(userGitDir)) {
    const doing = await standingAt(gitDir, userGitDir, branch)
    const workTree = doing === null ? null : await folderOf(gitDir, userGitDir)
    if (doing === null || workTree === null) continue
    const gone = gitDir !== userGitDir && !existsSync(join(workTree, '.git'))
    found.push({ workTree, gitDir, gone, doing })
  }
  return found
}

/** All folders in which the user works with the repository, whatever is checked out there. */
export async function checkouts(userGitDir: string): Promise<string[]> {
  const folders = (await gitDirsOf(userGitDir)).map((gitDir) => folderOf(gitDir, userGitDir))
  return (await Promise.all(folders)).filter((folder) => folder !== null)
}

/** The repository's own, and one for each further worktree. */
async function gitDirsOf(userGitDir: string): Promise<string[]> {
  const linked = await readdir(join(userGitDir, 'worktrees')).catch(() => [])
  return [userGitDir, ...linked.map((name) => join(userGitDir, 'worktrees', name))]
}

async function standingAt(gitDir: string, userGitDir: string, branch: string): Promise<Checkout['doing'] | null> {
  const text = (name: string) =>
    readFile(join(gitDir, name), 'utf8').then(
      (read) => read.trim(),
      () => '',
    )
  const ref = `refs/heads/${branch}`
  let head = await text('HEAD')
  // Where refs are not kept in files, only git can tell.
  if (head === 'ref: refs/heads/.invalid')
    head = `ref: ${(await git(['symbolic-ref', '--quiet', 'HEAD'], { gitDir, okCodes: [1] })).stdout.trim()}`
  if ((await followed(userGitDir, head)) === `ref: ${ref}`) return 'nothing'
  if ((await text('rebase-merge/head-name')) === ref || (await text('rebase-apply/head-name')) === ref) return 'rebase'
  return (await text('BISECT_START')) === branch ? 'bisect' : null
}

/** What HEAD comes to: a branch can be another name of one, as `master` of `main`. git follows as many. */
async function followed(userGitDir: string, head: string): Promise<string> {
  if (!head.startsWith('ref: ')) return head
  let at = head
  for (let left = namesMax; left > 0; left--) {
    const next = await readFile(join(userGitDir, at.slice('ref: '.length)), 'utf8').catch(() => '')
    if (!next.startsWith('ref: ')) break
    at = next.trim()
  }
  return at
}

/** Where the files of a git directory are; null when it has none. */
async function folderOf(gitDir: string, userGitDir: string): Promise<string | null> {
  if (gitDir !== userGitDir) {
    const link = await readFile(join(gitDir, 'gitdir'), 'utf8').catch(() => '')
    return link === '' ? null : dirname(resolve(gitDir, link.trim()))
  }
  const settings = await readFile(join(gitDir, 'config'), 'utf8').catch(() => null)
  if (settings !== null && !SETTINGS_OF_PLACE.test(settings)) return dirname(gitDir)
  const setting = async (...args: string[]) => (await git(['config', ...args], { gitDir, okCodes: [1] })).stdout.trim()
  if ((await setting('--type=bool', '--get', 'core.bare')) === 'true') return null
  const workTree = await setting('--get', 'core.worktree')
  return workTree === '' ? dirname(gitDir) : resolve(gitDir, workTree)
}

function listed(files: readonly string[]): string {
  const more = files.length > filesShownMax ? ` and ${files.length - filesShownMax} more` : ''
  return files.slice(0, filesShownMax).join(', ') + more
}

/** A path as one word of a shell. */
function shell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
