/**
 * Makes a commit of the tree that an author left, with Muster's own git directory and index, after a look at the files
 * (survey.ts). What must never reach a branch is left out and named. Gitlinks are hidden from git, because it would run
 * `git status` in each of them, with whatever the agent planted there.
 */
import { existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { lowerOf, writtenIn } from '../process/layers.ts'
import type { AttemptBase, Refused, Snapshot, SnapshotRequest } from '../ports/workspaces.ts'
import type { Gitlink } from './gitmodules.ts'
import { declaredIn, gitlinksOf } from './gitmodules.ts'
import { headOf, messagesOf, withMessages } from './messages.ts'
import type { Identity, Mirror } from './mirror.ts'
import { shown } from './names.ts'
import { GITLINK, NESTED, refusals } from './refusals.ts'
import type { Added } from './snapshot-index.ts'
import { Index } from './snapshot-index.ts'
import type { Place } from './survey.ts'
import { survey } from './survey.ts'

/** The commit of a submodule as the author left it; null when its folder was not filled in. */
type TakeSubmodule = (request: SnapshotRequest, gitlink: Gitlink) => Promise<Snapshot | null>

export async function takeSnapshot(
  mirror: Mirror,
  request: SnapshotRequest,
  takeSubmodule: TakeSubmodule | null = null,
): Promise<Snapshot> {
  const { dir, base } = request
  // What lies inside a workspace is in no layers of its own, whatever an agent notes down there.
  const layered = takeSubmodule !== null && lowerOf(dir) !== null
  const { tree, refused } = await takeTree(mirror, request, { dir, layered }, takeSubmodule ?? (async () => null))
  const [parent] = base.parents
  // What an earlier attempt did may be in the base and in none of its parents yet.
  const unchanged = base.parents.length === 1 && parent !== undefined && tree === (await mirror.treeOf(parent))
  if (unchanged) return { commit: parent, refused }
  const author: Identity = { name: `${request.author} (muster)`, email: 'agent@muster.invalid' }
  const message = withMessages(request.message, await messagesOf(layered ? writtenIn(dir) : dir, base.parents))
  return { commit: await mirror.commitTree(tree, base.parents, message, author), refused }
}

async function takeTree(
  mirror: Mirror,
  request: SnapshotRequest,
  place: Place,
  takeSubmodule: TakeSubmodule,
): Promise<Added> {
  const { dir, base, index: kept, leaveOut } = request
  const found = await survey(place)
  const index = new Index(mirror, place, kept, leaveOut)
  if (!existsSync(kept)) await mirror.run(['read-tree', base.tree], { indexFile: kept })
  const { all } = await gitlinksOf(mirror.dir, base.tree)
  let { tree, refused } = await index.addAll(found, all, [])
  const released = await releasedBy(mirror, request, tree)
  const held = all.filter((gitlink) => !released.includes(gitlink))
  if (released.length > 0) {
    const nested = released.filter(({ path }) => existsSync(join(dir, path, '.git')))
    ;({ tree, refused } = await index.addAll(found, [...held, ...nested], released))
    refused.push(...nested.map(({ bytes }) => ({ path: bytes, why: NESTED })))
  }
  const free = new Set(released.map(({ bytes }) => bytes))
  const wrong = tree === base.tree ? [] : await refusals(mirror, base.tree, tree, free)
  const changes = wrong.map(({ restore }) => restore)
  const named = new Set(refused.map(({ path }) => path))
  const inside: Refused[] = []
  for (const gitlink of held) {
    const taken = (await takeSubmodule(request, gitlink)) ?? (await unfilled(dir, gitlink))
    inside.push(...taken.refused)
    if (taken.refused.length > 0) named.add(gitlink.bytes)
    if (taken.commit !== gitlink.commit) changes.push(`${GITLINK} ${taken.commit}\t${gitlink.bytes}\0`)
  }
  if (changes.length > 0) tree = await index.change(changes)
  await index.remove()
  const outside = [...refused, ...wrong.filter(({ path }) => !named.has(path))]
  return { tree, refused: [...outside.map(({ path, why }) => ({ path: shown(path), why })), ...inside] }
}

/**
 * Gitlinks that the author did away with, so that what is in their place counts like anything else: submodules that their
 * `.gitmodules` does not declare any more, and of those that were never declared the ones whose folder is gone.
 */
async function releasedBy(mirror: Mirror, { dir, base }: SnapshotRequest, tree: string): Promise<Gitlink[]> {
  const { all, declared, file: before } = await gitlinksOf(mirror.dir, base.tree)
  const gone = all.filter(({ name, path }) => name === null && !existsSync(join(dir, path)))
  if (declared.length === 0) return gone
  const after = (await mirror.run(['rev-parse', '--verify', '--quiet', `${tree}:.gitmodules`], { okCodes: [1] })).stdout
  if (after.trim() === before) return gone
  const names = after === '' ? new Map<string, string>() : await declaredIn(mirror.dir, after.trim())
  return names === null ? gone : [...gone, ...declared.filter(({ path, name }) => names.get(path) !== name)]
}

/** A folder that Muster left empty stays what it was; only a clone of that very commit may have come there meanwhile. */
async function unfilled(dir: string, { path, commit }: Gitlink): Promise<Snapshot> {
  const there = await whatIsAt(dir, path)
  const same = there === 'nothing' || (there === 'a folder' && (await headOf(join(dir, path))) === commit)
  const why = 'it is a submodule that is not checked out here, so Muster keeps nothing in its place'
  return { commit, refused: same ? [] : [{ path, why }] }
}

/** An empty folder is nothing; one that a link leads to is something else. */
export async function whatIsAt(dir: string, path: string): Promise<'nothing' | 'a folder' | 'something else'> {
  const place = join(await realpath(dir), path)
  const real = await realpath(place).catch(() => null)
  if (real === null) return 'nothing'
  const names = real === place ? await readdir(place).catch(() => null) : null
  if (names === null) return 'something else'
  return names.length === 0 ? 'nothing' : 'a folder'
}

/** What a snapshot would look at: the paths that differ from the base. Writes nothing into the mirror. */
export async function changedPaths(mirror: Mirror, dir: string, base: AttemptBase, index: string): Promise<string[]> {
  const place = { dir, layered: lowerOf(dir) !== null }
  await survey(place)
  const options = { workTree: dir, layered: place.layered, indexFile: index }
  await mirror.run(['read-tree', base.tree], options)
  const changed = await mirror.run(
    ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'],
    options,
  )
  const added = await mirror.run(['ls-files', '-z', '--others', '--exclude-standard'], options)
  return `${changed.stdout}${added.stdout}`.split('\0').filter((path) => path !== '')
}

/** A marker of ours names a commit that was merged and, if the file was renamed, the file; its line ends as the file's do. */
const MARKER = '^(<{7}|>{7}) [0-9a-f]{40}([0-9a-f]{24})?(:.*)?[[:space:]]*$'

/** Files that still hold both sides between markers of ours. */
export async function leftoverMarkers(mirror: Mirror, commit: string): Promise<string[]> {
  const found = await mirror.run(['grep', '-lzE', MARKER, commit], { okCodes: [1] })
  return found.stdout
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(name.indexOf(':') + 1))
}
