/**
 * The mirror: a bare repository in Muster's data directory and the only git directory the engine works in. The user's
 * branches are fetched into refs/user/heads/*, Muster's snapshots are kept under refs/muster/*; nothing is pruned
 * while there are clones, so those that borrow its objects never lose them.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import type { GitOptions } from './git.ts'
import { git, gitLine } from './git.ts'

const knownCommitsMax = 10_000
const ATTEMPTS = 'refs/muster/attempt/'
const racesMax = 5
const ALL_BRANCHES = '+refs/heads/*:refs/user/heads/*'
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack',
]
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?\n?$/

export interface Identity {
  name: string
  email: string
}

export class Mirror {
  readonly dir: string
  readonly userGitDir: string
  readonly #committer: Identity
  #fetching: Promise<void> = Promise.resolve()
  /** Commits known to be here, with what is known of them: most questions about them then need no git. */
  readonly #known = new Map<string, { tree?: string; parents?: readonly string[] }>()

  constructor(dir: string, userGitDir: string, committer: Identity) {
    this.dir = dir
    this.userGitDir = userGitDir
    this.#committer = committer
  }

  /** Makes the mirror whole or not at all: a crash half-way leaves only a temporary folder. */
  async ensure(): Promise<void> {
    if (existsSync(this.dir)) return
    const half = `${this.dir}.new`
    await rm(half, { recursive: true, force: true })
    const format = await gitLine(['rev-parse', '--show-object-format'], { gitDir: this.userGitDir })
    await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, half])
    await rename(half, this.dir)
  }

  run(args: readonly string[], options: Omit<GitOptions, 'gitDir'> = {}) {
    return git(args, { ...options, gitDir: this.dir })
  }

  line(args: readonly string[], options: Omit<GitOptions, 'gitDir'> = {}) {
    return gitLine(args, { ...options, gitDir: this.dir })
  }

  /** One at a time: two that move the same ref would make one of them fail. */
  fetch(refspec = ALL_BRANCHES, options: readonly string[] = []): Promise<void> {
    const turn = this.#fetching.then(() => this.#fetch(refspec, options))
    this.#fetching = turn.catch(() => undefined)
    return turn
  }

  async #fetch(refspec: string, options: readonly string[]): Promise<void> {
    const fetch = [...FETCH, ...options]
    const fetched = await this.run([...fetch, this.userGitDir, refspec], { okCodes: [1] })
    // Where a branch `a` was, there is `a/b` now: the name that is no more makes room. Its objects stay.
    if (fetched.code !== 0) await this.run([...fetch, '--prune', this.userGitDir, ALL_BRANCHES, refspec])
  }

  /** A branch of the user's repository as it is at this moment, its objects brought into the mirror. */
  async userHead(branch: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`
    for (let race = 1; ; race++) {
      const read = await readRef(this.userGitDir, ref)
      const commit = read === undefined ? await this.resolveUser(ref) : read
      if (commit === null || (await this.has(commit))) return commit
      const failed = await this.fetch(`+${ref}:refs/user/heads/${branch}`).then(
        () => null,
        (error: unknown) => error,
      )
      // Only the commit counts: another muster may have fetched it at the same moment, or the branch may have moved on.
      if (await this.has(commit)) return commit
      if (race === racesMax) throw failed ?? new MusterError('git', `${branch} moved ${race} times while it was read`)
    }
  }

  /** The commit that a revision names in the user's repository. */
  async resolveUser(revision: string): Promise<string | null> {
    const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], {
      gitDir: this.userGitDir,
      okCodes: [1, 128],
    })
    return found.code === 0 ? found.stdout.trim() : null
  }

  async has(commit: string): Promise<boolean> {
    if (this.#known.has(commit)) return true
    const found = (await this.run(['cat-file', '-e', `${commit}^{commit}`], { okCodes: [1, 128] })).code === 0
    if (found) this.#remember(commit, {})
    return found
  }

  async treeOf(commit: string): Promise<string> {
    const known = this.#known.get(commit)?.tree
    if (known !== undefined) return known
    const tree = await this.line(['rev-parse', '--verify', `${commit}^{tree}`])
    this.#remember(commit, { tree })
    return tree
  }

  /** Whether the commit is known to be a direct child of the other. */
  buildsOn(commit: string, parent: string): boolean {
    return this.#known.get(commit)?.parents?.includes(parent) === true
  }

  async isAncestor(commit: string, of: string): Promise<boolean> {
    if (commit === of || this.buildsOn(of, commit)) return true
    return (await this.run(['merge-base', '--is-ancestor', commit, of], { okCodes: [1] })).code === 0
  }

  async count(range: string): Promise<number> {
    return Number(await this.line(['rev-list', '--count', range]))
  }

  async commitTree(tree: string, parents: readonly string[], message: string, author: Identity): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
    const env = {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: this.#committer.name,
      GIT_COMMITTER_EMAIL: this.#committer.email,
    }
    const commit = await this.line(args, { stdin: message, env })
    this.#remember(commit, { tree, parents })
    return commit
  }

  #remember(commit: string, facts: { tree?: string; parents?: readonly string[] }): void {
    if (this.#known.size >= knownCommitsMax) this.#known.clear()
    this.#known.set(commit, { ...this.#known.get(commit), ...facts })
  }

  get committer(): Identity {
    return this.#committer
  }

  /** Keeps a commit under a name that is Muster's alone; a file of its own, as git itself would write it. */
  keep(name: string, commit: string): Promise<void> {
    return writeWhole(join(this.dir, 'refs/muster', name), commit)
  }

  /** Remembers a commit under a name that is no ref: git need not read it each time it looks at them all. */
  note(name: string, commit: string): Promise<void> {
    return writeWhole(join(this.dir, 'notes', name), commit)
  }

  noted(name: string): Promise<string | null> {
    return readLine(join(this.dir, 'notes', name))
  }

  /** The names in a folder of such names. */
  async notedIn(folder: string): Promise<string[]> {
    const names = await readdir(join(this.dir, 'notes', folder)).catch(() => [])
    return names.filter((name) => !name.endsWith('.lock'))
  }

  /** Where a branch of the user's was when it was last fetched. */
  fetchedHead(branch: string): Promise<string | null> {
    return readLine(join(this.dir, 'refs/user/heads', branch))
  }

  /** Whether a commit is one that Muster made and keeps. */
  async isOwn(commit: string): Promise<boolean> {
    return (await this.line(['for-each-ref', '--count=1', '--points-at', commit, 'refs/muster/'])) !== ''
  }

  /** The snapshots of attempts, by the name they are kept under. */
  async snapshots(): Promise<Map<string, string>> {
    const refs = await this.line(['for-each-ref', '--format=%(objectname) %(refname)', ATTEMPTS])
    const pairs = refs.split('\n').filter(Boolean)
    return new Map(
      pairs.map((ref) => [ref.slice(ref.indexOf(' ') + 1 + ATTEMPTS.length), ref.slice(0, ref.indexOf(' '))]),
    )
  }

  /**
   * Lets go of these and packs the rest. Objects that nothing leads to are pruned when they are older than two weeks,
   * which is git's own margin for what is being written at this moment.
   */
  async forget(names: readonly string[]): Promise<void> {
    const lines = names.map((name) => `delete ${ATTEMPTS}${name}\n`).join('')
    if (lines !== '') await this.run(['update-ref', '--stdin'], { stdin: lines })
    // Without anything to let go of, git judges whether packing is worth it.
    const unasked = ['-c', 'gc.auto=1000', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet']
    await this.run(names.length > 0 ? ['gc', '--quiet', '--prune=2.weeks.ago'] : unasked)
    this.#known.clear()
  }

  /** How many refs are kept here, and which of them point at a commit that is not there any more. */
  async health(): Promise<{ kept: number; missing: string[] }> {
    const refs = (await this.line(['for-each-ref', '--format=%(objectname) %(refname)'])).split('\n').filter(Boolean)
    if (refs.length === 0) return { kept: 0, missing: [] }
    const names = refs.map((ref) => ref.slice(0, ref.indexOf(' ')))
    const checked = await this.line(['cat-file', '--batch-check'], { stdin: `${names.join('\n')}\n` })
    const gone = new Set(
      checked
        .split('\n')
        .filter((line) => line.endsWith(' missing'))
        .map((line) => line.split(' ')[0]),
    )
    return {
      kept: refs.length,
      missing: refs.filter((ref) => gone.has(ref.split(' ')[0])).map((ref) => ref.slice(ref.indexOf(' ') + 1)),
    }
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.lock`, `${text}\n`)
  await rename(`${file}.lock`, file)
}

async function readLine(file: string): Promise<string | null> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
}

/**
 * A ref as git keeps it in files: one of its own, which outranks the list of packed ones. Undefined when only git can
 * tell (symbolic, another ref storage): asking git costs a process each time.
 */
async function readRef(gitDir: string, ref: string): Promise<string | null | undefined> {
  const own = await readFile(join(gitDir, ref), 'utf8').catch(() => null)
  if (own !== null) return COMMIT.test(own) ? own.trim() : undefined
  if (existsSync(join(gitDir, 'reftable'))) return undefined
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '')
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? null : packed.slice(packed.lastIndexOf('\n', at - 1) + 1, at)
}
