/**
 * A container runtime for tests, in the soak or when asked for: a container takes a second to start, and a test in every
 * kind of sandbox some minutes more than `npm test` may take. The machine's own podman or docker with an image of the machine's
 * own files, and podman with a storage of its own, so that nothing of the user's is touched. All of it goes afterwards.
 * `MUSTER_TEST_RUNTIME=podman` or `=docker` asks for one.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** What programs need, shown as if the image had it: to copy it would take minutes. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', dirname(process.execPath)]

/** Some machines let nobody raise a limit, and have control groups that the runtime does not know. */
const LIMITS = 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]'
const SETTINGS = ['', `[containers]\n${LIMITS}\n`, `[containers]\n${LIMITS}\n[engine]\nruntime = "runc"\n`]

/** Tells where it is through the environment; gives what removes it. */
export function makeContainers(): () => void {
  const { MUSTER_TEST_RUNTIME: wanted, MUSTER_SOAK } = process.env
  if (!wanted && !MUSTER_SOAK) {
    console.warn('SKIPPED: containers; MUSTER_TEST_RUNTIME=podman npm test and npm run soak try them')
    return () => undefined
  }
  const podman = wanted === 'docker' ? 'docker is asked for' : makePodman()
  const made = typeof podman === 'string' ? makeDocker() : podman
  if (typeof made !== 'string') return made
  console.warn(`SKIPPED: containers (${podman as string}; ${made})`)
  return () => undefined
}

function makePodman(): (() => void) | string {
  const program = pathOf('podman')
  if (program === '') return 'podman is not installed'
  const top = mkdtempSync(join(tmpdir(), 'muster-containers-'))
  const storage = `--root ${top}/storage --runroot ${top}/run`
  const settings = join(top, 'containers.conf')
  const client = wrap(top, 'podman', `export CONTAINERS_CONF=${settings} USER=$(id -un)`, `${program} ${storage}`)
  const remove = (): void => {
    for (const words of [
      ['rm', '--all', '--force', '--time', '0'],
      ['rmi', '--all', '--force'],
    ])
      attempt(client, ...words)
    attempt('umount', join(top, 'storage/overlay'))
    attempt(program, 'unshare', 'rm', '-rf', join(top, 'storage'))
    rmSync(top, { recursive: true, force: true })
  }
  writeFileSync(settings, '')
  let said = importImage(client, top)
  for (const text of said === null ? SETTINGS : []) {
    writeFileSync(settings, text)
    said = attempt(client, 'run', '--rm', '--entrypoint', '/bin/sh', IMAGE, '-c', ':')
    if (said === null) return tell(top, remove)
  }
  remove()
  return `podman: ${said}`
}

function makeDocker(): (() => void) | string {
  const program = pathOf('docker')
  if (program === '') return 'docker is not installed'
  const top = mkdtempSync(join(tmpdir(), 'muster-containers-'))
  const host = process.env['DOCKER_HOST'] ?? ''
  const client = wrap(top, 'docker', host === '' ? ':' : `export DOCKER_HOST='${host}'`, program)
  const remove = (): void => {
    attempt(client, 'rmi', '--force', IMAGE)
    rmSync(top, { recursive: true, force: true })
  }
  const said = importImage(client, top)
  if (said === null) return tell(top, remove)
  remove()
  return `docker: ${said}`
}

const IMAGE = 'localhost/muster-test:1'

function tell(top: string, remove: () => void): () => void {
  Object.assign(process.env, { MUSTER_TEST_CONTAINERS: join(top, 'bin') })
  return remove
}

/** A program of the runtime's name that shows the machine's programs in every container. */
function wrap(top: string, name: string, prepare: string, command: string): string {
  const shown = SHOWN.filter((path) => existsSync(path)).map((path) => `--volume ${path}:${path}:ro`)
  const path = join(top, 'bin', name)
  mkdirSync(dirname(path))
  const text = `#!/bin/sh
${prepare}
n=$#
while [ $n -gt 0 ]; do
  set -- "$@" "$1"
  [ "$1" != run ] || [ -n "$ran" ] || { ran=1; set -- "$@" ${shown.join(' ')}; }
  shift
  n=$((n - 1))
done
exec ${command} "$@"
`
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

/** The folders that the others are shown in, and Muster itself. */
function importImage(client: string, top: string): string | null {
  const file = join(top, 'image.tar')
  const own = ['bin', 'dist', 'package.json'].map((name) => join(ROOT, name).slice(1))
  execFileSync('tar', ['-C', '/', '-cf', file, '--no-recursion', 'etc', 'usr', '--recursion', ...own], {
    stdio: 'ignore',
  })
  const said = attempt(client, 'import', file, IMAGE)
  rmSync(file)
  return said
}

/** Null, or what it complained of. */
function attempt(program: string, ...words: string[]): string | null {
  try {
    execFileSync(program, words, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 60_000 })
    return null
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    return stderr.trim().split('\n').at(-1) || message
  }
}

function pathOf(name: string): string {
  return execFileSync('/bin/sh', ['-c', 'command -v -- "$1" || :', 'sh', name], { encoding: 'utf8' }).trim()
}
