/** A project: the user's repository, its muster.yaml, and the folder with Muster's data about it. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { ProjectConfig } from './domain/config.ts'
import { MusterError } from './domain/errors.ts'
import { factBytesMax } from './domain/limits.ts'
import { notesOnSubmodules } from './workspace/gitmodules.ts'
import type { Repository } from './workspace/repository.ts'
import { behindUpstream, defaultBranch, filesOf, findRepository, requireBase } from './workspace/repository.ts'

export const CONFIG_NAME = 'muster.yaml'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Place {
  repository: Repository
  /** The folder of muster.yaml, or where it would be. */
  root: string
  configPath: string | null
  dataDir: string
}

export interface Project extends Place {
  configPath: string
  config: ProjectConfig
}

/** Where we are, whether or not there is a configuration. */
export async function findPlace(cwd: string, env: Environment): Promise<Place> {
  const here = await realpath(cwd)
  const repository = await findRepository(here)
  const configPath = findConfig(here, repository.root)
  const root = configPath === null ? repository.root : dirname(configPath)
  return { repository, root, configPath, dataDir: dataDirOf(repository, root, env) }
}

export async function openProject(cwd: string, env: Environment): Promise<Project> {
  const place = await findPlace(cwd, env)
  const { repository, configPath } = place
  if (configPath === null) {
    throw new MusterError('config', `there is no ${CONFIG_NAME} in ${repository.root}`, {
      hint: 'to write one: muster init',
    })
  }
  // Reading configuration is the most expensive import of all, and many commands only look at the store.
  const { loadConfig } = await import('./config/project.ts')
  const base = async () => (await defaultBranch(repository)) ?? 'main'
  const config = await loadConfig(configPath, await realpath(cwd), base)
  await requireBase(repository, config.base)
  return { ...place, configPath, config }
}

/** What somebody should know before work starts from this base. */
export async function baseNotes(project: Project): Promise<string[]> {
  const { repository, config } = project
  const { configNotes } = await import('./config/role-notes.ts')
  const notes = [...configNotes(config), ...(await submoduleNotes(project))]
  const behind = await behindUpstream(repository, config.base)
  if (behind === null) return notes
  const commits = `${behind.commits} ${behind.commits === 1 ? 'commit' : 'commits'}`
  return [`${config.base} is ${commits} behind ${behind.upstream}: work would start from the older commit`, ...notes]
}

/** Which submodules of the base agents will not find as the user would expect. */
export async function submoduleNotes({ repository, config }: Project): Promise<string[]> {
  return notesOnSubmodules(repository.gitDir, await requireBase(repository, config.base))
}

/** Where checks of packages do not fit the packages that the checkout has now. */
export async function packageNotes({ repository, config }: Project): Promise<string[]> {
  const { stalePaths } = await import('./config/workspaces.ts')
  const read = (path: string): string | null => textOf(join(repository.root, path))
  return stalePaths(config, await filesOf(repository), read)
}

/** What git would list of the checkout. */
export const projectFiles = ({ repository }: Project): Promise<string[]> => filesOf(repository)

/** Null: there is no such plain file, or it is too large, or it cannot be read. */
export function textOf(path: string): string | null {
  try {
    const file = statSync(path)
    return file.isFile() && file.size <= factBytesMax ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}

/** The nearest muster.yaml from `cwd` up to the top of the work tree. */
export function findConfig(cwd: string, root: string): string | null {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const path = join(dir, CONFIG_NAME)
    if (existsSync(path)) return path
    if (dir === root || dir === dirname(dir)) return null
  }
}

/**
 * Outside the repository, so that no tool in a workspace resolves upward into the user's files. Named after the project
 * and its git directory: linked work trees of one repository share it, two clones do not.
 */
function dataDirOf(repository: Repository, root: string, env: Environment): string {
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state')
  const home = env['MUSTER_HOME'] || join(state, 'muster')
  const inside = relative(repository.root, root)
  const hash = createHash('sha256').update(`${repository.gitDir}\n${inside}`).digest('hex').slice(0, 10)
  const { gitDir } = repository
  const name = inside || basename(basename(gitDir) === '.git' ? dirname(gitDir) : gitDir)
  return join(home, `${name.replace(/[^A-Za-z0-9._-]/g, '_') || 'project'}-${hash}`)
}

/** Makes a folder of Muster's own, for its owner alone, with those above it. */
export function makeFolder(path: string): void {
  // Not `recursive: true`: where the system refuses with "no such file" (below /proc, say), Node would try forever.
  const missing: string[] = []
  for (let dir = path; !existsSync(dir); dir = dirname(dir)) missing.unshift(dir)
  try {
    for (const dir of missing) mkdirSync(dir, { mode: 0o700 })
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new MusterError('storage', `cannot create the folder ${path}: ${(cause as Error).message}`, {
      hint: 'set MUSTER_HOME to a folder that you can write to',
      cause,
    })
  }
}
