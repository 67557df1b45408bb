/**
 * The packages of a repository that has several: those of its workspace, or the folders of a repository without files
 * at its root. Each package with tests gets its own check, with the paths of the changes that must run it.
 */
import { posix } from 'node:path'
import type { ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { factsOf } from '../tools/facts.ts'
import type { Hints } from '../tools/tool-finder.ts'
import { foldersLike, LOCK_NAMES, packageOf, type ReadText } from '../tools/packages.ts'
import { type Has, type Setup, setupsOf } from '../tools/setup.ts'
import { shellQuote } from '../tools/words.ts'
import { projectPath } from './fields.ts'
import { parseYaml } from './yaml.ts'

/** With more of them, one check runs the tests of all. */
export const packageChecksMax = 20

/** With more paths than this, every change runs a check. */
const pathsMax = 40
/** In a list of paths they would end a line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u

export interface PackageCheck {
  name: string
  run: string
  cwd: string
  paths: string[]
}

export interface Packages {
  /** Where they are; empty for a repository that is one. */
  folders: readonly string[]
  /** They share what is installed at the root. */
  shared: boolean
  /** The root is a project too. */
  top: boolean
  notes: string[]
}

const MANIFEST =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|go\.(?:mod|work)|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|mix\.exs)$/
/** A project is at the top, in a folder or one below that. */
const PROJECT = /^([^/]+(?:\/[^/]+)?)\/([^/]+)$/
/** Folders that hold no project of their own. */
const ASIDE =
  /(?:^|\/)(?:\..*|examples?|samples?|demos?|docs?|website|fixtures?|tests?|__tests__|e2e|templates?|vendor|third_party)(?:\/|$)/

export function packagesOf(files: readonly string[], read: ReadText): Packages {
  const notes: string[] = []
  const globs = [...packageOf(read).workspaces, ...pnpmGlobs(files, read, notes)]
  const all = foldersLike(globs, files, 'package.json')
  const members = all.filter((folder) => projectPath.safeParse(folder).data === folder && !CONTROL.test(folder))
  if (members.length < all.length) {
    const left = all.length - members.length
    notes.push(
      `${left} ${left === 1 ? 'package was' : 'packages were'} left out: muster.yaml cannot hold such a folder name`,
    )
  }
  const top = files.some((file) => MANIFEST.test(file))
  if (globs.length > 0) return { folders: members, shared: true, top, notes }
  const holders = files.flatMap((file) => {
    const [, folder = '', name = ''] = PROJECT.exec(file) ?? []
    return MANIFEST.test(name) && !ASIDE.test(folder) ? [folder] : []
  })
  const folders = [...new Set(holders)]
  // Of a folder within another one, the outer is the project.
  const outer = folders.filter((one) => !folders.some((other) => one.startsWith(`${other}/`)))
  return { folders: outer.toSorted(), shared: false, top, notes }
}

function pnpmGlobs(files: readonly string[], read: ReadText, notes: string[]): string[] {
  const name = 'pnpm-workspace.yaml'
  if (!files.includes(name)) return []
  try {
    const { packages } = Object(parseYaml(read(name) ?? '', name).value) as { packages?: unknown }
    return Array.isArray(packages) ? packages.filter((glob) => typeof glob === 'string') : []
  } catch (error) {
    if (!(error instanceof MusterError)) throw error
    notes.push(`its packages were not read: ${error.message}`)
    return []
  }
}

type View = (folder: string) => [string[], ReadText]

/** A folder as if it were the root; of a workspace, with the lock files that its members share. */
function viewsOf({ folders, shared }: Packages, files: readonly string[], read: ReadText): View {
  const own = new Map(folders.map((folder): [string, string[]] => [folder, []]))
  for (const file of files) {
    const folder = above(file).find((one) => own.has(one)) ?? ''
    own.get(folder)?.push(file.slice(folder.length + 1))
  }
  const locks = shared ? files.filter((file) => LOCK_NAMES.includes(file)) : []
  return (folder) => [
    [...(own.get(folder) ?? []), ...locks],
    (path) => read(locks.includes(path) ? path : `${folder}/${path}`),
  ]
}

/** The checks of all packages that have tests: in a workspace those with a script of their own, else whatever finds them. */
export function packageChecks(
  packages: Packages,
  files: readonly string[],
  read: ReadText,
  hints: Hints,
): PackageCheck[] {
  const { folders, shared } = packages
  const view = viewsOf(packages, files, read)
  const uses = new Map(folders.map((folder) => [folder, packageOf(read, `${folder}/package.json`)]))
  const folderOf = new Map([...uses].flatMap(([folder, { name }]) => (name === null ? [] : [[name, folder] as const])))
  /** Itself first. */
  const needed = (folder: string, seen = new Set([folder])): Set<string> => {
    for (const name of uses.get(folder)?.uses ?? []) {
      const used = folderOf.get(name)
      if (used === undefined || seen.has(used)) continue
      seen.add(used)
      needed(used, seen)
    }
    return seen
  }
  const loose = looseFolders(folders, files)
  const taken = new Set<string>()
  return folders.flatMap((folder) => {
    const tool = factsOf(...view(folder), {}, [], { ...hints, ci: new Set() }).tools['unit-test']
    if (tool === undefined || (shared && tool.own !== true)) return []
    const paths = !shared && reachesOut(...view(folder)) ? ['**'] : pathsOf([...needed(folder)], folders, loose)
    const name = nameOf(folder, taken)
    taken.add(name)
    return [{ name, run: tool.command, cwd: folder, paths }]
  })
}

/** Whether a project that shares no workspace names something beside its folder: what it uses there is not known. */
function reachesOut(files: readonly string[], read: ReadText): boolean {
  const manifests = files.filter(
    (file) => MANIFEST.test(file) || /^(?:requirements.*\.txt|tsconfig.*\.json|Makefile)$/.test(file),
  )
  return manifests.some((file) => (read(file) ?? '').includes('../'))
}

/** What each folder installs, where nothing is shared. */
export function folderSetups(packages: Packages, files: readonly string[], read: ReadText, has: Has): Setup[] {
  if (packages.shared) return []
  const view = viewsOf(packages, files, read)
  return packages.folders.flatMap((folder) =>
    setupsOf(...view(folder), has).map((setup) => ({
      ...setup,
      command: `( cd ${shellQuote(folder)} && ${setup.command} )`,
    })),
  )
}

/** Folders beside packages that are none: what lies there may concern all of them. */
function looseFolders(folders: readonly string[], files: readonly string[]): string[] {
  const parents = new Set(folders.map((folder) => posix.dirname(folder)))
  const own = new Set(folders)
  const known = new Set(folders.flatMap((folder) => [folder, ...above(folder)]))
  const isBeside = (folder: string) => folder.includes('/') && parents.has(posix.dirname(folder))
  const loose = new Set(files.flatMap((file) => above(file).filter(isBeside)))
  return [...loose].filter((folder) => !known.has(folder) && !above(folder).some((one) => own.has(one))).toSorted()
}

function above(path: string): string[] {
  const parent = posix.dirname(path)
  return parent === '.' ? [] : [parent, ...above(parent)]
}

/** Everything that lies in no package, and of the packages those that are `related`; if that is long to say, everything. */
function pathsOf(related: readonly string[], folders: readonly string[], loose: readonly string[]): string[] {
  const parents = [...new Set(folders.map((folder) => posix.dirname(folder)))]
  const others = folders.filter((folder) => !folder.includes('/') && !related.includes(folder))
  const out = parents.flatMap((parent) => (parent === '.' ? others.map(glob) : [`${glob(parent)}/*`]))
  const back = [...related.filter((folder) => folder.includes('/')), ...loose].map(glob)
  if (out.length + back.length > pathsMax) return ['**']
  return ['**', ...out.map((folder) => `!${folder}/**`), ...back.map((folder) => `${folder}/**`)]
}

const glob = (folder: string): string => folder.replace(/[()[\]{}*?!\\]/g, '\\$&')

/** After its folder; by its whole path, and a number, where another is called the same. */
function nameOf(folder: string, taken: ReadonlySet<string>): string {
  const named = (text: string) =>
    `unit-test-${text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')}`
  const names = [posix.basename(folder), folder, ...Array.from(taken, (_, at) => `${folder}-${at + 2}`)]
  return names.map((name) => named(name.slice(-60))).find((name) => !taken.has(name)) ?? ''
}

/**
 * Where the paths of checks that `init` wrote do not fit the packages of now, for people. A list of somebody's own, which
 * does not take out what `init` takes out, is left alone.
 */
export function stalePaths(
  { checks, checksOff = [] }: Pick<ProjectConfig, 'checks' | 'checksOff'>,
  files: readonly string[],
  read: ReadText,
): string[] {
  const all = Object.entries(checks).flatMap(([name, { cwd, paths = [] }]) =>
    paths.length > 1 ? [{ name, cwd, paths }] : [],
  )
  if (all.length === 0) return []
  return packageChecks(packagesOf(files, read), files, read, { has: () => true, ci: new Set() }).flatMap((now) => {
    const check = all.find(({ cwd }) => cwd === now.cwd)
    if (check === undefined) {
      const isKnown = checksOff.includes(now.name) || Object.values(checks).some(({ cwd }) => cwd === now.cwd)
      return isKnown ? [] : [`no check runs the tests of ${now.cwd}: add one, like for the other packages`]
    }
    const isOurs = now.paths.every((path) => !path.startsWith('!') || check.paths.includes(path))
    const missing = isOurs ? now.paths.filter((path) => !check.paths.includes(path)) : []
    if (missing.length === 0) return []
    return [
      `${check.name} does not run for changes in ${missing.join(', ')}, which ${now.cwd} uses: add that to its paths`,
    ]
  })
}
