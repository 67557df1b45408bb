/**
 * The mirror: a bare repository in Muster's data directory, and the only git directory that the engine works in. The
 * user's commits that it needs are under refs/user/commits/*, Muster's own under refs/muster/*. Nothing is pruned while
 * clones exist, so they never lose the objects that they borrow.
 */
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { mayHaveRefs, nameOf, readLine, readRef, writeLine } from './files.ts'
import type { GitOptions, GitResult } from './git.ts'
import { FETCH, git, gitLine } from './git.ts'
import { ensureHead, finishSwap } from './mend.ts'
import { storageOf } from './repository.ts'
import { removeStaleLocks } from './stale-lock.ts'

const knownCommitsMax = 10_000
const answersMax = 2_000
const answerCharsMax = 16_384
const ATTEMPTS = 'refs/muster/attempt/'
let made = 0

export interface Identity {
  name: string
  email: string
}

export class Mirror {
  readonly dir: string
  readonly userGitDir: string
  readonly #committer: Identity
  #fetching: Promise<void> = Promise.resolve()
  /** Where branches of the user's are, as far as that is noted down. */
  readonly #heads = new Map<string, string>()
  /** Commits known to be here, with what is known of them: most questions about them then need no git. */
  readonly #known = new Map<string, { tree?: string; parents?: readonly string[] }>()
  /** What git has answered about commits named by their ids. */
  readonly #answers = new Map<string, Promise<GitResult>>()

  constructor(dir: string, userGitDir: string, committer: Identity) {
    this.dir = dir
    this.userGitDir = userGitDir
    this.#committer = committer
  }

  /** Makes the mirror whole or not at all: a crash half-way leaves only a temporary folder. Others may make it as well: the first wins. */
  async ensure(): Promise<void> {
    await finishSwap(this.dir)
    await removeStaleLocks(this.dir, this.userGitDir)
    if (existsSync(this.dir)) return ensureHead(this.dir)
    const { partial, format } = await storageOf(this.userGitDir)
    // Objects that are only at a remote cannot be had without network and credentials; and git hangs on a push there.
    if (partial) {
      throw new MusterError('config', 'the repository is a partial clone, without all of its files', {
        hint: 'clone it again without --filter and use Muster in that clone',
      })
    }
    const half = `${this.dir}.${process.pid}-${++made}.new`
    await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, half])
    // If there was a mirror before, what was shown of its work is still there.
    if (await mayHaveRefs(this.userGitDir, 'refs/heads/muster/'))
      await git([...FETCH, this.userGitDir, 'refs/heads/muster/*:refs/user/shown/*'], { gitDir: half })
    await rename(half, this.dir).catch(async (error: unknown) => {
      await rm(half, { recursive: true, force: true })
      if (!existsSync(this.dir)) throw error
    })
  }

  run(args: readonly string[], options: Omit<GitOptions, 'gitDir'> = {}) {
    return git(args, { ...options, gitDir: this.dir })
  }

  line(args: readonly string[], options: Omit<GitOptions, 'gitDir'> = {}) {
    return gitLine(args, { ...options, gitDir: this.dir })
  }

  /** A question about commits named by their ids: git is asked once, since the answer never changes. Code 1 is an answer. */
  ask(args: readonly string[], options: Pick<GitOptions, 'bytes'> = {}): Promise<GitResult> {
    const key = `${options.bytes === true ? 'bytes' : 'text'} ${args.join(' ')}`
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = this.run(args, { ...options, okCodes: [1] })
    if (this.#answers.size >= answersMax) this.#answers.clear()
    this.#answers.set(key, answer)
    const forget = (): unknown => this.#answers.delete(key)
    answer.then(({ stdout }) => stdout.length > answerCharsMax && forget(), forget)
    return answer
  }

  /**
   * Brings a commit of the user's repository here. By its name and under its name: branches there may be moved, renamed
   * or gone a moment later, and there may be any number of them.
   */
  async fetch(commit: string): Promise<void> {
    if (await this.has(commit)) return
    const turn = this.#fetching.then(() => this.#fetch(commit))
    this.#fetching = turn.catch(() => undefined)
    return turn
  }

  /** One at a time: two would get in each other's way. */
  async #fetch(commit: string): Promise<void> {
    if (this.#known.has(commit)) return
    const fetched = this.run([...FETCH, this.userGitDir, `${commit}:refs/user/commits/${commit}`])
    await fetched.catch(async (error: unknown) => {
      // Another muster fetched it at the same moment, and was faster with the ref.
      if (!(await this.has(commit))) throw error
    })
    this.#remember(commit, {})
    // In a shallow repository there may be more history now.
    this.#answers.clear()
  }

  /** A branch of the user's repository as it is at this moment, its objects brought into the mirror. */
  async userHead(branch: string): Promise<string | null> {
    const commit = await this.lookUser(branch)
    if (commit === null) return null
    await this.fetch(commit)
    // Nobody should be kept from looking by a note that cannot be written.
    await this.noteHead(branch, commit).catch(() => undefined)
    return commit
  }

  /** The same, and nothing is brought here. */
  async lookUser(branch: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`
    const read = await readRef(this.userGitDir, ref)
    return read === undefined ? this.resolveUser(ref) : read
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
    // Whoever asks for a commit soon wants its tree.
    const found = await this.run(['rev-parse', `${commit}^{commit}`, `${commit}^{tree}`], { okCodes: [128] })
    const [, tree = ''] = found.stdout.split('\n')
    if (found.code === 0) this.#remember(commit, { tree })
    return found.code === 0
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
    if (this.buildsOn(commit, of)) return false
    return (await this.ask(['merge-base', '--is-ancestor', commit, of])).code === 0
  }

  async count(range: string): Promise<number> {
    return Number(await this.line(['rev-list', '--count', range]))
  }

  /** Makes a commit; only of those made here the parents are known. */
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
    return writeLine(join(this.dir, 'refs/muster', name), commit)
  }

  /** The commit that is kept under a name. */
  async kept(name: string): Promise<string | null> {
    const ref = `refs/muster/${name}`
    const read = await readRef(this.dir, ref)
    if (read !== undefined) return read
    const found = await this.run(['rev-parse', '--verify', '--quiet', ref], { okCodes: [1, 128] })
    return found.code === 0 ? found.stdout.trim() : null
  }

  /** Remembers a commit under a name that is no ref: git need not read it each time it looks at them all. */
  note(name: string, commit: string): Promise<void> {
    return writeLine(join(this.dir, 'notes', name), commit)
  }

  noted(name: string): Promise<string | null> {
    return readLine(join(this.dir, 'notes', name))
  }

  /** The names in a folder of such names. */
  async notedIn(folder: string): Promise<string[]> {
    const names = await readdir(join(this.dir, 'notes', folder)).catch(() => [])
    return names.filter((name) => !name.endsWith('.lock'))
  }

  /** Remembers where a branch of the user's is, should it be gone some day. */
  async noteHead(branch: string, commit: string): Promise<void> {
    if (this.#heads.get(branch) === commit) return
    await this.note(nameOf('head', branch), commit)
    this.#heads.set(branch, commit)
  }

  /** Where a branch of the user's was when it was last seen or moved. */
  lastHead(branch: string): Promise<string | null> {
    return this.noted(nameOf('head', branch))
  }

  /** Whether a commit is one that Muster made and keeps. */
  async isOwn(commit: string): Promise<boolean> {
    if (this.#known.get(commit)?.parents !== undefined) return true
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
    this.#answers.clear()
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
