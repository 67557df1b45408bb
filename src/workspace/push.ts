/**
 * Pushes what landed to the user's own remote, if muster.yaml asks for it: like `git push`, with the user's settings
 * and credentials, but without hooks or questions. Only fast-forward, and only from the head that was read. It checks
 * all places before it pushes anything: submodules first, then what names their commits.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PushResult } from '../ports/workspaces.ts'
import { childEnvironment, toolEnvironment } from '../process/environment.ts'
import type { GitResult } from './git.ts'
import { git } from './git.ts'

const saidCharsMax = 500

/** A repository of the user's, and what its remote is to have. */
export interface Outgoing {
  gitDir: string
  /** For people: empty for the project itself, else the path of the submodule. */
  path: string
  branch: string
  commit: string
}

/** `old`: where the remote's branch is; null: it has none of that name. */
interface Way {
  outgoing: Outgoing
  remote: string
  ref: string
  old: string | null
}

export async function pushAll(all: readonly Outgoing[], signal: AbortSignal): Promise<PushResult> {
  const ways: Way[] = []
  for (const outgoing of all) {
    const found = await lookAt(outgoing, signal)
    if ('why' in found) return { kind: 'refused', ...found }
    if (found.way !== null) ways.push(found.way)
  }
  for (const way of ways) {
    const refused = await push(way, signal)
    if (refused !== null) return { kind: 'refused', ...refused }
  }
  return { kind: 'pushed', changed: ways.length > 0 }
}

type Refusal = { why: string; next: string }

/** The way to the remote; null: it has the commit. */
async function lookAt(outgoing: Outgoing, signal: AbortSignal): Promise<{ way: Way | null } | Refusal> {
  const { gitDir, commit } = outgoing
  const found = await remoteOf(outgoing, signal)
  if ('why' in found) return found
  const { remote, ref } = found
  const said = await usersGit(outgoing, ['ls-remote', '--quiet', remote, ref], signal)
  if (said.code !== 0) return refusal(found, `git cannot reach ${remote}: ${lastLines(said)}`)
  const old = /^([0-9a-f]{40,64})\t/.exec(said.stdout)?.[1] ?? null
  const isPart = async (a: string, b: string) =>
    (await git(['merge-base', '--is-ancestor', a, b], { gitDir, okCodes: [1, 128] })).code === 0
  if (old === null) return { way: { outgoing, remote, ref, old } }
  if (old === commit || (await isPart(commit, old))) return { way: null }
  if (await isPart(old, commit)) return { way: { outgoing, remote, ref, old } }
  const why = `${remote} has commits on ${shortName(ref)} that are not here`
  return {
    ...refusal(found, why),
    next: `${inside(outgoing)} fetch ${remote}, bring both together, then ${typed(found)}`,
  }
}

type Place = Pick<Way, 'outgoing' | 'remote' | 'ref'>

/** As the user's own settings name it. Of a submodule, the branch that its remote calls its own. */
async function remoteOf(outgoing: Outgoing, signal: AbortSignal): Promise<Place | Refusal> {
  const { branch, path } = outgoing
  const setting = async (key: string) => (await usersGit(outgoing, ['config', '--get', key], signal)).stdout.trim()
  const upstream = path === '' ? await setting(`branch.${branch}.remote`) : ''
  const wanted =
    path === '' ? (await setting(`branch.${branch}.pushRemote`)) || (await setting('remote.pushDefault')) : ''
  const remote = wanted || upstream || 'origin'
  if (remote === '.' || remote.startsWith('-') || (await setting(`remote.${remote}.url`)) === '') {
    const what = path === '' ? branch : `the submodule ${path}`
    return { why: `${what} has no remote to push to`, next: `${inside(outgoing)} remote add origin <address>` }
  }
  if (path === '') {
    const merge = remote === upstream ? await setting(`branch.${branch}.merge`) : ''
    return { outgoing, remote, ref: merge.startsWith('refs/heads/') ? merge : `refs/heads/${branch}` }
  }
  const head = await usersGit(outgoing, ['ls-remote', '--quiet', '--symref', remote, 'HEAD'], signal)
  const named = /^ref: (refs\/heads\/[^\t\n]+)\tHEAD$/m.exec(head.stdout)?.[1]
  return { outgoing, remote, ref: named ?? `refs/heads/muster/landed/${branch}` }
}

async function push({ outgoing, remote, ref, old }: Way, signal: AbortSignal): Promise<Refusal | null> {
  const place = { outgoing, remote, ref }
  const lease = `--force-with-lease=${ref}:${old ?? ''}`
  const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', lease]
  const said = await usersGit(outgoing, [...args, remote, `${outgoing.commit}:${ref}`], signal)
  if (said.code === 0) return null
  const rejected = /^!.*\[(?:remote )?rejected\] \((.*)\)/m.exec(said.stdout)?.[1]
  const reason = rejected === undefined ? lastLines(said) : `${rejected}${remoteWords(said)}`
  return refusal(place, `${remote} refuses ${shortName(ref)}: ${reason}`)
}

const refusal = (place: Place, why: string): Refusal => ({
  why: place.outgoing.path === '' ? why : `the submodule ${place.outgoing.path}: ${why}`,
  next: typed(place),
})
const typed = ({ outgoing, remote, ref }: Place): string =>
  `${inside(outgoing)} push ${remote} ${outgoing.path === '' ? outgoing.branch : outgoing.commit.slice(0, 12)}:${shortName(ref)}`
const inside = ({ path }: Outgoing): string => (path === '' ? 'git' : `git -C ${path}`)
const shortName = (ref: string): string => ref.replace('refs/heads/', '')

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']
/** What of the environment leads a user's own git to their remote. */
const OF_USERS = [
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  ...PROXIES.flatMap((name) => [name, name.toUpperCase()]),
]

/** git with the settings and credentials that the user has, in their own repository. */
function usersGit({ gitDir }: Outgoing, args: readonly string[], signal: AbortSignal): Promise<GitResult> {
  const { HOME = '/', XDG_CONFIG_HOME = join(HOME, '.config') } = toolEnvironment()
  const beside = join(XDG_CONFIG_HOME, 'git/config')
  const env = {
    ...childEnvironment({ pass: OF_USERS }),
    ...toolEnvironment(),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_CONFIG_GLOBAL: join(HOME, '.gitconfig'),
    ...(existsSync(beside)
      ? { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'include.path', GIT_CONFIG_VALUE_0: beside }
      : {}),
    GIT_ALLOW_PROTOCOL: 'file:ssh:https:http',
    SSH_ASKPASS_REQUIRE: 'never',
  }
  return git(args, { gitDir, env, okCodes: [1, 2, 128, -1], signal })
}

/** What git always says when a remote cannot be read, whatever the reason: behind the reason itself. */
const BESIDE =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.|)$/

/** Why, in git's words; without whatever an address may hold before its host: a name, a token. */
function lastLines({ stdout, stderr, code }: GitResult): string {
  const all = (stderr.trim() || stdout.trim()).split('\n').map((line) => line.trim())
  const telling = all.filter((line) => !BESIDE.test(line))
  const said = (telling.length > 0 ? telling : all).slice(-3).join(' ')
  const safe = said.replaceAll(/\/\/[^\s/@]*@/g, '//').slice(0, saidCharsMax)
  return safe.replace(/\.$/, '') || (code === -1 ? 'it was cut short' : 'it said nothing')
}

/** What the remote itself said of a push: the words of its hooks. */
function remoteWords({ stderr }: GitResult): string {
  const lines = stderr.split('\n').flatMap((line) => /^remote: +(\S.*?)\s*$/.exec(line)?.[1] ?? [])
  const said = lines.slice(0, 3).join(' ').slice(0, saidCharsMax)
  return said === '' ? '' : ` (${said})`
}
