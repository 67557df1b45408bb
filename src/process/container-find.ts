/** Finds out whether podman or docker can sandbox workers in the image that the user named, by trying it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CONTAINER_RUNTIMES, type ContainerRuntime } from '../domain/config.ts'
import { ask, bind, optionsOf, RUN, scratch, withoutHelp, type Container } from './container.ts'
import { lastLine } from './last-line.ts'
import { pathOf } from './program-path.ts'
import type { RunResult } from './run.ts'
import type { Sandbox } from './sandbox-found.ts'

/** The sandbox, or why there is none. */
export async function tryContainer(image: string, runtime?: ContainerRuntime): Promise<Sandbox | string> {
  const said: string[] = []
  for (const name of runtime === undefined ? CONTAINER_RUNTIMES : [runtime]) {
    const client = await pathOf(name)
    const tried = client === null ? `${name} is not installed` : await tryClient(client, image)
    if (typeof tried !== 'string') return tried
    said.push(tried)
  }
  return said.join('; ')
}

/** The sandbox, or why there is none; of a program that has its runtime's name. */
export async function tryClient(client: string, image: string): Promise<Sandbox | string> {
  const runtime = basename(client) as ContainerRuntime
  const known = await ask([client, 'image', 'inspect', '--format', '{{.Id}}', image])
  const id = known.stdout.toString().trim()
  if (known.code !== 0 || id === '') {
    const isMissing = /no such image|not known/i.test(known.stderr)
    return isMissing
      ? `${runtime} does not have the image ${image}. Get it: ${runtime} pull ${image}`
      : `${runtime}: ${lastWords(known)}`
  }
  let why = ''
  for (const { user, lacks = '' } of usersOf(runtime)) {
    const container = { runtime, client, image: id, user }
    const problem = await problemOf(container)
    if (problem === null) {
      return { kind: 'container', why: `${client} works with ${image}${lacks}`, prefix: [], begin: [], container }
    }
    why ||= problem
  }
  return `${runtime} does not work here: ${why}`
}

/** Root needs no user namespace, but without one its keys in the kernel are the worker's; docker lets nobody ask for keys. */
const NAMESPACE = ['--uidmap', '0:0:65536', '--gidmap', '0:0:65536']

/** Who the worker is, the best first. A runtime without root's rights has a root of its own, who is the user outside. */
function usersOf(runtime: ContainerRuntime): { user: string[]; lacks?: string }[] {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const own = ['--user', `${uid}:${gid}`]
  if (uid !== 0)
    return [{ user: runtime === 'podman' ? ['--userns', 'keep-id', ...own] : own }, { user: ['--user', '0:0'] }]
  if (runtime === 'docker') return [{ user: own }]
  return [{ user: [...own, ...NAMESPACE] }, { user: own, lacks: "; does not protect the kernel's keys" }]
}

/** Null if a file that is written inside is the user's outside. */
async function problemOf(container: Container): Promise<string | null> {
  const { runtime, client, image } = container
  const dir = mkdtempSync(join(tmpdir(), 'muster-container-'))
  const shut = [...optionsOf(container), ...scratch(runtime)('/tmp'), ...bind(dir, '/tmp/of', false)]
  try {
    const ended = await ask([client, ...RUN[runtime].split(' '), ...shut, image, '-c', 'echo made >/tmp/of/made'])
    if (ended.code !== 0) return lastWords(ended) || `it ended with ${ended.code ?? ended.signal}`
    const made = statSync(join(dir, 'made'), { throwIfNoEntry: false })
    if (made === undefined) return 'it shows no folder of this machine'
    return made.uid === process.geteuid?.() ? null : `its files belong to user ${made.uid}`
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const lastWords = ({ stderr }: RunResult): string => lastLine(withoutHelp(Buffer.from(stderr)))
