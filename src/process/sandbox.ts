/**
 * The kinds of sandbox that work on this machine, found by trying, once per process. Containers and kernels refuse
 * namespaces in many ways, so an installed program proves nothing. confine.ts puts a worker inside.
 */
import type { Sandbox } from './sandbox-found.ts'
import type { SandboxConfig } from '../domain/config.ts'
import { tryContainer } from './container-find.ts'
import { childEnvironment } from './environment.ts'
import { pathOf } from './program-path.ts'
import { runToEnd } from './run.ts'
import { seatbeltProfile } from './seatbelt.ts'

export const INSTALL_HINT = 'apt-get install bubblewrap (dnf, pacman, apk: the package has the same name)'

/** Everything but the files. Root keeps no capability: with them it could undo the mounts. */
const BUBBLEWRAP = [
  '--unshare-pid',
  '--unshare-ipc',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
] as const
const PID_NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc'] as const
/** unshare ends the namespace with itself, but only setpriv ends unshare with Muster. */
const DIE_WITH_PARENT = ['--pdeathsig', 'SIGKILL'] as const

/** The descriptor of the gate: a socket to Muster that the worker waits at, inside, before it begins. */
export const gateFd = 4

/**
 * What dies with its parent does so only once it has said so to the kernel, which is not at once. So Muster lets the
 * worker begin after it has heard from it; and if Muster is gone by then, the worker hears that and never begins.
 */
const GATE = `{ echo ready >&${gateFd} && read -r go <&${gateFd} && [ "$go" = go ]; } 2>/dev/null || exit 125
exec ${gateFd}>&-`

const BEGIN = `${GATE}
exec "$@"`

/** keyctl, which has another number on every kind of machine. */
const KEYCTL: Readonly<Record<string, number>> = { x64: 250, arm64: 219, riscv64: 219, s390x: 280, ppc64: 271 }

/**
 * Keys that the kernel holds for the user's session (Kerberos, disks) would be the worker's as well: it gets a session
 * without. Where the kernel has no keys, or lets nobody at them (errors 38 and 1), there is nothing to do.
 */
const WITHOUT_KEYS = `delete $ENV{PERL_BADLANG};
my $keyctl = ${KEYCTL[process.arch] ?? 0};
if ($keyctl && syscall($keyctl, 1, 0) < 0 && $! != 38 && $! != 1) {
  print STDERR "no session of its own for the kernel's keys: $!\n";
  exit 125;
}`

/**
 * Abstract sockets belong to the network, which stays on, so only Landlock keeps a worker from those of others: a domain
 * that limits nothing else. The numbers are the same on every machine; a kernel before Linux 6.12 knows no such limit.
 */
const SCOPE = `my $limits = pack('QQQ', 0, 0, 1);
my $rules = syscall(444, $limits, length($limits), 0);
exit 125 if $rules < 0 || syscall(446, $rules, 0) != 0;`

const GO = `exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\n";
exit 127`

/** Not one from the PATH: that may lie in the home, which is hidden. */
const perl = (...parts: string[]): string[] => ['/usr/bin/perl', '-e', parts.join('\n'), '--']
const BEGIN_PERL = `${GATE}
PERL_BADLANG=0 exec "$@"`

/** What is done first inside, the best first; perl, because a shell cannot ask the kernel for it. */
const FIRST: readonly { words: readonly string[]; lacks: string; scoped?: true }[] = [
  { words: perl(WITHOUT_KEYS, SCOPE, GO), lacks: '', scoped: true },
  {
    words: perl(WITHOUT_KEYS, GO),
    lacks: '; does not protect abstract sockets of this machine, which needs Linux 6.12',
  },
  {
    words: [],
    lacks: "; does not protect abstract sockets of this machine and the kernel's keys, which needs /usr/bin/perl",
  },
]

/**
 * The namespace's first process. The kernel shields it from signals it does not handle, and it has to reap, so it must
 * not be the worker itself. A worker that is asked to end before it begins does not. How the shell comments on the
 * worker's death is not the worker's output.
 */
const INIT = `exec 3>&2 2>/dev/null
asked=
trap 'asked=1' TERM
${GATE}
[ -z "$asked" ] || exit 143
"$@" 2>&3 3>&-
exit $?`

const probeTimeoutMs = 5000

export const noSandbox = (why: string): Sandbox => ({ kind: 'none', why, prefix: [], begin: [] })

const found = new Map<string, Promise<Sandbox>>()

/** What the configuration asks for, or the best there is. Where it asks for a kind that does not work: none. */
export function findSandbox({ mode, image = '', runtime }: Partial<SandboxConfig> = {}): Promise<Sandbox> {
  const isNamed = mode === 'container' || mode === 'sandbox-exec'
  const key = isNamed ? [mode, image, runtime].join(' ') : ''
  const one = (): Promise<Sandbox | string> => (mode === 'container' ? tryContainer(image, runtime) : trySandboxExec())
  const known = found.get(key) ?? (isNamed ? one().then(orNone) : tryAll())
  found.set(key, known)
  return known
}

const orNone = (tried: Sandbox | string): Sandbox => (typeof tried === 'string' ? noSandbox(tried) : tried)

async function tryAll(): Promise<Sandbox> {
  const bubblewrap = await tryBubblewrap()
  if (typeof bubblewrap !== 'string') return bubblewrap
  const namespace = await tryPidNamespace()
  if (typeof namespace !== 'string') return { ...namespace, why: `${namespace.why}; ${bubblewrap}` }
  return noSandbox(`${bubblewrap}; ${namespace}`)
}

/** The sandbox, or why there is none. */
export async function tryBubblewrap(): Promise<Sandbox | string> {
  const path = await pathOf('bwrap')
  if (path === null) return 'bubblewrap is not installed'
  const files = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp']
  let why = 'it is too old'
  // Root needs no user namespace, but without one its keys are the worker's.
  for (const user of [['--unshare-user'], []]) {
    const prefix = [path, ...user, ...BUBBLEWRAP]
    for (const { words, lacks, ...scoped } of FIRST) {
      const said = await probe([...prefix, ...files, '--json-status-fd', '1', '--', ...words, '/bin/sh', '-c', ':'])
      if (said.ok && said.output.includes('"exit-code"')) {
        const begin = ['--', '/bin/sh', '-c', words.length === 0 ? BEGIN : BEGIN_PERL, 'begin', ...words]
        return { kind: 'bubblewrap', why: `${path} works${lacks}`, prefix, begin, ...scoped }
      }
      why = said.output || why
    }
  }
  return `bubblewrap does not work here: ${why}`
}

/** The sandbox, or why there is none. */
export async function tryPidNamespace(): Promise<Sandbox | string> {
  const [unshare, setpriv] = [await pathOf('unshare'), await pathOf('setpriv')]
  if (unshare === null || setpriv === null) return "util-linux's unshare and setpriv are not installed"
  let why = ''
  for (const user of [[], ['--user', '--map-current-user']]) {
    const prefix = [setpriv, ...DIE_WITH_PARENT, unshare, ...user, ...PID_NAMESPACE]
    const shell = ['/bin/sh', '-c']
    const said = await probe([...prefix, ...shell, '[ $$ = 1 ] && [ -e /proc/1 ]'])
    if (said.ok) return { kind: 'pid-namespace', why: `${unshare} works`, prefix, begin: [...shell, INIT, 'init'] }
    why = said.output
  }
  return `unshare does not work here: ${why || 'it created no pid namespace'}`
}

/** The sandbox, or why there is none. The profile follows the prefix. */
export async function trySandboxExec(): Promise<Sandbox | string> {
  if (process.platform !== 'darwin') return 'sandbox-exec is only on macOS'
  const prefix = ['/usr/bin/sandbox-exec', '-p']
  const said = await probe([...prefix, seatbeltProfile({ places: [], scratch: [] }), '/bin/sh', '-c', ':'])
  if (!said.ok) return `sandbox-exec does not work here: ${said.output}`
  return { kind: 'sandbox-exec', why: 'sandbox-exec works in a short test', prefix, begin: [] }
}

async function probe(command: readonly string[]): Promise<{ ok: boolean; output: string }> {
  try {
    const result = await runToEnd({ command, cwd: '/', env: childEnvironment(), timeoutMs: probeTimeoutMs })
    const output = result.code === 0 ? result.stdout.toString() : (result.stderr.trim().split('\n').at(-1) ?? '')
    return { ok: result.code === 0, output }
  } catch (error) {
    return { ok: false, output: (error as Error).message }
  }
}
