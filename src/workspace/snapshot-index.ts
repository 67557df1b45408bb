/**
 * The git index of one snapshot: everything that git can store, and the names of what it cannot. The index of the
 * checkout is only read, so that a repetition starts from the same state. Names are bytes (names.ts).
 */
import { link, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Refused } from '../ports/workspaces.ts'
import { resultFilesMax } from '../domain/limits.ts'
import { crowdsIn } from './crowd.ts'
import type { Gitlink } from './gitmodules.ts'
import { ignorePatterns } from './ignore.ts'
import type { Mirror } from './mirror.ts'
import { asBytes } from './names.ts'
import { LOOKALIKE, NESTED } from './refusals.ts'
import type { Found, Place } from './survey.ts'
import { notSaved, takenByGit } from './survey.ts'

export interface Added {
  tree: string
  refused: Refused[]
}

const addTriesMax = 20
/** These make git give up on everything: each is named, left out, and the rest tried again. */
const FATAL = [
  { said: /^error: '(.*)\/' does not have a commit checked out$/m, why: NESTED },
  {
    said: /^fatal: (?:failed to encode|BOM is (?:required|prohibited) in) '(.*?)'/m,
    why: 'it does not have the encoding that .gitattributes declares',
  },
]
const crowded = (files: number): string =>
  `it has ${files} new files; a result can have at most ${resultFilesMax}. Add what a tool creates to .gitignore`
/** git would end at the first bad name; we want to leave it out and say which it was. */
const anyName = ['-c', 'core.protectNTFS=false', '-c', 'core.protectHFS=false']

export class Index {
  readonly #mirror: Mirror
  readonly #kept: string
  readonly #ignore: string
  readonly #leaveOut: readonly string[]
  readonly #options: { workTree: string; layered: boolean; indexFile: string; bytes: true }

  constructor(mirror: Mirror, place: Place, kept: string, leaveOut: readonly string[]) {
    this.#mirror = mirror
    this.#kept = kept
    this.#ignore = `${kept}.ignore`
    this.#leaveOut = leaveOut.map(asBytes)
    // The git of a Muster that was killed may still be at work on its own.
    this.#options = { workTree: place.dir, layered: place.layered, indexFile: `${kept}.${process.pid}`, bytes: true }
  }

  /** Everything that git can take; what it cannot (a name that is .git to it, a file that may not be read) is named. */
  async addAll(found: Found, held: readonly Gitlink[], released: readonly Gitlink[]): Promise<Added> {
    await writeFile(this.#ignore, Buffer.from(ignorePatterns(this.#leaveOut), 'latin1'))
    await this.#begin(released)
    const unfit = await takenByGit(
      (args, options) => this.#run(args, options),
      found.unfit,
      held.map(({ bytes }) => bytes),
    )
    const crowds = found.files > resultFilesMax ? crowdsIn(await this.#newFiles(), resultFilesMax) : []
    const silent = [...(await this.#reachable(held)), ...unfit.map(({ path }) => path).filter(this.#isLeftOut)]
    const refused = unfit.filter(({ path }) => !this.#isLeftOut(path))
    refused.push(...crowds.map(({ path, files }) => ({ path, why: crowded(files) })))
    for (let tries = 0; tries < addTriesMax; tries++) {
      const without = [...silent, ...refused.map(({ path }) => path)].map((path) => `:(exclude,literal)${path}`)
      const stdin = ['.', ...without, ...crowds.map(({ pathspec }) => pathspec)].join('\0')
      const words = ['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul']
      const added = await this.#run(words, { stdin, okCodes: [1, 128] })
      if (added.code === 0) return { tree: await this.#worked(), refused }
      const fatal = FATAL.map(({ said, why }) => ({ path: said.exec(added.stderr)?.[1], why }))
      const named = fatal.filter((one): one is Refused => one.path !== undefined)
      if (named.length > 0) {
        refused.push(...named)
        await this.#begin(released)
        continue
      }
      const files = [...added.stderr.matchAll(/^error: (invalid path|unable to index file) '([^]*?)'$/gm)]
      if (added.code !== 1 || files.length === 0) throw notSaved(added.stderr.trim().split('\n').slice(-3).join(' '))
      const why = { 'invalid path': LOOKALIKE, 'unable to index file': 'it could not be read' }
      refused.push(...files.map(([, what, path = '']) => ({ path, why: why[what as keyof typeof why] })))
      return { tree: await this.#worked(), refused }
    }
    throw notSaved(`git cannot take ${refused.map(({ path }) => path).join(', ')}`)
  }

  /** The tree after these lines of `update-index --index-info`. */
  async change(lines: readonly string[]): Promise<string> {
    await this.#run(['update-index', '-z', '--index-info'], { stdin: lines.join('') })
    return this.#writeTree()
  }

  async remove(): Promise<void> {
    await rm(this.#options.indexFile, { force: true })
  }

  async #newFiles(): Promise<string[]> {
    const { stdout } = await this.#run(['ls-files', '-z', '--others', '--exclude-standard'])
    return stdout.split('\0').filter((path) => path !== '')
  }

  #run(args: readonly string[], options: { stdin?: string; okCodes?: readonly number[] } = {}) {
    const settings = [...anyName, '-c', `core.excludesFile=${this.#ignore}`]
    return this.#mirror.run([...settings, ...args], { ...this.#options, ...options })
  }

  readonly #isLeftOut = (path: string): boolean =>
    this.#leaveOut.some((left) => path === left || path.startsWith(`${left}/`))

  /** The tree without what is no work, whatever the author's own .gitignore says of it. */
  async #worked(): Promise<string> {
    if (this.#leaveOut.length > 0) {
      const forget = ['--literal-pathspecs', 'rm', '-r', '-f', '--cached', '--quiet', '--ignore-unmatch']
      const stdin = this.#leaveOut.join('\0')
      await this.#run([...forget, '--pathspec-from-file=-', '--pathspec-file-nul'], { stdin })
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

  async #writeTree(): Promise<string> {
    return (await this.#run(['write-tree'])).stdout.trim()
  }
}
