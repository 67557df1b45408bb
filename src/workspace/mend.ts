/**
 * Repairs the mirror after the machine went down: files that git had not synced may be empty or missing. Everything
 * that the user's repository has comes from there, the rest from what is left. What is lost is named.
 */
import { existsSync } from 'node:fs'
import { cp, readFile, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeWhole } from '../durable.ts'
import { FETCH, git, gitLine } from './git.ts'

const HEAD = /^(?:ref: refs\/\S+|[0-9a-f]{40,64})\n?$/
/** What git thinks of what is written in an object: old histories are full of that, and agents may write what they like. */
const CONTENT = /^(?:(?:error|warning) in (?:blob|tree|commit|tag) |notice: |dangling |Checking )/
/** Brought along to find objects, and gone again at the end. */
const BORROWED = 'refs/mending/'

/** Without a HEAD git takes the folder for no repository at all; nothing else is in it. */
export async function ensureHead(mirror: string): Promise<void> {
  const text = await readFile(join(mirror, 'HEAD'), 'utf8').catch(() => '')
  if (!HEAD.test(text)) await writeWhole(join(mirror, 'HEAD'), 'ref: refs/heads/main\n')
}

/** What git finds wrong when it looks at everything. */
export async function damageIn(mirror: string): Promise<string[]> {
  const looked = await git(['fsck', '--full', '--no-dangling', '--no-progress'], { gitDir: mirror, okCodes: ANY })
  const lines = `${looked.stdout}\n${looked.stderr}`.split('\n').map((line) => line.trim())
  const wrong = lines.filter((line) => line !== '' && !CONTENT.test(line))
  // A pack that it cannot read is no trouble to it as long as nothing is missed; the next fetch would miss it.
  const unread = looked.code === 0 ? wrong.filter((line) => line.startsWith('error: ')) : wrong
  return [...unread, ...(await halfPacks(mirror))]
}

/**
 * A pack or an index without the other says nothing to fsck, but is in the way when that pack is fetched again: git takes
 * the half that is there, whatever is in it.
 */
async function halfPacks(mirror: string): Promise<string[]> {
  const names = await readdir(join(mirror, 'objects/pack')).catch((): string[] => [])
  const other = (name: string) => name.replace(/\.(?:idx|pack)$/, (end) => (end === '.idx' ? '.pack' : '.idx'))
  const isHalf = (name: string) => other(name) !== name && !names.includes(other(name))
  return names.filter(isHalf).map((name) => `${name} is there without ${other(name)}`)
}

interface Sources {
  /** The user's repositories that it was filled from, the first of which says how objects are named. */
  userGitDirs(): Promise<readonly string[]>
  /** Commits that must be there, refs or not. */
  needed?: readonly string[]
}

/** Null if nothing is wrong; otherwise the refs whose commits are nowhere any more. */
export async function mendMirror(mirror: string, { userGitDirs, needed = [] }: Sources): Promise<string[] | null> {
  await finishSwap(mirror)
  if (!existsSync(mirror)) return null
  await ensureHead(mirror)
  if ((await damageIn(mirror)).length === 0) return null
  const fresh = freshOf(mirror)
  await rm(fresh, { recursive: true, force: true })
  const users = await userGitDirs()
  const format = await gitLine(['rev-parse', '--show-object-format'], { gitDir: users[0] ?? mirror })
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, fresh])
  for (const [at, user] of users.entries())
    await git([...FETCH, user, `+refs/heads/*:${BORROWED}${at}/*`], { gitDir: fresh })
  const lost = [...(await bringRefs(mirror, fresh, users)), ...(await bringNeeded(mirror, fresh, users, needed))]
  const borrowed = await gitLine(['for-each-ref', '--format=delete %(refname)', BORROWED], { gitDir: fresh })
  if (borrowed !== '') await git(['update-ref', '--stdin'], { gitDir: fresh, stdin: `${borrowed}\n` })
  if (existsSync(join(mirror, 'notes'))) await cp(join(mirror, 'notes'), join(fresh, 'notes'), { recursive: true })
  await rm(damagedOf(mirror), { recursive: true, force: true })
  await rename(mirror, damagedOf(mirror))
  await finishSwap(mirror)
  return lost
}

const freshOf = (mirror: string): string => `${mirror}.mending`
const damagedOf = (mirror: string): string => `${mirror}.damaged`

/** The old one goes away only when the new one is whole: cut off between the two, the new one takes its place later. */
export async function finishSwap(mirror: string): Promise<void> {
  if (existsSync(mirror) || !existsSync(freshOf(mirror)) || !existsSync(damagedOf(mirror))) return
  await rename(freshOf(mirror), mirror)
  await syncFolder(dirname(mirror))
}

/** All at once where that works, otherwise one by one. */
async function bringRefs(mirror: string, fresh: string, users: readonly string[]): Promise<string[]> {
  const all = await git([...FETCH, mirror, '+refs/*:refs/*'], { gitDir: fresh, okCodes: ANY })
  if (all.code === 0) return []
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)'], { gitDir: mirror, okCodes: ANY })
  const lost: string[] = []
  for (const line of listed.stdout.split('\n').filter(Boolean)) {
    const [object = '', ref = ''] = line.split(' ')
    // Only what came from the user is in there yet, and that came whole.
    const here = await git(['cat-file', '-e', object], { gitDir: fresh, okCodes: ANY })
    if (here.code === 0) await git(['update-ref', ref, object], { gitDir: fresh, okCodes: ANY })
    else if (!(await bring(fresh, [mirror, ...users], object, ref))) lost.push(ref)
  }
  return lost
}

/** Commits whose ref is gone, under one that keeps them. */
async function bringNeeded(
  mirror: string,
  fresh: string,
  users: readonly string[],
  needed: readonly string[],
): Promise<string[]> {
  const lost: string[] = []
  for (const commit of needed) {
    const kept = await gitLine(['for-each-ref', '--count=1', '--points-at', commit, 'refs/muster/'], {
      gitDir: fresh,
      okCodes: ANY,
    })
    if (kept === '' && !(await bring(fresh, [mirror, ...users], commit, keptAs(commit)))) lost.push(commit)
  }
  return lost
}

/** What Muster made and only its commit is known of. */
const keptAs = (commit: string): string => `refs/muster/attempt/found-${commit}`

/** From the first that has it. */
async function bring(fresh: string, from: readonly string[], object: string, ref: string): Promise<boolean> {
  for (const one of from) {
    const brought = await git([...FETCH, one, `+${object}:${ref}`], { gitDir: fresh, okCodes: ANY })
    if (brought.code === 0) return true
  }
  return false
}

/** Also one that took too long: what it has not found by then is for another day. */
const ANY = [-1, ...Array.from({ length: 256 }, (_, code) => code)]
