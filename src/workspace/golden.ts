/**
 * Golden copies: a checkout in which the project's setup ran once, from which others start. A tree's lock files alone
 * decide which one fits it. Once sealed, nobody writes to it: workspaces are overlays on it, or copy its outputs.
 */
import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { Golden } from '../ports/workspaces.ts'
import { toolEnvironment } from '../process/environment.ts'
import { runToEnd } from '../process/run.ts'
import { git } from './git.ts'
import type { Mirror } from './mirror.ts'

const LOCKS =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|requirements[^/]*\.txt|poetry\.lock|Pipfile\.lock|uv\.lock|pdm\.lock|go\.sum|Cargo\.lock|Gemfile\.lock|composer\.lock|mix\.lock|gradle\.lockfile|flake\.lock)$/
/** What says less precisely what is needed, for a project without any of those. */
const MANIFESTS =
  /(^|\/)(package\.json|pyproject\.toml|setup\.(py|cfg)|Pipfile|go\.mod|Cargo\.toml|Gemfile|composer\.json|mix\.exs|build\.gradle(\.kts)?|pom\.xml)$/
const leftOutMax = 500
const copyTimeoutMs = 30 * 60 * 1000

/** Names what `setup` depends on: the lock files of a tree as they are there, and the files the user listed. */
export async function locksOf(mirror: Mirror, tree: string, listed: readonly string[]): Promise<string> {
  const entries = (await mirror.run(['ls-tree', '-r', '-z', tree])).stdout.split('\0')
  const matching = (names: RegExp) => entries.filter((entry) => names.test(entry.slice(entry.indexOf('\t') + 1)))
  const locks = matching(LOCKS)
  const named = entries.filter((entry) => listed.includes(entry.slice(entry.indexOf('\t') + 1)))
  const found = [...(locks.length > 0 ? locks : matching(MANIFESTS)), ...named]
  return createHash('sha256').update(found.join('\0')).digest('hex')
}

/**
 * After the setup: the tracked files are as the tree has them again, the clone's git directory is gone, and what the
 * setup made is known by name.
 */
export async function seal(mirror: Mirror, dir: string, index: string, tree: string): Promise<Golden> {
  const options = { workTree: dir, indexFile: index }
  await rm(join(dir, '.git'), { recursive: true, force: true })
  await mirror.run(['read-tree', '--reset', '-u', tree], options)
  const others = async (...only: string[]) =>
    (await mirror.run(['ls-files', '--others', '--directory', ...only, '-z'], options)).stdout
      .split('\0')
      .filter(Boolean)
  const leaveOut = await others('--exclude-standard')
  if (leaveOut.length > leftOutMax) {
    throw new MusterError('config', `setup creates ${leaveOut.length} files that git does not ignore`, {
      hint: `add what it creates to .gitignore, for example ${leaveOut[0]}`,
    })
  }
  // All of it is on the disk before anything says that it is whole; where sync cannot do that, nothing else can.
  await runToEnd({
    command: ['sync', '--file-system', dir],
    cwd: dir,
    env: toolEnvironment(),
    timeoutMs: copyTimeoutMs,
  })
  const bare = (paths: readonly string[]) => paths.map((path) => path.replace(/\/$/, ''))
  return { dir, index, tree, outputs: bare(await others()), leaveOut: bare(leaveOut) }
}

/** Tracked files of a sealed copy that are not as they were sealed. What the setup made is known by name only. */
export async function alteredIn(gitDir: string, { dir, index }: Golden): Promise<string[]> {
  const differing = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all']
  const env = { GIT_OPTIONAL_LOCKS: '0' }
  const { stdout } = await git(differing, { gitDir, workTree: dir, indexFile: index, env })
  return stdout.split('\0').filter(Boolean)
}

/** Gives a plain folder what the setup made: shared on disk until written to where the file system can, else copied. */
export async function copyOutputs({ dir, outputs }: Golden, to: string): Promise<void> {
  const cp = process.platform === 'darwin' ? ['cp', '-cRp'] : ['cp', '-a', '--reflink=auto']
  for (const [parent, paths] of Map.groupBy(outputs, dirname)) {
    const target = join(to, parent)
    await mkdir(target, { recursive: true })
    const names = paths.map((path) => `./${basename(path)}`)
    const command = [...cp, ...names, target]
    const ended = await runToEnd({ command, cwd: join(dir, parent), env: toolEnvironment(), timeoutMs: copyTimeoutMs })
    if (ended.code === 0) continue
    throw new MusterError(
      'storage',
      `Muster could not copy the files of the setup: ${ended.stderr.trim().slice(-500)}`,
      {
        hint: 'check that the disk has room: muster clean shows what Muster uses',
      },
    )
  }
}
