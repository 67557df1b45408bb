/**
 * The tree an author left, as a commit. It is taken with a git directory and an index of Muster's own; what must never
 * reach a branch is left out and named. Gitlinks are kept away from git: it would run `git status`, with whatever the
 * agent planted there, in each that it finds in the index.
 */
import { existsSync } from 'node:fs'
import { link, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { lowerOf, writtenIn } from '../process/layers.ts'
import type { AttemptBase, Refused, Snapshot, SnapshotRequest } from '../ports/workspaces.ts'
import type { Gitlink } from './gitmodules.ts'
import { declaredIn, gitlinksOf } from './gitmodules.ts'
import { ignorePatterns } from './ignore.ts'
import { headOf, messagesOf, withMessages } from './messages.ts'
import type { Identity, Mirror } from './mirror.ts'
import { GITLINK, LOOKALIKE, NESTED, refusals } from './refusals.ts'

/** The commit of a submodule as the author left it; null when its folder was not filled in. */
export type TakeSubmodule = (request: SnapshotRequest, gitlink: Gitlink) => Promise<Snapshot | null>

interface Taken {
  tree: string
  refused: Refused[]
}

const emptyRepositoriesMax = 20
/** git would end at the first bad name; we want to leave it out and say which it was. */
const anyName = ['-c', 'core.protectNTFS=false', '-c', 'core.protectHFS=false']

export async function takeSnapshot(
  mirror: Mirror,
  request: SnapshotRequest,
  takeSubmodule: TakeSubmodule | null = null,
): Promise<Snapshot> {
  const { dir, base } = request
  // What lies inside a workspace is in no layers of its own, whatever an agent notes down there.
  const layered = takeSubmodule !== null && lowerOf(dir) !== null
  const { tree, refused } = await takeTree(mirror, request, layered, takeSubmodule ?? (async () => null))
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
  layered: boolean,
  takeSubmodule: TakeSubmodule,
): Promise<Taken> {
  const { dir, base, index: kept, leaveOut } = request
  const index = new Index(mirror, { dir, layered }, kept, leaveOut)
  if (!existsSync(kept)) await mirror.run(['read-tree', base.tree], { indexFile: kept })
  const { all } = await gitlinksOf(mirror.dir, base.tree)
  let { tree, refused } = await index.addAll(all, [])
  const released = await releasedBy(mirror, request, tree)
  const held = all.filter((gitlink) => !released.includes(gitlink))
  if (released.length > 0) {
    const nested = released.filter(({ path }) => existsSync(join(dir, path, '.git')))
    ;({ tree, refused } = await index.addAll([...held, ...nested], released))
    refused.push(...nested.map(({ path }) => ({ path, why: NESTED })))
  }
  const free = new Set(released.map(({ bytes }) => bytes))
  const wrong = tree === base.tree ? [] : await refusals(mirror, base.tree, tree, free)
  const changes = wrong.map(({ restore }) => restore)
  for (const gitlink of held) {
    const taken = (await takeSubmodule(request, gitlink)) ?? (await unfilled(dir, gitlink))
    refused.push(...taken.refused)
    if (taken.commit !== gitlink.commit) changes.push(`${GITLINK} ${taken.commit}\t${gitlink.bytes}\0`)
  }
  if (changes.length > 0) tree = await index.change(changes)
  await index.remove()
  const named = new Set(refused.map(({ path }) => path))
  return {
    tree,
    refused: [...refused, ...wrong.filter(({ path }) => !named.has(path)).map(({ path, why }) => ({ path, why }))],
  }
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
  const why = 'it is a submodule that is not filled in here: nothing in its place is kept'
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

/** The index of one snapshot. The file that the checkout kept is only read: a repetition begins where the first did. */
class Index {
  readonly #mirror: Mirror
  readonly #kept: string
  readonly #leaveOut: readonly string[]
  readonly #options: { workTree: string; layered: boolean; indexFile: string; bytes: true }

  constructor(mirror: Mirror, at: { dir: string; layered: boolean }, kept: string, leaveOut: readonly string[]) {
    this.#mirror = mirror
    this.#kept = kept
    this.#leaveOut = leaveOut
    // The git of a Muster that was killed may still be at work on its own.
    this.#options = { workTree: at.dir, layered: at.layered, indexFile: `${kept}.${process.pid}`, bytes: true }
  }

  /** Everything that git can take; what it cannot (a name that is .git to it, a file that may not be read) is named. */
  async addAll(held: readonly Gitlink[], released: readonly Gitlink[]): Promise<Taken> {
    const refused: Refused[] = []
    const kept = await this.#reachable(held)
    const ignore = `${this.#kept}.ignore`
    await writeFile(ignore, ignorePatterns(this.#leaveOut))
    for (let round = 0; round < emptyRepositoriesMax; round++) {
      await this.#begin(released)
      const without = [...kept, ...refused.map(({ path }) => asBytes(path))]
      const stdin = ['.', ...without.map((path) => `:(exclude,literal)${path}`)].join('\0')
      const words = ['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul']
      const args = [...anyName, '-c', `core.excludesFile=${ignore}`, ...words]
      const added = await this.#mirror.run(args, { ...this.#options, stdin, okCodes: [1, 128] })
      if (added.code === 0) return { tree: await this.#worked(), refused }
      // A repository without a commit makes git give up on everything: it is named, left out, and the rest tried again.
      const empty = /^error: '(.*)\/' does not have a commit checked out$/m.exec(added.stderr)?.[1]
      if (empty !== undefined) {
        refused.push({ path: empty, why: NESTED })
        continue
      }
      const named = [...added.stderr.matchAll(/^error: (invalid path|unable to index file) '(.*)'$/gm)]
      if (added.code !== 1 || named.length === 0) throw notSaved(added.stderr)
      const why = { 'invalid path': LOOKALIKE, 'unable to index file': 'it could not be read' }
      refused.push(...named.map(([, what, path = '']) => ({ path, why: why[what as keyof typeof why] })))
      return { tree: await this.#worked(), refused }
    }
    throw notSaved(`more than ${emptyRepositoriesMax} repositories inside the repository`)
  }

  /** The tree after these lines of `update-index --index-info`. */
  async change(lines: readonly string[]): Promise<string> {
    const args = [...anyName, 'update-index', '-z', '--index-info']
    await this.#mirror.run(args, { ...this.#options, stdin: lines.join('') })
    return this.#writeTree()
  }

  async remove(): Promise<void> {
    await rm(this.#options.indexFile, { force: true })
  }

  /** The tree without what is no work, whatever the author's own .gitignore says of it. */
  async #worked(): Promise<string> {
    if (this.#leaveOut.length > 0) {
      const forget = ['--literal-pathspecs', 'rm', '-r', '-f', '--cached', '--quiet', '--ignore-unmatch']
      const stdin = this.#leaveOut.map(asBytes).join('\0')
      await this.#mirror.run([...forget, '--pathspec-from-file=-', '--pathspec-file-nul'], { ...this.#options, stdin })
    }
    return this.#writeTree()
  }

  /** A second name for the kept file, not a copy: git writes a new one anyway, and tells by its age what it can trust. */
  async #begin(released: readonly Gitlink[]): Promise<void> {
    await this.remove()
    await link(this.#kept, this.#options.indexFile)
    if (released.length > 0) await this.change(released.map(({ commit, bytes }) => `0 ${commit}\t${bytes}\0`))
  }

  /** Behind a link git finds nothing, and does not want to be told of anything there. */
  async #reachable(held: readonly Gitlink[]): Promise<string[]> {
    const top = await realpath(this.#options.workTree)
    const reachable = held.map(async ({ path, bytes }) => {
      const folder = dirname(join(top, path))
      return (await realpath(folder).catch(() => folder)) === folder ? [bytes] : []
    })
    return (await Promise.all(reachable)).flat()
  }

  #writeTree(): Promise<string> {
    return this.#mirror.line([...anyName, 'write-tree'], this.#options)
  }
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function notSaved(said: string): MusterError {
  return new MusterError('git', `the result could not be saved: ${said.trim().split('\n').slice(-3).join(' ')}`, {
    hint: 'its workspace is kept: muster open shows where',
  })
}

/** What a snapshot would look at: the paths that differ from the base. Writes nothing but the index. */
export async function changedPaths(mirror: Mirror, dir: string, base: AttemptBase, index: string): Promise<string[]> {
  const options = { workTree: dir, layered: lowerOf(dir) !== null, indexFile: index }
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
