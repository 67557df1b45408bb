/**
 * Examines a workspace before git does. Git trusts a work tree more than an agent deserves: it waits for a writer of a
 * pipe called .gitignore, opens whatever a `.git` inside leads to, and reads a file of any size. Names are bytes
 * (names.ts).
 */
import { chmodSync, lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { MusterError } from '../domain/errors.ts'
import { resultFileBytesMax } from '../domain/limits.ts'
import type { Refused } from '../ports/workspaces.ts'
import { toolEnvironment } from '../process/environment.ts'
import { layersPrefix, writtenIn } from '../process/layers.ts'
import { runToEnd } from '../process/run.ts'
import type { GitOptions } from './git.ts'
import type { Mirror } from './mirror.ts'
import { shown } from './names.ts'
import { NESTED } from './refusals.ts'

/** The files of a workspace, or of a submodule in one. */
export interface Place {
  dir: string
  /** From out here only what was written is to be seen, and what was deleted as a device. */
  layered: boolean
}

export interface Found {
  /** Paths that git should not take, with the reasons. */
  unfit: ReadonlyMap<string, string>
  /** How many files there are, ignored ones too. */
  files: number
}

interface Walk extends Place {
  top: string
  unfit: Map<string, string>
  files: number
  /** Neither file, folder nor link. */
  special: string[]
}

const LARGE = `it is larger than ${resultFileBytesMax / 1024 ** 2} MB, the limit for a file of a result`
const DEEP = 'it contains paths that are too long for the system'
const CLOSED = 'Muster has no permission to read it'
/** Git reads these whole before it can be told to leave them alone. */
const READ_FIRST = /(^|\/)\.git(ignore|attributes)$/

/**
 * On its way it opens folders that their owner may not enter, since git keeps no rights of folders, and takes away what
 * is neither file, folder nor link: no commit can hold it, and whoever opens it may wait forever.
 */
export async function survey(place: Place): Promise<Found> {
  const top = place.layered ? writtenIn(place.dir) : place.dir
  if (!lstatSync(top).isDirectory()) throw notSaved('its workspace is no longer a folder')
  const walk: Walk = { ...place, top, unfit: new Map(), files: 0, special: [] }
  await look(walk, '', false)
  if (walk.special.length > 0) await takeAway(place, walk.special)
  return walk
}

/**
 * Of what was found, what git would take: not what is ignored or as it was, nor what is in the submodules `held`, which
 * have a look of their own.
 */
export async function takenByGit(
  run: (args: readonly string[], options?: GitOptions) => ReturnType<Mirror['run']>,
  unfit: Found['unfit'],
  held: readonly string[],
): Promise<Refused[]> {
  const outside = [...unfit].filter(([path]) => !held.some((submodule) => `${path}/`.startsWith(`${submodule}/`)))
  if (outside.length === 0) return []
  const list = async (args: readonly string[], options?: GitOptions) =>
    (await run(args, options)).stdout.split('\0').filter((name) => name !== '')
  const tracked = await list(['ls-files', '-z'])
  // Git goes into a folder with files of the base without a look at its `.git`.
  const candidates = outside.filter(([path, why]) => why !== NESTED || !tracked.some((of) => of.startsWith(`${path}/`)))
  if (candidates.length === 0) return []
  const stdin = candidates.map(([path]) => `${path}\0`).join('')
  const ignored = new Set(await list(['check-ignore', '-z', '--stdin'], { stdin, okCodes: [1] }))
  const known = new Set(tracked)
  const differing = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all']
  const changed = new Set(
    candidates.some(([path]) => known.has(path)) ? await list(differing, { env: { GIT_OPTIONAL_LOCKS: '0' } }) : [],
  )
  return candidates
    .filter(([path]) => !ignored.has(path) && (!known.has(path) || changed.has(path)))
    .map(([path, why]) => ({ path, why }))
}

async function look(walk: Walk, path: string, inGit: boolean): Promise<void> {
  const at = Buffer.concat([Buffer.from(`${walk.top}/`), Buffer.from(path, 'latin1')])
  const stat = statOf(at)
  if (stat === 'too long') return void (inGit || walk.unfit.set(path, DEEP))
  if (stat === undefined || stat.isSymbolicLink()) return
  if (stat.isDirectory()) return lookInto(walk, path, inGit, await entriesOf(at, stat))
  if (!inGit) walk.files += 1
  if (stat.isFile()) {
    if (stat.size > resultFileBytesMax && !inGit) refuseLarge(walk, path)
  } else if (!isWhiteout(walk, stat)) walk.special.push(path)
}

/** `inGit`: it is inside of a `.git`, which git leaves alone. */
async function lookInto(walk: Walk, path: string, inGit: boolean, entries: Buffer[] | null): Promise<void> {
  if (entries === null && !inGit) walk.unfit.set(path, CLOSED)
  for (const entry of entries ?? []) {
    const name = entry.toString('latin1')
    if (name === '.git' && path === '') continue
    if (name === '.git' && !inGit) walk.unfit.set(path, NESTED)
    await look(walk, path === '' ? name : `${path}/${name}`, inGit || name === '.git')
  }
}

function refuseLarge(walk: Walk, path: string): void {
  if (READ_FIRST.test(path)) throw notSaved(`${path} is larger than allowed for such a file`)
  walk.unfit.set(path, LARGE)
}

/** How layers say that something below is deleted. */
function isWhiteout({ layered }: Walk, stat: Stats): boolean {
  return layered && stat.isCharacterDevice() && stat.rdev === 0
}

/** From inside the layers, if there are any: what lies below one that was only removed out here would come back. */
async function takeAway({ dir, layered }: Place, paths: readonly string[]): Promise<void> {
  const command = [...(layered ? layersPrefix(dir) : []), 'xargs', '-0', 'rm', '-f', '--']
  const stdin = Buffer.concat(
    paths.flatMap((path) => [Buffer.from(`${dir}/`), Buffer.from(path, 'latin1'), Buffer.from([0])]),
  )
  const ended = await runToEnd({ command, cwd: '/', env: toolEnvironment(), stdin })
  if (ended.code !== 0) throw notSaved(`${paths[0]} cannot be removed: ${ended.stderr.trim().split('\n')[0]}`)
}

function statOf(path: Buffer): Stats | undefined | 'too long' {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return 'too long'
    throw error
  }
}

/** Null if the folder is closed and not ours to open. */
async function entriesOf(path: Buffer, { mode }: Stats): Promise<Buffer[] | null> {
  try {
    if ((mode & 0o700) !== 0o700) chmodSync(path, 0o700)
    return await readdir(path, { encoding: 'buffer' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') return null
    throw error
  }
}

export function notSaved(said: string): MusterError {
  return new MusterError('git', `the result could not be saved: ${shown(said)}`, {
    hint: 'Muster kept its workspace: muster open shows where',
  })
}
