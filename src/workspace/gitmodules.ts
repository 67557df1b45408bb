/**
 * The submodules of a tree, read from the tree itself and never from a workspace, and the user's repository of each. No
 * name in `.gitmodules` is trusted, and no address in it is contacted.
 */
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { namedFilters } from './attributes.ts'
import { checkouts } from './checkout.ts'
import { git } from './git.ts'
import { listingOf } from './listing.ts'
import { asText } from './names.ts'
import { GITLINK, nameProblem } from './refusals.ts'
import { storageOf } from './repository.ts'

export interface Gitlink {
  path: string
  /** The path byte for byte. */
  bytes: string
  commit: string
  /** What `.gitmodules` calls it; null when it is no declared submodule. */
  name: string | null
}

export interface Submodule extends Gitlink {
  name: string
}

interface Gitlinks {
  all: readonly Gitlink[]
  declared: readonly Submodule[]
  /** The object of `.gitmodules`; null when there is none, or it is no file. */
  file: string | null
}

const treesKnownMax = 1000
const nameCharsMax = 200
/** A tree never changes, and many attempts start from the same one. */
const known = new Map<string, Gitlinks>()

export async function gitlinksOf(gitDir: string, tree: string): Promise<Gitlinks> {
  const cached = known.get(tree)
  if (cached !== undefined) return cached
  const listed = await listingOf(gitDir, tree)
  const file = /(?:^|\0)100\d+ blob ([0-9a-f]+)\t\.gitmodules\0/.exec(listed)?.[1] ?? null
  const links = [...listed.matchAll(new RegExp(`(?:^|\\0)${GITLINK} commit ([0-9a-f]+)\\t([^\\0]+)(?=\\0)`, 'g'))]
  const names = links.length > 0 && file !== null ? ((await declaredIn(gitDir, file)) ?? new Map()) : new Map()
  const all = links.map(([, commit = '', bytes = '']): Gitlink => {
    const path = asText(bytes)
    return { path, bytes, commit, name: (names as Map<string, string>).get(path) ?? null }
  })
  const found = { all, declared: all.filter((link): link is Submodule => link.name !== null), file }
  if (known.size >= treesKnownMax) known.clear()
  known.set(tree, found)
  return found
}

/** Names by path as a `.gitmodules` has them; null when it cannot be read as one. */
export async function declaredIn(gitDir: string, file: string): Promise<Map<string, string> | null> {
  const args = ['config', `--blob=${file}`, '--no-includes', '-z', '--get-regexp', '^submodule\\..*\\.path$']
  const read = await git(args, { gitDir, okCodes: [1, 3, 128] })
  if (read.code > 1) return null
  const paths = new Map<string, string>()
  for (const [, name = '', path = ''] of read.stdout.matchAll(/submodule\.([^\n]*)\.path\n([^\0]*)\0/g)) {
    if (isSafe(name) && isSafe(path)) paths.set(name, path)
  }
  return new Map([...paths].map(([name, path]) => [path, name]))
}

/** A name becomes a folder beside others: it must not lead anywhere else. */
export function isSafe(name: string): boolean {
  return (
    name.length <= nameCharsMax &&
    !/[\p{Cc}\\\uFFFD]/u.test(name) &&
    !name.startsWith('-') &&
    name.split('/').every((part) => part !== '') &&
    nameProblem(name) === null
  )
}

/** The user's own repositories of a submodule that have all of its files. */
export async function repositoriesOf(userGitDir: string, submodule: Submodule): Promise<string[]> {
  const whole: string[] = []
  for (const gitDir of await placesOf(userGitDir, submodule)) {
    if (!(await storageOf(gitDir)).partial) whole.push(gitDir)
  }
  return whole
}

/** Where the user has it: beside the git directory, or in a checkout. Looks, never changes anything. */
async function placesOf(userGitDir: string, { name, path }: Submodule): Promise<string[]> {
  const found = new Set<string>()
  const absorbed = join(userGitDir, 'modules', name)
  if (existsSync(join(absorbed, 'HEAD')) && existsSync(join(absorbed, 'objects'))) found.add(await realpath(absorbed))
  for (const root of await checkouts(userGitDir)) {
    const place = join(root, path)
    // Without a repository of its own git would find the one around it; and a link would lead to somebody else's.
    if (!existsSync(join(place, '.git')) || (await realpath(place)) !== join(await realpath(root), path)) continue
    const told = await git(['rev-parse', '--git-common-dir'], { cwd: place, okCodes: [128] })
    if (told.code === 0) found.add(await realpath(resolve(place, told.stdout.trimEnd())))
  }
  return [...found]
}

/** What somebody should know about the submodules of a commit before work starts from it. */
export async function notesOnSubmodules(userGitDir: string, commit: string): Promise<string[]> {
  const notes: string[] = []
  for (const link of (await gitlinksOf(userGitDir, commit)).all) notes.push(...(await noteOn(userGitDir, link)))
  return notes
}

async function noteOn(userGitDir: string, link: Gitlink): Promise<string[]> {
  const { name, path, commit } = link
  const empty = `agents see the folder ${path} empty:`
  if (name === null) return [`${empty} .gitmodules does not declare this submodule`]
  const places = await placesOf(userGitDir, { ...link, name })
  if (places.length === 0) return [`${empty} the submodule is not initialised (git submodule update --init ${path})`]
  const repositories = await repositoriesOf(userGitDir, { ...link, name })
  if (repositories.length === 0) return [`${empty} your clone of it is partial (clone it again without --filter)`]
  for (const gitDir of repositories) {
    const there = await git(['cat-file', '-e', `${commit}^{commit}`], { gitDir, okCodes: [1, 128] })
    if (there.code !== 0) continue
    const filters = await namedFilters(gitDir, commit)
    return filters.length === 0
      ? []
      : [`in ${path} agents see only what filters left of the files: ${filters.join(', ')}`]
  }
  return [`${empty} its commit ${commit.slice(0, 12)} is not in your repository (git submodule update ${path})`]
}
