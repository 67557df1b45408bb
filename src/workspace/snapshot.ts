/**
 * The tree an author left, as a commit. What must never reach a branch is left out and named: links that leave the
 * tree, repositories inside the repository, names that some file systems take for others or for `.git`, and conflict
 * markers of ours that nobody resolved.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { AttemptBase, Refused, Snapshot, SnapshotRequest } from '../ports/workspaces.ts'
import { ignorePatterns } from './ignore.ts'
import { messagesOf, withMessages } from './messages.ts'
import type { Identity, Mirror } from './mirror.ts'

interface Entry {
  mode: string
  object: string
  baseMode: string
  baseObject: string
  path: string
}

const GITLINK = '160000'
const SYMLINK = '120000'
const linkBytesMax = 4096
const emptyRepositoriesMax = 20
const NESTED = 'it is a repository inside the repository, and no declared submodule'
const LOOKALIKE = 'some systems take this name for .git'
/** git would end at the first bad name; we want to leave it out and say which it was. */
const anyName = ['-c', 'core.protectNTFS=false', '-c', 'core.protectHFS=false']

export async function takeSnapshot(mirror: Mirror, request: SnapshotRequest): Promise<Snapshot> {
  const { dir, base, index, keepAs } = request
  const options = { workTree: dir, indexFile: index }
  if (!existsSync(index)) await mirror.run(['read-tree', base.tree], options)
  const unreadable = await addAll(mirror, options, request.leaveOut)
  // Whatever the author's own .gitignore says of them.
  if (request.leaveOut.length > 0) {
    const forget = ['--literal-pathspecs', 'rm', '-r', '-f', '--cached', '--quiet', '--ignore-unmatch', '--']
    await mirror.run([...forget, ...request.leaveOut], options)
  }
  let tree = await mirror.line([...anyName, 'write-tree'], options)
  const refused = tree === base.tree ? [] : await refusals(mirror, base.tree, tree)
  if (refused.length > 0) {
    const back = refused.map(({ entry }) => restore(entry)).join('')
    await mirror.run([...anyName, 'update-index', '-z', '--index-info'], { ...options, stdin: back })
    tree = await mirror.line([...anyName, 'write-tree'], options)
  }
  const [parent] = base.parents
  const unchanged = tree === base.tree && base.parents.length === 1 && parent !== undefined
  const author: Identity = { name: `${request.author} (muster)`, email: 'agent@muster.invalid' }
  const message = withMessages(request.message, await messagesOf(dir, base.parents))
  const commit = unchanged ? parent : await mirror.commitTree(tree, base.parents, message, author)
  await mirror.keep(`attempt/${keepAs}`, commit)
  return { commit, refused: [...unreadable, ...refused.map(({ path, why }) => ({ path, why }))] }
}

/** Everything that git can take; what it cannot (a name that is .git to it, a file that may not be read) is named. */
async function addAll(
  mirror: Mirror,
  options: { workTree: string; indexFile: string },
  leaveOut: readonly string[],
): Promise<Refused[]> {
  const refused: Refused[] = []
  const ignore = `${options.indexFile}.ignore`
  await writeFile(ignore, ignorePatterns(leaveOut))
  for (let round = 0; round < emptyRepositoriesMax; round++) {
    // A repository without a commit makes git give up on everything: it is named, left out, and the rest tried again.
    const without = refused.map(({ path }) => `:(exclude,literal)${path}`)
    const args = [
      ...anyName,
      '-c',
      `core.excludesFile=${ignore}`,
      'add',
      '--all',
      '--ignore-errors',
      '--',
      '.',
      ...without,
    ]
    const added = await mirror.run(args, { ...options, okCodes: [1, 128] })
    if (added.code === 0) return refused
    const empty = /^error: '(.*)\/' does not have a commit checked out$/m.exec(added.stderr)?.[1]
    if (empty !== undefined) {
      refused.push({ path: empty, why: NESTED })
      continue
    }
    const named = [...added.stderr.matchAll(/^error: (invalid path|unable to index file) '(.*)'$/gm)]
    if (added.code === 1 && named.length > 0) {
      const why = { 'invalid path': LOOKALIKE, 'unable to index file': 'it could not be read' }
      return [...refused, ...named.map(([, what, path = '']) => ({ path, why: why[what as keyof typeof why] }))]
    }
    throw notSaved(added.stderr)
  }
  throw notSaved(`more than ${emptyRepositoriesMax} repositories inside the repository`)
}

function notSaved(said: string): MusterError {
  return new MusterError('git', `the result could not be saved: ${said.trim().split('\n').slice(-3).join(' ')}`, {
    hint: 'its workspace is kept: muster open shows where',
  })
}

/** What a snapshot would look at: the paths that differ from the base. Writes nothing but the index. */
export async function changedPaths(mirror: Mirror, dir: string, base: AttemptBase, index: string): Promise<string[]> {
  const options = { workTree: dir, indexFile: index }
  await mirror.run(['read-tree', base.tree], options)
  const changed = await mirror.run(['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff'], options)
  const added = await mirror.run(['ls-files', '-z', '--others', '--exclude-standard'], options)
  return `${changed.stdout}${added.stdout}`.split('\0').filter((path) => path !== '')
}

/** Files that still hold both sides between markers of ours: those name the two commits that were merged. */
export async function leftoverMarkers(mirror: Mirror, commit: string): Promise<string[]> {
  const found = await mirror.run(['grep', '-lzE', '^(<{7}|>{7}) [0-9a-f]{40}([0-9a-f]{24})?$', commit], {
    okCodes: [1],
  })
  return found.stdout
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(name.indexOf(':') + 1))
}

/** How the index gets back to what the base had at this path: the old entry, or none. */
function restore({ baseMode, baseObject, path }: Entry): string {
  return `${baseMode === '000000' ? '0' : baseMode} ${baseObject}\t${path}\0`
}

async function refusals(mirror: Mirror, from: string, to: string): Promise<(Refused & { entry: Entry })[]> {
  const changed = await changedEntries(mirror, from, to)
  const collisions = changed.some((entry) => entry.baseMode === '000000')
    ? await collidingNames(mirror, to)
    : new Map<string, string>()
  const refused: (Refused & { entry: Entry })[] = []
  for (const entry of changed) {
    if (entry.mode === '000000') continue
    const collision = entry.baseMode === '000000' ? collisions.get(entry.path) : undefined
    const why = nameProblem(entry.path) ?? collision ?? (await entryProblem(mirror, entry))
    if (why !== null) refused.push({ path: entry.path, why, entry })
  }
  return refused
}

async function changedEntries(mirror: Mirror, from: string, to: string): Promise<Entry[]> {
  const raw = await mirror.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to])
  const parts = raw.stdout.split('\0')
  const entries: Entry[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [baseMode = '', mode = '', baseObject = '', object = ''] = (parts[at] ?? '').slice(1).split(' ')
    entries.push({ mode, object, baseMode, baseObject, path: parts[at + 1] ?? '' })
  }
  return entries
}

/** Names that are one and the same where case or Unicode form does not count. */
async function collidingNames(mirror: Mirror, tree: string): Promise<Map<string, string>> {
  const listed = await mirror.run(['ls-tree', '-r', '-z', '--name-only', tree])
  const first = new Map<string, string>()
  const collisions = new Map<string, string>()
  for (const path of listed.stdout.split('\0')) {
    const key = path.normalize('NFC').toLowerCase()
    const other = first.get(key)
    if (other === undefined) first.set(key, path)
    else
      for (const [mine, theirs] of [
        [path, other],
        [other, path],
      ] as const) {
        collisions.set(mine, `it has the same name as ${theirs} where upper and lower case are the same`)
      }
  }
  return collisions
}

/** What other systems read as `.git`: other case, trailing dots and spaces, the short name, invisible characters. */
function nameProblem(path: string): string | null {
  for (const part of path.split('/')) {
    const plain = part
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, '')
    if (plain === '.git' || /^git~\d+$/.test(plain)) return LOOKALIKE
    if (part === '..' || part === '.') return 'its name leaves the tree'
  }
  return null
}

async function entryProblem(mirror: Mirror, { mode, object, baseMode, path }: Entry): Promise<string | null> {
  if (mode === GITLINK) {
    return baseMode === GITLINK ? null : NESTED
  }
  if (mode !== SYMLINK) return null
  const target = (await mirror.run(['cat-file', 'blob', object])).stdout
  if (target.length > linkBytesMax) return 'it is a link whose target is too long'
  if (posix.isAbsolute(target)) return `it is a link to ${target.slice(0, 200)}, outside the tree`
  const resolved = posix.normalize(posix.join(posix.dirname(path), target))
  if (resolved === '..' || resolved.startsWith('../'))
    return `it is a link to ${target.slice(0, 200)}, outside the tree`
  return /(^|\/)\.git(\/|$)/i.test(resolved) ? 'it is a link into .git' : null
}
