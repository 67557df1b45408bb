/** The user's repository: where it is, and whether Muster can work with it. Changes nothing. */
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { requireDescriptors } from '../process/descriptors.ts'
import { mayHaveRefs, readRef } from './files.ts'
import { git, gitLine } from './git.ts'

export interface Repository {
  /** The top of the work tree. */
  root: string
  /** The git directory that holds branches and objects, also for a linked work tree. */
  gitDir: string
}

export async function findRepository(cwd: string): Promise<Repository> {
  requireDescriptors()
  const found = await git(['rev-parse', '--show-toplevel', '--git-common-dir'], { cwd, okCodes: [128] })
  const [root, commonDir] = found.stdout.trimEnd().split('\n')
  if (found.code !== 0 || !root || !commonDir) {
    const bare = await git(['rev-parse', '--is-bare-repository'], { cwd, okCodes: [128] })
    if (bare.stdout.trim() === 'true') {
      throw new MusterError('config', `${cwd} is a bare repository, but Muster needs a checkout`, {
        hint: 'clone it and run muster in the clone',
      })
    }
    throw new MusterError('config', `${cwd} is not in a git repository`, {
      hint: 'cd into one, or: git init && git commit',
    })
  }
  return { root: await realpath(root), gitDir: await realpath(resolve(cwd, commonDir)) }
}

/** How it keeps its objects: whether some are only at a remote (`partial`), and what they are named by. */
export async function storageOf(gitDir: string): Promise<{ partial: boolean; format: string }> {
  const settings = '^(extensions\\.(partialclone|objectformat)|remote\\..*\\.promisor)$'
  // From the file: git itself looks for the checkout first, and that of a submodule may be gone.
  const read = ['config', '--file', join(gitDir, 'config'), '--includes', '--get-regexp', settings]
  const lines = (await git(read, { okCodes: [1] })).stdout.split('\n').filter(Boolean)
  const format = lines.find((line) => line.startsWith('extensions.objectformat '))
  return { partial: lines.some((line) => line !== format), format: format?.split(' ')[1] ?? 'sha1' }
}

/** The branch that is checked out, or null when HEAD points at a commit. */
async function currentBranch(repository: Repository): Promise<string | null> {
  const name = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd: repository.root, okCodes: [1, 128] })
  return name.code === 0 ? name.stdout.trim() : null
}

export async function branches(repository: Repository): Promise<string[]> {
  const list = await gitLine(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'], {
    gitDir: repository.gitDir,
  })
  return list === '' ? [] : list.split('\n')
}

/** Refuses a repository without a commit and a base that does not exist, each in its own words. */
export async function requireBase(repository: Repository, base: string): Promise<string> {
  const head = await headOf(repository, base)
  if (head !== null) return head
  const known = (await branches(repository)).filter((name) => !name.startsWith('muster/'))
  if (known.length === 0) {
    throw new MusterError('config', `${repository.root} has no commit yet`, {
      hint: 'git add -A && git commit -m "Start"',
    })
  }
  throw new MusterError(
    'config',
    `the base branch "${base}" does not exist (branches: ${known.slice(0, 10).join(', ')})`,
    {
      hint: `set "base:" in muster.yaml, for example: base: ${known[0]}`,
    },
  )
}

/** What the work tree holds: files that git tracks, or would if asked. `ignored`: those that it leaves out, at the top. */
export async function filesOf({ root }: Repository, ignored = false): Promise<string[]> {
  const which = ignored ? ['--others', '--ignored', '--directory'] : ['--cached', '--others']
  const listed = (await git(['ls-files', '-z', ...which, '--exclude-standard'], { cwd: root })).stdout
  return [...new Set(listed.split('\0').filter(Boolean))]
}

/** The branch that work should land on: origin's default, else main or master, else the one checked out. */
export async function defaultBranch(repository: Repository): Promise<string | null> {
  const { gitDir } = repository
  // Mostly there is none, which its file tells, unless refs are kept otherwise.
  const asked = await mayHaveRefs(gitDir, 'refs/remotes/origin/HEAD')
  const origin = asked
    ? await git(['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'], { gitDir, okCodes: [1, 128] })
    : null
  const named = origin?.stdout.trim().replace(/^origin\//, '')
  for (const name of [named, 'main', 'master']) {
    if (name !== undefined && (await headOf(repository, name)) !== null) return name
  }
  return currentBranch(repository)
}

/** The commit that a branch is at. Its file tells, unless refs are kept otherwise. */
async function headOf({ gitDir }: Repository, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`
  const read = await readRef(gitDir, ref)
  if (read !== undefined) return read
  const found = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { gitDir, okCodes: [1, 128] })
  return found.code === 0 ? found.stdout.trim() : null
}

/** How far the branch is behind its upstream as it was last fetched; null when it is not, or has none. */
export async function behindUpstream(
  repository: Repository,
  branch: string,
): Promise<{ upstream: string; commits: number } | null> {
  const options = { gitDir: repository.gitDir, okCodes: [128] }
  const upstream = (await git(['rev-parse', '--abbrev-ref', `${branch}@{upstream}`], options)).stdout.trim()
  if (upstream === '' || upstream.endsWith('@{upstream}')) return null
  const commits = Number(
    (await git(['rev-list', '--count', `refs/heads/${branch}..${upstream}`, '--'], options)).stdout,
  )
  return commits > 0 ? { upstream, commits } : null
}

/** The user's own name and address for commits, from their configuration; null where it has none. */
export async function userIdentity(
  repository: Repository,
  home: string | undefined,
): Promise<{ name: string; email: string } | null> {
  const env: Record<string, string> = home !== undefined && existsSync(home) ? { HOME: home } : {}
  const global = `${home ?? ''}/.gitconfig`
  const options = { gitDir: repository.gitDir, env: { ...env, GIT_CONFIG_GLOBAL: global }, okCodes: [1, 128] }
  const found = await git(['config', '--null', '--get-regexp', '^user\\.(name|email)$'], options)
  // Of a setting that is there more than once the last counts.
  const settings = Object.fromEntries(found.stdout.split('\0').map((line) => line.split('\n')))
  const [name, email] = ['user.name', 'user.email'].map((key) => String(settings[key] ?? '').trim())
  return name && email ? { name, email } : null
}

export async function gitVersion(): Promise<[number, number]> {
  const match = /(\d+)\.(\d+)/.exec(await gitLine(['--version']))
  return [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
}

/** The commits that the history of what is checked out begins with. */
export async function rootsOf({ gitDir }: Repository): Promise<string[]> {
  const found = await git(['rev-list', '--max-parents=0', 'HEAD'], { gitDir, okCodes: [128] })
  return found.stdout.split('\n').filter(Boolean)
}
