/**
 * What an author left that must never reach a branch: links out of the tree, repositories inside the repository, names
 * that some file systems take for others or for `.git`, filters. Names are bytes (names.ts) until they are shown.
 */
import { posix } from 'node:path'
import type { Refused } from '../ports/workspaces.ts'
import { filtersIn } from './attributes.ts'
import { changedEntries, type Entry } from './entries.ts'
import { pathsIn } from './listing.ts'
import type { Mirror } from './mirror.ts'
import { asText, shown } from './names.ts'

export const GITLINK = '160000'
const SYMLINK = '120000'
const NONE = '000000'
const linkBytesMax = 4096
export const NESTED = 'it is a repository inside the repository, but not a declared submodule'
export const TOOK_ITS_PLACE = 'it is a submodule that something else replaced'
export const LOOKALIKE = 'some systems treat this name as .git'
const FILTER = 'it names a git filter. Muster runs no filters, so the content would not be what it seems'

/** Its path in bytes. */
interface Refusal extends Refused {
  /** How the index gets back to what the base had at this path, in the words of `update-index --index-info`. */
  restore: string
}

/** What of the change between two trees is refused; submodules whose bytes of a path are `free` may go. */
export async function refusals(
  mirror: Mirror,
  from: string,
  to: string,
  free: ReadonlySet<string>,
): Promise<Refusal[]> {
  const changed = await changedEntries(mirror, from, to)
  const collisions = changed.some((entry) => entry.baseMode === NONE)
    ? await collidingNames(mirror, to)
    : new Map<string, string>()
  const refused: Refusal[] = []
  for (const entry of changed) {
    const why = await problem(mirror, entry, collisions, free)
    if (why !== null) refused.push({ path: entry.path, why, restore: restore(entry) })
  }
  return refused
}

async function problem(
  mirror: Mirror,
  entry: Entry,
  collisions: ReadonlyMap<string, string>,
  free: ReadonlySet<string>,
): Promise<string | null> {
  const { mode, baseMode, path } = entry
  if (mode === GITLINK) return NESTED
  if (baseMode === GITLINK && !free.has(path)) return TOOK_ITS_PLACE
  if (mode === NONE) return null
  const collision = baseMode === NONE ? collisions.get(path) : undefined
  const named = nameProblem(asText(path)) ?? collision ?? null
  if (named !== null) return named
  if (posix.basename(path) === '.gitattributes' && (await addsFilter(mirror, entry))) return FILTER
  return mode === SYMLINK ? linkProblem(mirror, entry) : null
}

/** Whether it names a filter that the base did not have there: one of a submodule may. */
async function addsFilter(mirror: Mirror, { object, baseMode, baseObject }: Entry): Promise<boolean> {
  const before = baseMode === NONE ? [] : await filtersIn(mirror, baseObject)
  return (await filtersIn(mirror, object)).some((name) => !before.includes(name))
}

function restore({ baseMode, baseObject, path }: Entry): string {
  return `${baseMode === NONE ? '0' : baseMode} ${baseObject}\t${path}\0`
}

/** Names that are one and the same where case or Unicode form does not count. */
async function collidingNames(mirror: Mirror, tree: string): Promise<Map<string, string>> {
  const first = new Map<string, string>()
  const collisions = new Map<string, string>()
  for (const path of await pathsIn(mirror.dir, tree)) {
    const text = asText(path)
    // What is no text is the same as nothing else: all of it would look alike.
    const key = text.includes('\uFFFD') ? path : text.normalize('NFC').toLowerCase()
    const other = first.get(key)
    if (other === undefined) first.set(key, path)
    else
      for (const [mine, theirs] of [
        [path, other],
        [other, path],
      ] as const) {
        collisions.set(mine, `it has the same name as ${shown(theirs)} where upper and lower case are the same`)
      }
  }
  return collisions
}

/** What other systems read as `.git`: other case, trailing dots and spaces, the short name, invisible characters. */
export function nameProblem(path: string): string | null {
  for (const part of path.split('/')) {
    const plain = part
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, '')
    if (plain === '.git' || /^git~\d+$/.test(plain)) return LOOKALIKE
    if (part === '..' || part === '.') return 'its name leads outside of the tree'
  }
  return null
}

async function linkProblem(mirror: Mirror, { object, path }: Entry): Promise<string | null> {
  const target = (await mirror.run(['cat-file', 'blob', object])).stdout
  if (target.length > linkBytesMax) return 'it is a link whose target is too long'
  if (posix.isAbsolute(target)) return `it is a link to ${target.slice(0, 200)}, outside the tree`
  const resolved = posix.normalize(posix.join(posix.dirname(asText(path)), target))
  if (resolved === '..' || resolved.startsWith('../') || goesUpBehindName(target))
    return `it is a link to ${target.slice(0, 200)}, outside the tree`
  return /(^|\/)\.git(\/|$)/i.test(resolved) ? 'it is a link into .git' : null
}

/** Behind a name, which may be a link itself, `..` is above where that leads: nobody can tell by the words where that is. */
function goesUpBehindName(target: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  return parts.some((part, at) => part === '..' && at > 0 && parts[at - 1] !== '..')
}
