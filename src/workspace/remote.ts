/**
 * Git over the network, for the few things that need a forge's git: one address, one protocol, the token in the
 * environment of that one git, no redirects, no questions, no hooks. Everything else in this room has no network
 * (git.ts).
 */
import { MusterError } from '../domain/errors.ts'
import { isOwnBranch } from '../domain/forge.ts'
import type { ForgeGit } from '../ports/forge.ts'
import type { RemotePlace } from '../ports/workspaces.ts'
import type { PersonalCommit } from '../ports/landing.ts'
import { toolEnvironment } from '../process/environment.ts'
import { moveBranch, returnOf } from './branches.ts'
import { nameOf } from './files.ts'
import type { GitResult } from './git.ts'
import type { Mirror } from './mirror.ts'
import { noteSquash } from './squashed.ts'

const racesMax = 3

export function remoteGit(mirror: Mirror, place: RemotePlace): ForgeGit {
  const remote = new Remote(mirror, place)
  return {
    publish: (branch, commit) => remote.publish(branch, commit),
    foreignHead: (branch, head) => remote.foreign(branch, head),
    meet: (target, how) => remote.meet(target, how),
    follow: (target, commit, of) => remote.follow(target, commit, of),
  }
}

class Remote {
  readonly #mirror: Mirror
  readonly #place: RemotePlace

  constructor(mirror: Mirror, place: RemotePlace) {
    this.#mirror = mirror
    this.#place = place
  }

  async publish(branch: string, commit: string): ReturnType<ForgeGit['publish']> {
    for (let race = 0; race < racesMax; race++) {
      const head = await this.#head(branch)
      if (head === commit) return { kind: 'published' }
      if (head !== null) {
        const foreign = await this.foreign(branch, head)
        if (foreign !== null && !(await this.#mirror.isAncestor(head, commit))) {
          return { kind: 'foreign', there: await this.#place.nameOf(branch), ...foreign }
        }
      }
      if (await this.#push(branch, head, commit)) return { kind: 'published' }
    }
    throw new MusterError('busy', `somebody else keeps moving ${branch} at ${this.#place.name}`)
  }

  async foreign(branch: string, head: string): Promise<PersonalCommit | null> {
    if (!(await this.#mirror.has(head))) await this.#fetch(branch).catch(() => undefined)
    // A branch is often deleted when it has been merged; the commit is still there. Or this tells the trouble.
    if (!(await this.#mirror.has(head))) await this.#fetch(branch, head)
    if (!(await this.#mirror.has(head))) {
      throw new MusterError('busy', `${branch} at ${this.#place.name} has moved on from ${head.slice(0, 12)}`)
    }
    if (await this.#mirror.isOwn(head)) return null
    return { commit: head, author: await this.#mirror.line(['show', '-s', '--format=%an', head]) }
  }

  async meet(target: string, how: Parameters<ForgeGit['meet']>[1]): Promise<string | null> {
    const { name } = this.#place
    for (let race = 0; race < racesMax; race++) {
      const here = await this.#mirror.userHead(target)
      if (here === null) return returnOf(this.#mirror, target)
      const there = await this.#head(target)
      if (there === here) return null
      if (there === null || (await this.#mirror.isAncestor(there, here))) {
        if (!isOwnBranch(target)) {
          return `${target} at ${name} lacks commits that are only here: git push ${this.#place.url} ${target}`
        }
        if (how === 'look' || (await this.#push(target, there, here))) return null
      } else {
        if (!(await this.#mirror.isAncestor(here, there))) return this.#parted(target)
        if (how !== 'follow') return null
        const moved = await moveBranch(this.#mirror, target, here, there)
        if (moved === 'ok') return null
        if (moved !== 'moved') return moved.detail
      }
    }
    return `somebody else keeps moving ${target}; Muster tries again`
  }

  async follow(target: string, commit: string, of: string): ReturnType<ForgeGit['follow']> {
    await noteSquash(this.#mirror, of, commit)
    for (let race = 0; race < racesMax; race++) {
      const there = await this.#head(target)
      const here = await this.#mirror.userHead(target)
      if (here === null) return { kind: 'blocked', detail: await returnOf(this.#mirror, target), brief: false }
      if (there === null || !(await this.#mirror.has(commit))) {
        throw new MusterError('busy', `${this.#place.name} does not show ${commit.slice(0, 12)} on ${target} yet`)
      }
      const tree = await this.#mirror.treeOf(commit)
      if (await this.#mirror.isAncestor(commit, here)) return { kind: 'landed', tree }
      if (!(await this.#mirror.isAncestor(here, there))) {
        return { kind: 'blocked', detail: await this.#parted(target), brief: false }
      }
      const moved = await moveBranch(this.#mirror, target, here, there)
      if (moved === 'ok') return { kind: 'landed', tree }
      if (moved !== 'moved') return { kind: 'blocked', ...moved }
    }
    return { kind: 'blocked', detail: `somebody else keeps moving ${target}; Muster tries again`, brief: true }
  }

  async #parted(target: string): Promise<string> {
    const there = await this.#place.nameOf(target)
    return `${target} has different commits here and at ${this.#place.name}: git pull --rebase ${this.#place.url} ${there}`
  }

  async #refOf(branch: string): Promise<string> {
    return `refs/heads/${await this.#place.nameOf(branch)}`
  }

  /** The head of a branch there, its objects brought here. */
  async #head(branch: string): Promise<string | null> {
    const said = await this.#git(['ls-remote', '--quiet', this.#place.url, await this.#refOf(branch)])
    const head = /^([0-9a-f]{40,64})\t/.exec(said.stdout)?.[1] ?? null
    if (head !== null && !(await this.#mirror.has(head))) await this.#fetch(branch)
    return head
  }

  async #fetch(branch: string, commit?: string): Promise<void> {
    const what = commit ?? (await this.#refOf(branch))
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', this.#place.url]
    const ref = `refs/user/${nameOf('there', branch)}`
    await this.#git(['-c', 'fetch.unpackLimit=1', ...args, `+${what}:${ref}`])
  }

  /** False: the branch is not where it was expected. */
  async #push(branch: string, old: string | null, commit: string): Promise<boolean> {
    const ref = await this.#refOf(branch)
    const lease = `--force-with-lease=${ref}:${old ?? ''}`
    const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', lease]
    const said = await this.#git([...args, this.#place.url, `${commit}:${ref}`], [1])
    if (said.code === 0) return true
    const reason = /^!.*\[(?:remote )?rejected\] \((.*)\)/m.exec(said.stdout)?.[1] ?? ''
    if (/stale info|fetch first|non-fast-forward|already exists|cannot lock ref|failed to update ref/.test(reason))
      return false
    throw new MusterError(
      'not_allowed',
      `${this.#place.name} refuses ${ref.replace('refs/heads/', '')}: ${reason || lastLines(said)}`,
      {
        hint: `the repository's rules forbid it, or the token lacks ${this.#place.permission}`,
      },
    )
  }

  async #git(args: readonly string[], okCodes: readonly number[] = []): Promise<GitResult> {
    const said = await this.#mirror.run(args, {
      env: this.#environment(),
      okCodes: [...okCodes, 128, -1],
      signal: this.#place.over,
    })
    if (said.code === 0 || okCodes.includes(said.code)) return said
    const words = lastLines(said)
    const { name, permission } = this.#place
    if (/Authentication failed|could not read (?:Username|Password)|error: 40[13]|not found|error: 404/i.test(words)) {
      throw new MusterError('not_allowed', `${name} refuses git: ${words}`, {
        hint: `the token needs ${permission}`,
      })
    }
    throw new MusterError('busy', `git cannot reach ${name}: ${words}`)
  }

  /** Settings of this one git. The token is in its environment alone: no file, no argument, no child of an agent's. */
  #environment(): Record<string, string> {
    const { url } = this.#place
    const token = this.#place.token()
    const settings = [
      ['http.followRedirects', 'false'],
      // Who has said nothing for a minute is not waited for: an ending Muster waits for this git.
      ['http.lowSpeedLimit', '1'],
      ['http.lowSpeedTime', '60'],
      ['credential.helper', ''],
      ...(token === null ? [] : [[`http.${url}.extraHeader`, `Authorization: Basic ${basic(token)}`]]),
    ]
    const { SSL_CERT_FILE } = toolEnvironment()
    return {
      GIT_ALLOW_PROTOCOL: new URL(url).protocol.replace(':', ''),
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([key = '', value = ''], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      ...(SSL_CERT_FILE === undefined ? {} : { GIT_SSL_CAINFO: SSL_CERT_FILE }),
    }
  }
}

const basic = (token: string): string => Buffer.from(`x-access-token:${token}`).toString('base64')

function lastLines({ stdout, stderr }: GitResult): string {
  return (stderr.trim() || stdout.trim()).split('\n').slice(-3).join(' ') || 'it said nothing'
}
