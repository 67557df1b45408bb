/**
 * What a run sees of the machine in bubblewrap or in a container: its workspace and a folder for its verdict to write, the
 * system (of a container: the image) and the project to read, and of Muster's data and the user's home only what it needs.
 */
import { existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { AUTHORS_CACHES } from '../../domain/config.ts'
import { firstWords } from '../../tools/words.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import type { Rule } from '../../process/view.ts'
import { isWithin, realPath } from '../../process/view.ts'

/** Sockets of the system's and the user's services live there; a name server's file may, too. */
const SYSTEM_HIDDEN = ['/tmp', '/var/tmp', '/run']
const SYSTEM_READABLE = ['/etc/resolv.conf']

interface SandboxMounts {
  /** Muster's data of this project: database, notices, socket, log, other runs and their workspaces. */
  dataDir: string
  /** Paths below the home that stay, writable, for agents; checks run code that nobody has looked at. */
  home: readonly string[]
  /** Folders below it that are Muster's own, kept between runs. */
  caches?: readonly string[] | undefined
  /** The system is an image's, which has its own. */
  image?: boolean
}

/** What one worker needs beside the rest. */
export interface Needs {
  /** Paths that it must be able to read. */
  readable?: readonly string[]
  /** Places of its own that it must be able to write, in the home or elsewhere. */
  writable?: readonly string[]
  /** What it sees of the places of its own, where that is not simply what is there. */
  rules?: readonly Rule[]
  /** It writes to nothing but those: its workspace is read-only, and no other place of the home is shown. */
  looksOnly?: boolean
}

/** Shown to the worker in place of the run's folder, which also holds what only Muster may touch. */
export const boxOf = (dir: string): string => join(dir, 'box')

export function rulesOf(
  request: RunRequest,
  env: Readonly<Record<string, string>>,
  around: SandboxMounts,
  needs: Needs = {},
): Rule[] {
  const { HOME = '', TMPDIR: tmp = '/tmp', PATH: path = '' } = env
  const home = isAbsolute(HOME) ? HOME : '/nonexistent'
  const hidden = [...SYSTEM_HIDDEN, tmp, home, around.dataDir, ...otherData(around.dataDir)].filter(
    (at) => realPath(at) !== '/',
  )
  const listed = needs.looksOnly === true || isCommand(request) ? [] : around.home
  // One that holds the whole home, or Muster's data, would undo all of this.
  const entries = [...listed, ...(needs.writable ?? [])]
    .map((path) => resolve(home, path))
    .filter((entry) => ![home, around.dataDir].some((whole) => holds(entry, whole)))
  // One inside another is there anyway; and a run that may write the other could make a link of it.
  const kept = outermost(entries)
  const submodules = join(around.dataDir, 'submodules')
  const readable = [
    ...(around.image === true ? [] : SYSTEM_READABLE),
    ...programs(path, hidden, kept),
    ...(needs.readable ?? []),
    join(around.dataDir, 'mirror.git', 'objects'),
    ...names(submodules).map((name) => join(submodules, name, 'objects')),
  ]
  const writable = needs.looksOnly === true ? kept : [...kept, request.workspace]
  if (needs.looksOnly === true) readable.push(request.workspace)
  return [
    ...hidden.map((at): Rule => ({ path: at, access: 'hide', ...(at === home ? { always: true } : {}) })),
    ...readable.map((at): Rule => ({ path: at, access: 'read' })),
    { path: request.projectRoot, access: 'read', always: true },
    ...writable.map((at): Rule => ({ path: at, access: 'write' })),
    ...(needs.rules ?? []),
    { path: request.dir, access: 'write', from: boxOf(request.dir) },
    ...(hidden.includes(home) && existsSync(home) ? cachesOf(request, around, needs, home, kept) : []),
  ]
}

/** A check, or the project's setup. */
const isCommand = ({ role }: RunRequest): boolean => role === 'check' || role === 'setup'

/**
 * Each kind of run has its own, so that none finds what another left for it: an author nothing for a check, a check nothing
 * for a judge or the setup. Where nobody declared any, authors and the setup have those of package managers, and what judges has none.
 */
function cachesOf(
  request: RunRequest,
  around: SandboxMounts,
  needs: Needs,
  home: string,
  kept: readonly string[],
): Rule[] {
  if (needs.looksOnly === true) return []
  const kind = isCommand(request) ? `${request.role}s` : request.judge ? 'judges' : 'authors'
  const shown = around.caches ?? (kind === 'authors' || kind === 'setups' ? AUTHORS_CACHES : [])
  // None inside another, or inside what a run may write: it could put something else in its place.
  const places = outermost(shown.map((name) => resolve(home, name)))
  return places
    .filter((place) => !kept.some((entry) => isWithin(place, entry)))
    .map((path) => {
      // Flat, so that nothing inside one leads to another.
      const from = join(around.dataDir, 'caches', kind, encodeURIComponent(relative(home, path)))
      mkdirSync(from, { recursive: true, mode: 0o700 })
      return { path, access: 'write', from }
    })
}

const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)))

/** Whether a place is the other one, or has it inside, by whatever names. */
const holds = (place: string, whole: string): boolean =>
  [place, realPath(place) ?? place].some((at) =>
    [whole, realPath(whole) ?? whole].some((inside) => isWithin(inside, at)),
  )

/** Files that the command names by their whole path. */
export function filesNamedIn(run: string): string[] {
  return firstWords(run).flatMap(({ text }) => {
    if (text === null || !isAbsolute(text)) return []
    return statSync(text, { throwIfNoEntry: false })?.isFile() === true ? [text] : []
  })
}

/** The data of other projects, which lies beside ours. */
function otherData(dataDir: string): string[] {
  const parent = dirname(dataDir)
  return names(parent)
    .map((name) => join(parent, name))
    .filter((dir) => existsSync(join(dir, 'muster.db')))
}

/** What the PATH's hidden folders need to be of use: themselves, the `lib` beside them, and where their links lead. */
function programs(path: string, hidden: readonly string[], writable: readonly string[]): string[] {
  const places = hidden.map(realPath).filter((place) => place !== null)
  const kept = writable.map(realPath).filter((place) => place !== null)
  const isHidden = (at: string): boolean => places.some((place) => isWithin(at, place))
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .flatMap((entry) => {
      const real = realPath(entry)
      // A home on the PATH would be no hidden home; and links that a run could have made are not followed.
      if (real === null || !isHidden(real) || places.includes(real)) return []
      if (kept.some((place) => isWithin(real, place))) return []
      const targets = names(real).flatMap((name) => targetOf(join(real, name)))
      return [entry, join(dirname(real), 'lib'), ...targets.filter((target) => isHidden(target))]
    })
}

/** Where a link in a PATH folder leads: to a file, or into a package, which is needed whole. */
function targetOf(path: string): string[] {
  const target = realPath(path)
  if (target === null || target === path) return []
  const [, modules] = /^(.*?\/node_modules)\//.exec(target) ?? []
  return [modules ?? target]
}

function names(dir: string): string[] {
  try {
    return readdirSync(realpathSync(dir))
  } catch {
    return []
  }
}
