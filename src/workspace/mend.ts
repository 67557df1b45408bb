/**
 * Mends the mirror after the machine went down under it: what git has not synced by then may be empty or gone. Everything
 * that the user's repository still has comes from there, the rest from what is left; what is nowhere is named.
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
  return [...unread, ...(await strayIndexes(mirror))]
}

/** An index whose pack is gone says nothing to fsck, but is in the way when that pack is fetched again. */
async function strayIndexes(mirror: string): Promise<string[]> {
  const names = await readdir(join(mirror, 'objects/pack')).catch((): string[] => [])
  const isStray = (name: string) => name.endsWith('.idx') && !names.includes(name.replace(/idx$/, 'pack'))
  return names.filter(isStray).map((name) => `${name} is there without its pack`)
}

/** Null if nothing is wrong; otherwise the refs whose commits are nowhere any more. */
export async function mendMirror(mirror: string, userGitDir: string): Promise<string[] | null> {
  await finishSwap(mirror)
  if (!existsSync(mirror)) return null
  await ensureHead(mirror)
  if ((await damageIn(mirror)).length === 0) return null
  const fresh = freshOf(mirror)
  await rm(fresh, { recursive: true, force: true })
  const format = await gitLine(['rev-parse', '--show-object-format'], { gitDir: userGitDir })
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, fresh])
  await git([...FETCH, userGitDir, `+refs/heads/*:${BORROWED}heads/*`], { gitDir: fresh })
  const lost = await bringRefs(mirror, fresh)
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
async function bringRefs(mirror: string, fresh: string): Promise<string[]> {
  const all = await git([...FETCH, mirror, '+refs/*:refs/*'], { gitDir: fresh, okCodes: ANY })
  if (all.code === 0) return []
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)'], { gitDir: mirror, okCodes: ANY })
  const lost: string[] = []
  for (const line of listed.stdout.split('\n').filter(Boolean)) {
    const [object = '', ref = ''] = line.split(' ')
    // Only what came from the user is in there yet, and that came whole.
    const here = await git(['cat-file', '-e', object], { gitDir: fresh, okCodes: ANY })
    const brought =
      here.code === 0
        ? await git(['update-ref', ref, object], { gitDir: fresh, okCodes: ANY })
        : await git([...FETCH, mirror, `+${ref}:${ref}`], { gitDir: fresh, okCodes: ANY })
    if (brought.code !== 0) lost.push(ref)
  }
  return lost
}

/** Also one that took too long: what it has not found by then is for another day. */
const ANY = [-1, ...Array.from({ length: 256 }, (_, code) => code)]
