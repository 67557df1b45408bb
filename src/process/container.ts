/**
 * Puts a worker into a container with podman or docker; container-find.ts finds out which of them works. The runtime
 * starts containers through processes that survive Muster, so a shell beside the client starts it, and removes the
 * container when Muster is gone.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { CONTAINER_RUNTIMES, type ContainerRuntime } from '../domain/config.ts'
import { containerEnvironment } from './environment.ts'
import { runToEnd, type RunResult } from './run.ts'
import { isWithin, placesOf, type Place, type Places, type Rule } from './view.ts'

export interface Container {
  runtime: ContainerRuntime
  /** Its program. */
  client: string
  /** By its content: what the name stands for may change. */
  image: string
  /** What makes files in the workspace belong to the user. */
  user: readonly string[]
}

/** A worker that is put into one. */
export interface Boarder {
  /** The run's folder. */
  dir: string
  cwd: string
  env: Readonly<Record<string, string>>
  command: readonly string[]
  rules: readonly Rule[]
  network: boolean
  /** Its stderr is not mixed into its stdout. */
  apart: boolean
}

/** The image's files are read-only. No capability, no new ones; other people's SELinux labels stay as they are. */
const SHUT = [
  '--read-only',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--security-opt',
  'label=disable',
]
/** Nothing is fetched, kept, or started by the image itself. */
const PLAIN = ['--pull', 'never', '--rm', '--log-driver', 'none', '--no-healthcheck', '--entrypoint', '/bin/sh']
const OF_RUNTIME: Readonly<Record<ContainerRuntime, readonly string[]>> = {
  podman: ['--ipc', 'private', '--http-proxy=false', '--image-volume', 'tmpfs', '--read-only-tmpfs=false'],
  docker: ['--ipc', 'private'],
}
/** Ends it at once, whatever it does. */
const REMOVE: Readonly<Record<ContainerRuntime, string>> = {
  podman: 'rm --force --volumes --ignore --time 0',
  docker: 'rm --force --volumes',
}
/** What it tells people is not the worker's output. */
export const RUN: Readonly<Record<ContainerRuntime, string>> = { podman: '--log-level error run', docker: 'run' }
/** What a program expects to be able to write to. */
const SCRATCH = ['/tmp', '/var/tmp', '/run']
/** These say where the machine keeps something: inside it is the image's. */
const NOT_INSIDE = new Set(['PATH', 'SHELL', 'PWD', 'OLDPWD', 'SHLVL', '_'])
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS']

/** Where the worker waits to begin, as it sees it. */
const MEETING = '/run/muster'
const meetingOf = (dir: string): string => join(dir, 'container')

/** One for each run, and the same whenever it is asked for. */
export const containerName = (dir: string): string =>
  `muster-${basename(dir).replaceAll(/[^\w.-]/g, '')}-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`

/**
 * Outside: `sh -c <this> watch <program> <name> <folder> <words to remove it> <words to run it> <arguments>…`. Descriptor
 * 3 tells Muster which process is the container's first and that the worker began; 4 is the gate, whose end is Muster's
 * end. Who watches it cannot be reached from inside, so no worker keeps the container alive.
 */
const WATCH = `client=$1 name=$2 meeting=$3 remove=$4 how=$5; shift 5
gone() { for n in 1 2 3 4 5; do "$client" $remove "$name" >/dev/null 2>&1 && break; sleep 0.3; done; rm -rf "$meeting"; }
mkdir -p -m 700 "$meeting" && mkfifo -m 600 "$meeting/ready" "$meeting/go" && printf %s "$client" >"$meeting/client" || exit 125
exec 5<&0 0</dev/null
"$client" $how --name "$name" "$@" <&5 3>&- 4>&- 5<&- &
run=$!
exec 5<&-
{
  trap '' PIPE
  read -r ready <"$meeting/ready" && pid=$("$client" inspect --format '{{.State.Pid}}' "$name") && [ "$pid" -gt 1 ] &&
    echo "{\\"child-pid\\": $pid}" >&3 && echo ready >&4 && read -r go <&4 && [ "$go" = go ] &&
    echo '{"exit-code": 0}' >&3 && echo go >"$meeting/go" && read -r over <&4
  kill -KILL "$run"
  gone
} </dev/null >/dev/null 2>&1 &
watch=$!
trap 'kill -KILL "$run" "$watch"; gone; exit 143' TERM
exec 2>/dev/null 3>&- 4>&-
wait "$run"
code=$?
kill -KILL "$watch"
rm -rf "$meeting"
exit "$code"`
const WATCHED = ['/bin/sh', '-c', WATCH, 'watch']

/**
 * Inside, the first process: `sh -c <this> <name> <PATH> <folder> <number of links> <link> <target>… <command>…`. The
 * kernel shields it from signals it does not handle, and it has to reap, so it must not be the worker itself.
 */
const init = (
  apart: boolean,
): string => `PATH=\${PATH:-/usr/local/bin:/usr/bin:/bin}\${1:+:$1} dir=$2 links=$3; export PATH; shift 3
while [ "$links" -gt 0 ]; do ln -s "$2" "$1" || exit 125; shift 2; links=$((links - 1)); done
cd "$dir" || exit 125
exec 3>&${apart ? 2 : 1} 2>/dev/null
asked=
trap 'asked=1' TERM
{ echo ready >${MEETING}/ready && read -r go <${MEETING}/go && [ "$go" = go ]; } || exit 125
[ -z "$asked" ] || exit 143
"$@" 2>&3 3>&-
exit $?`

/** What holds for every container. */
export const optionsOf = ({ runtime, user }: Pick<Container, 'runtime' | 'user'>): string[] => [
  ...PLAIN,
  ...SHUT,
  ...OF_RUNTIME[runtime],
  ...user,
]

/** The command that puts a worker inside. Throws where a path cannot be said to the runtime. */
export function containedCommand(container: Container, boarder: Boarder): string[] {
  const { dir, cwd, env, command, network, apart } = boarder
  const { runtime, client, image } = container
  const certificates = CERTIFICATES.flatMap((name) => env[name] ?? [])
  const rules = certificates.map((path): Rule => ({ path, access: 'read', always: true })).concat(boarder.rules)
  const { places, links, isHidden } = placesOf(rules)
  const mounts = SCRATCH.filter((path) => !places.some((place) => place.path === path)).map(scratch(runtime))
  for (const place of places) mounts.push(...mountOf(runtime, place, links))
  for (const path of between(places, isHidden)) mounts.push(scratch(runtime)(path))
  mounts.push(bind(meetingOf(dir), MEETING, true))
  const shown = places.filter(({ access }) => access !== 'hide').map(({ path }) => path)
  const path = (env['PATH'] ?? '').split(delimiter).filter((entry) => shown.some((place) => isWithin(entry, place)))
  const names = Object.keys(env).filter((name) => !NOT_INSIDE.has(name))
  return [
    ...WATCHED,
    client,
    containerName(dir),
    meetingOf(dir),
    REMOVE[runtime],
    RUN[runtime],
    ...optionsOf(container),
    '--interactive',
    '--workdir',
    '/',
    ...(network ? [] : ['--network', 'none']),
    // Values come from the client's own environment: a command line can be read by everybody on the machine.
    ...names.flatMap((name) => ['--env', name]),
    ...mounts.flat(),
    image,
    '-c',
    init(apart),
    containerName(dir),
    path.join(delimiter),
    cwd,
    String(links.length),
    ...links.flat(),
    ...command,
  ]
}

/** The client asks its own environment where the runtime is. */
export const clientEnvironment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...containerEnvironment(),
  ...env,
})

function mountOf(runtime: ContainerRuntime, { path, access, from, given }: Place, links: Places['links']): string[][] {
  // By its other name too, where a link that leads there is one of the machine's, and not one that is made inside.
  const ways = given === path || links.some(([link]) => isWithin(given, link)) ? [path] : [path, given]
  return ways.map((at) => (access === 'hide' ? scratch(runtime)(at) : bind(from ?? path, at, access === 'read')))
}

/** In memory, and gone afterwards. */
export const scratch =
  (runtime: ContainerRuntime) =>
  (path: string): string[] => {
    if (/[:,]/.test(path)) throw new Error(`a container cannot use the path ${path}, because it contains ":" or ","`)
    return ['--tmpfs', `${path}:rw,exec,nosuid,nodev,mode=1777${runtime === 'podman' ? ',notmpcopyup' : ''}`]
  }

/** Without what is mounted below: a read-only mount would leave that writable. */
export function bind(from: string, path: string, readOnly: boolean): string[] {
  if (/[,"\n]/.test(from + path))
    throw new Error(`a container cannot use the path ${path}, because it contains "," or a quote`)
  return ['--mount', `type=bind,source=${from},destination=${path},bind-nonrecursive${readOnly ? ',readonly' : ''}`]
}

/** The folders between a hidden one and what is shown in it: the runtime would make them, and for root alone. */
function between(places: readonly Place[], isHidden: Places['isHidden']): Set<string> {
  const taken = new Set(places.map(({ path }) => path))
  const found = new Set<string>()
  for (const { path } of places) {
    for (let at = join(path, '..'); at !== '/' && isHidden(at) && !taken.has(at); at = join(at, '..')) found.add(at)
  }
  return found
}

/** Docker ends what it complains of by naming its help. */
export function withoutHelp(said: Buffer): Buffer {
  return Buffer.from(said.toString().replace(/\s*^(?:Run|See) 'docker .*--help'.*\s*$/m, ''))
}

/** Removes what is left of a run's container, if there is any. */
export async function removeContainer(dir: string): Promise<void> {
  const client = clientOf(dir)
  const runtime = CONTAINER_RUNTIMES.find((name) => name === basename(client))
  if (runtime === undefined) return
  // A runtime that is there no more runs nothing either.
  await ask([client, ...REMOVE[runtime].split(' '), containerName(dir)]).catch(() => null)
  rmSync(meetingOf(dir), { recursive: true, force: true })
}

/** Of the runtime that the run's container is in, or was; empty if there is none. */
function clientOf(dir: string): string {
  try {
    return readFileSync(join(meetingOf(dir), 'client'), 'utf8')
  } catch {
    return ''
  }
}

const timeoutMs = 20_000

export function ask(command: readonly string[]): Promise<RunResult> {
  return runToEnd({ command, cwd: '/', env: clientEnvironment({}), timeoutMs })
}
