/**
 * Declared submodules: each has its own mirror beside the main one, filled only from the user's repository of it and
 * never from an address. Muster puts them into workspaces, takes their results, and shows them to the user. Submodules
 * inside submodules stay as they are.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { AttemptBase, Snapshot, SnapshotRequest } from '../ports/workspaces.ts'
import { push } from './branches.ts'
import { makeClone } from './clone.ts'
import { git, otherSide } from './git.ts'
import type { Gitlink, Submodule } from './gitmodules.ts'
import { gitlinksOf, repositoriesOf } from './gitmodules.ts'
import { mendMirror } from './mend.ts'
import { Mirror } from './mirror.ts'
import type { Outgoing } from './push.ts'
import { TOOK_ITS_PLACE } from './refusals.ts'
import { leftoverMarkers, takeSnapshot, whatIsAt } from './snapshot.ts'
import type { StartInside, SubmoduleConflict } from './start.ts'
import { startAgain, startAt, startFrom } from './start.ts'

/** A person's repository gets a branch and nothing else: none of its hooks runs, none of its files moves. */
const RECEIVE = otherSide('receive-pack', 'receive.denyCurrentBranch=refuse')

export class Submodules {
  readonly #main: Mirror
  readonly #dir: string
  readonly #mirrors = new Map<string, Mirror>()
  /** Two attempts may want the same commit at once. */
  #bringing: Promise<unknown> = Promise.resolve()

  constructor(main: Mirror) {
    this.#main = main
    this.#dir = join(dirname(main.dir), 'submodules')
  }

  /** Fills the folders of declared submodules in a fresh clone, as far as the user has them. */
  async fill(dir: string, base: AttemptBase, branch: string, index: string): Promise<void> {
    if (!existsSync(join(dir, '.gitmodules'))) return
    for (const submodule of (await gitlinksOf(this.#main.dir, base.tree)).declared) {
      const own = indexOf(index, submodule.name)
      await rm(own, { force: true })
      const mirror = await this.#with(submodule, [submodule.commit])
      if (mirror === null) continue
      const clone = join(dir, submodule.path)
      const start = startOf(base, submodule.path) ?? (await startAt(mirror, submodule.commit))
      const copy = { root: dir, paths: [] }
      await makeClone(mirror, { dir: clone, base: start, branch, index: own, golden: null, copy })
    }
  }

  /** What the author left of a submodule; null when it was not filled in. */
  async take(request: SnapshotRequest, gitlink: Gitlink): Promise<Snapshot | null> {
    const { path, commit, name } = gitlink
    // The checkout kept an index of each submodule that it filled in.
    const index = indexOf(request.index, name ?? '')
    if (name === null || !existsSync(index)) return null
    const merged = startOf(request.base, path)
    const there = await whatIsAt(request.dir, path)
    if (there !== 'a folder') {
      const why =
        merged === undefined ? TOOK_ITS_PLACE : 'both sides changed this submodule: keep it, with both changes'
      return { commit, refused: merged === undefined && there === 'nothing' ? [] : [{ path, why }] }
    }
    const mirror = this.#mirror(name)
    const base = merged ?? (await startAt(mirror, commit))
    const inside = { dir: join(request.dir, path), base, index, leaveOut: leftOutIn(request.leaveOut, path) }
    const taken = await takeSnapshot(mirror, { ...request, ...inside })
    if (!base.parents.includes(taken.commit)) {
      await mirror.keep(`attempt/${request.keepAs}`, taken.commit)
      // Kept in the main mirror as well: this one may lose the ref, or all of it, when the machine goes down.
      await this.#main.note(madeAs(name, taken.commit), taken.commit)
    }
    return { ...taken, refused: taken.refused.map((one) => ({ ...one, path: `${path}/${one.path}` })) }
  }

  /** Where an attempt starts in a submodule that both sides changed: from both, merged like the files around it. */
  async merged(tree: string, conflict: SubmoduleConflict): Promise<AttemptBase> {
    const { path, ours, theirs, gone } = conflict
    const submodule = (await gitlinksOf(this.#main.dir, tree)).declared.find((declared) => declared.path === path)
    const mirror = submodule === undefined ? null : await this.#with(submodule, [ours, theirs])
    if (mirror === null) throw unmergeable(path, conflict)
    const inner: StartInside = (_, nested) => Promise.reject(unmergeable(`${path}/${nested.path}`, nested))
    if (gone === undefined || !(await mirror.has(gone)) || (await mirror.isAncestor(gone, theirs)))
      return startFrom(mirror, ours, theirs, inner)
    return startAgain(mirror, gone, ours, theirs, inner)
  }

  /** Whether a commit is here, with those of submodules that it names and Muster made. */
  async holds(commit: string): Promise<boolean> {
    if (!(await this.#main.has(commit))) return false
    if (!existsSync(this.#dir)) return true
    for (const submodule of (await gitlinksOf(this.#main.dir, commit)).declared) {
      const made = await this.#main.noted(madeAs(submodule.name, submodule.commit))
      if (made !== null && (await this.#with(submodule, [submodule.commit])) === null) return false
    }
    return true
  }

  /** Brings Muster's own commits of submodules that this commit names into the user's repositories of them. */
  async show(commit: string, branch: string): Promise<void> {
    for (const { submodule, mirror } of await this.#made(commit)) {
      const repositories = await repositoriesOf(this.#main.userGitDir, submodule)
      if (repositories.length === 0) {
        throw new MusterError('git', `the submodule ${submodule.path} is no longer in your repository`, {
          hint: `git submodule update --init ${submodule.path}, then try again`,
        })
      }
      for (const gitDir of repositories) {
        await showBranch(new Mirror(mirror.dir, gitDir, mirror.committer), branch, submodule.commit)
      }
    }
  }

  /** Muster's own commits of submodules that this commit names, with the user's repositories to push them from. */
  async outgoing(commit: string, branch: string): Promise<Outgoing[]> {
    const all: Outgoing[] = []
    for (const { submodule, mirror } of await this.#made(commit)) {
      for (const gitDir of await repositoriesOf(this.#main.userGitDir, submodule)) {
        const here = new Mirror(mirror.dir, gitDir, mirror.committer)
        if ((await here.resolveUser(submodule.commit)) === null) continue
        all.push({ gitDir, path: submodule.path, branch, commit: submodule.commit })
        break
      }
    }
    return all
  }

  /** Files of Muster's own commits of submodules that still hold conflict markers. */
  async leftoverMarkers(commit: string): Promise<string[]> {
    const found: string[] = []
    for (const { submodule, mirror } of await this.#made(commit)) {
      found.push(...(await leftoverMarkers(mirror, submodule.commit)).map((file) => `${submodule.path}/${file}`))
    }
    return found
  }

  /** What changed inside submodules between two commits, as far as both sides are here. */
  async diff(from: string, to: string, args: readonly string[]): Promise<string> {
    if (!existsSync(this.#dir)) return ''
    const before = (await gitlinksOf(this.#main.dir, from)).all
    let text = ''
    for (const { name, path, commit } of (await gitlinksOf(this.#main.dir, to)).declared) {
      const old = before.find((gitlink) => gitlink.path === path)?.commit
      const mirror = this.#mirror(name)
      if (old === undefined || old === commit || !existsSync(mirror.dir)) continue
      if (!(await mirror.has(old)) || !(await mirror.has(commit))) continue
      const prefixes = [`--src-prefix=a/${path}/`, `--dst-prefix=b/${path}/`]
      const patch = await mirror.run([...args, ...prefixes, old, commit, '--'])
      text += `Submodule ${path} ${old.slice(0, 12)}..${commit.slice(0, 12)}:\n${patch.stdout}`
    }
    return text
  }

  /** Submodules of the commit that are at a commit of Muster's own making. */
  async #made(commit: string): Promise<{ submodule: Submodule; mirror: Mirror }[]> {
    if (!existsSync(this.#dir)) return []
    const made: { submodule: Submodule; mirror: Mirror }[] = []
    for (const submodule of (await gitlinksOf(this.#main.dir, commit)).declared) {
      const mirror = this.#mirror(submodule.name)
      if (!existsSync(mirror.dir) || !(await mirror.has(submodule.commit))) continue
      const noted = await this.#main.noted(madeAs(submodule.name, submodule.commit))
      if (noted !== null || (await mirror.isOwn(submodule.commit))) made.push({ submodule, mirror })
    }
    return made
  }

  /** The mirror of a submodule with these commits in it; null when the user does not have them. */
  #with(submodule: Submodule, commits: readonly string[]): Promise<Mirror | null> {
    const brought = this.#bringing.then(() => this.#bring(submodule, commits))
    this.#bringing = brought.catch(() => undefined)
    return brought
  }

  async #bring(submodule: Submodule, commits: readonly string[]): Promise<Mirror | null> {
    const mirror = this.#mirror(submodule.name)
    const missing = async (): Promise<string[]> => {
      const here = existsSync(mirror.dir) ? await Promise.all(commits.map((commit) => mirror.has(commit))) : []
      return commits.filter((_, at) => here[at] !== true)
    }
    if ((await missing()).length === 0) return mirror
    for (const gitDir of await repositoriesOf(this.#main.userGitDir, submodule)) {
      const source = new Mirror(mirror.dir, gitDir, mirror.committer)
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      await source.ensure()
      for (const commit of await missing()) {
        // One that the user does not have either is no error: the folder stays empty.
        await source.fetch(commit).catch(() => undefined)
      }
      if ((await missing()).length === 0) return mirror
    }
    return null
  }

  /** Without the user's side, which may be in several places: that is named where it is talked to. */
  #mirror(name: string): Mirror {
    const known = this.#mirrors.get(name)
    if (known !== undefined) return known
    const mirror = new Mirror(join(this.#dir, mirrorName(name)), '', this.#main.committer)
    this.#mirrors.set(name, mirror)
    return mirror
  }
}

/**
 * Only ever moves a branch forward. Where it cannot, because a person's work or another history is there, or the branch
 * is checked out, the commit gets a branch of its own beside it.
 */
async function showBranch(at: Mirror, branch: string, commit: string): Promise<void> {
  const name = branch.startsWith('muster/') ? branch : `muster/landed/${branch}`
  for (const candidate of [name, `${name}-${commit.slice(0, 12)}`]) {
    const head = await at.userHead(candidate)
    if (head !== null && (await at.isAncestor(commit, head))) return
    if (head !== null && !(await at.isAncestor(head, commit))) continue
    const pushed = await push(at, candidate, head, commit, RECEIVE).catch(() => 'refused')
    if (pushed === 'ok') return
  }
  throw new MusterError('git', `${at.userGitDir} refuses the branch ${name} with a submodule's new commit`, {
    hint: 'check its branches and permissions, then try again',
  })
}

/** Of the paths that are no work, those inside a folder, as seen from there. */
function leftOutIn(leaveOut: readonly string[], folder: string): string[] {
  return leaveOut.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1))
}

function startOf({ submodules = [] }: AttemptBase, path: string): AttemptBase | undefined {
  return submodules.find((submodule) => submodule.path === path)?.base
}

function unmergeable(path: string, { ours, theirs }: SubmoduleConflict): MusterError {
  return new MusterError('git', `both sides changed the submodule ${path}, to ${ours} and to ${theirs}`, {
    hint: 'Muster cannot merge these: run git submodule update --init if a commit is missing, or merge them yourself',
  })
}

/** The mirrors of submodules, by folder. */
export const mirrorsIn = async (dir: string): Promise<string[]> => {
  const names = await readdir(dir).catch((): string[] => [])
  // One that is being swapped has another ending for a moment.
  return [...new Set(names.map((name) => /^.*?\.git(?=\.mending$|$)/.exec(name)?.[0] ?? ''))].filter(Boolean)
}

/** Mends each, as the main one was before. What is nowhere any more, with the submodule's folder; null: nothing was wrong. */
export async function mendSubmodules(main: string, userGitDir: string): Promise<string[] | null> {
  const dir = join(dirname(main), 'submodules')
  let lost: string[] | null = null
  for (const name of await mirrorsIn(dir)) {
    const needed = await readdir(join(main, 'notes', MADE, name)).catch((): string[] => [])
    const userGitDirs = () => sourcesOf(name, main, userGitDir)
    const gone = await mendMirror(join(dir, name), {
      userGitDirs,
      needed: needed.filter((commit) => /^[0-9a-f]{40,64}$/.test(commit)),
    })
    if (gone !== null) lost = [...(lost ?? []), ...gone.map((what) => `${name}: ${what}`)]
  }
  return lost
}

/** The user's repositories of a submodule that only its mirror's name is known of: some commit in the main mirror names it. */
async function sourcesOf(mirror: string, main: string, userGitDir: string): Promise<string[]> {
  const args = ['for-each-ref', '--sort=-committerdate', '--count=200', '--format=%(objectname)']
  const commits = (await git(args, { gitDir: main })).stdout.split('\n').filter(Boolean)
  for (const commit of new Set(commits)) {
    const found = (await gitlinksOf(main, commit)).declared.find(({ name }) => mirrorName(name) === mirror)
    if (found !== undefined) return repositoriesOf(userGitDir, found)
  }
  return []
}

const MADE = 'submodules'
const mirrorName = (name: string): string => `${slug(name)}.git`
const madeAs = (name: string, commit: string): string => `${MADE}/${mirrorName(name)}/${commit}`

const indexOf = (index: string, name: string): string => `${index}-${slug(name)}`

/** A name as one part of a path, still readable, and never the same for two. */
function slug(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10)
  return `${name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 60)}-${hash}`
}
