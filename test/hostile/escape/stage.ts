/**
 * The machine that hostile code is tried on, all of it made by the test: a home with secrets, two projects in it with
 * Muster's data, of which one is served, and around them programs of the user's that could be talked to. Acts know the
 * places by name: `$H` the home, `$R` and `$Q` the projects, `$D` and `$O` their data, `$V` and `$N` processes.
 */
import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { keepsIn, type SandboxKind } from '../../../src/domain/config.ts'
import type { Explanation } from '../../../src/engine/views/explain.ts'
import { pathWithContainers, testImage } from '../../../src/process/fixtures/kinds.ts'
import { script } from '../../../src/process/fixtures/temp.ts'
import { gone } from '../../../src/process/group.ts'
import { afterFile } from '../../support/after.ts'
import { beginRepository } from '../../support/begun.ts'
import { BY_PERSON } from '../../support/maps.ts'
import { cliFile, configText, exited, openRepo, planText, type Repo, type Running } from '../../support/muster.ts'
import { isRoot } from '../../support/as-user.ts'
import { ACTS } from '../escape.ts'

export type Places = Record<string, string>

/** Not below /tmp, which is hidden as a whole, if that can be. */
function topFolder(): string {
  const parent = ['/var/lib', tmpdir()].find(isWritable) ?? tmpdir()
  const top = realpathSync(mkdtempSync(join(parent, 'muster-escape-')))
  afterFile(() => rmSync(top, { recursive: true, force: true }))
  return top
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const pathOf = (name: string): string =>
  execFileSync('/bin/sh', ['-c', 'command -v -- "$1" || :', 'sh', name], { encoding: 'utf8' }).trim()

/** What snippets and Muster need; neither bubblewrap nor what makes namespaces. */
const TOOLS =
  'cat chmod cp dirname env git grep kill ln ls mkdir mknod mktemp mount mv nohup nsenter perl printf rm script sed setsid sh sleep umount'

export interface Stage {
  places: Places
  at(path: string): string
  repo: Repo
  nonce: string
  /** Starts what there is of one kind of sandbox: Muster, and a PATH on which it finds no better one. */
  serve(kind: SandboxKind): Promise<void>
  /** A process of the user's, new for each run. */
  victim(): Promise<void>
  /** What others heard by now. */
  heard(): Promise<string>
  /** The tasks for which somebody has said yes. */
  decided(): Promise<ReadonlySet<string>>
  /** The project where nothing runs as it was; the other is so when it is served anew. */
  restoreQuiet(): void
}

export async function makeStage(): Promise<Stage> {
  const top = topFolder()
  const nonce = randomBytes(6).toString('hex')
  const H = join(top, 'home')
  const S = join(H, '.local/state/muster')
  const places: Places = { H, S, R: join(H, 'code/project'), Q: join(H, 'code/quiet'), B: join(H, '.tools/bin') }
  const at = (path: string): string => path.replaceAll(/\$([A-Z]+)/g, (_, name: string) => places[name] ?? `$${name}`)
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const dir of [H, S, places['B'] ?? '']) mkdirSync(dir, { recursive: true })
  const p = await waitingProject(openRepo(places['R'] ?? '', H, S), 'p', `the secret plan ${nonce}`, 6)
  places['D'] = p.dataDir()
  const q = await waitingProject(openRepo(places['Q'] ?? '', H, S), 'q', `the other plan ${nonce}`, 2)
  places['O'] =
    readdirSync(S)
      .map((name) => join(S, name))
      .find((dir) => dir !== places['D']) ?? ''
  for (const { id, secret } of ACTS) if (secret !== undefined) put(at(secret), `secret-${id}-${nonce}`)
  for (const file of ['mounted.txt', 'linked.txt']) put(join(p.dir, file), '')
  for (const file of ['.claude/settings.json', '.claude.json']) put(join(H, file), '{}\n')
  for (const file of ['.bashrc', '.gitconfig', '.npm/x']) put(join(H, file), '')
  for (const file of [
    'golden/escape/outputs',
    'layers/other/note.json',
    'submodules/lib.git/config',
    'workspaces/other/x',
  ])
    put(join(places['D'], file), '')
  script(join(places['B'] ?? '', 'claude'), 'exec sh ./acts.sh')

  const own = randomBytes(4).toString('hex')
  const outside = {
    ABSTRACT: `escape-${own}`,
    TMPSOCKET: `/tmp/escape-${own}.sock`,
    RUNSOCKET: `/run/escape-${own}.sock`,
  }
  Object.assign(places, outside, {
    NODE: process.execPath,
    CLI: `${process.execPath} ${cliFile}`,
    UNSHARE: pathOf('unshare'),
  })
  let heard = ''
  const listening = [`\0${outside.ABSTRACT}`, outside.TMPSOCKET, at('$H/.gnupg/S.gpg-agent')]
  if (isRoot) listening.push(outside.RUNSOCKET)
  for (const path of listening) {
    if (path.startsWith('/')) mkdirSync(dirname(path), { recursive: true })
    const server = createServer((socket) => {
      socket.on('data', (data) => void (heard += data.toString())).on('error', () => {})
    }).listen(path)
    afterFile(() => server.close())
  }
  const terminal = await openTerminal(top, (text) => void (heard += text))
  places['TTY'] = terminal.tty
  places['SHM'] = sharedMemory(`shm-${nonce}`)
  Object.assign(places, sessionKey(`key-${nonce}`))

  const pristine = join(top, 'pristine')
  cpSync(H, pristine, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('S.gpg-agent') })
  const restore = (dir: string): void => {
    for (const name of readdirSync(dir)) {
      if (dir !== H || name !== '.gnupg') rmSync(join(dir, name), { recursive: true, force: true })
    }
    cpSync(join(pristine, relative(H, dir)), dir, { recursive: true, verbatimSymlinks: true })
  }

  const tasks = [...[1, 2, 3, 4, 5, 6].map((n) => [p, `p-${n}`] as const), ...[1, 2].map((n) => [q, `q-${n}`] as const)]
  let serving: Running | undefined
  let served: SandboxKind = 'bubblewrap'
  let dummy: ChildProcess | undefined
  let flushed = 0
  return {
    places,
    at,
    nonce,
    repo: p,
    async serve(kind) {
      serving?.signal('SIGTERM')
      await serving?.ended
      restore(H)
      served = kind
      p.write('muster.yaml', configFor(kind))
      places['PATH'] = pathFor(kind, top, places['B'] ?? '')
      const env = { PATH: places['PATH'], VICTIM: `muster-${nonce}` }
      serving = p.startWith({ env }, 'serve', '--port', '0', '--json')
      await serving.saw(/"link"/)
      places['N'] = String(serving.pid)
    },
    async victim() {
      dummy?.kill('SIGKILL')
      dummy = spawn('sleep', ['1000'], { cwd: H, env: { VICTIM: `user-${nonce}` }, stdio: 'ignore' })
      const { pid, kill } = dummy
      afterFile(() => kill.call(dummy, 'SIGKILL'))
      places['V'] = String(pid)
      await new Promise((resolve) => dummy?.once('spawn', resolve))
    },
    async heard() {
      const word = `flush-${++flushed}`
      terminal.type(`${word}\n`)
      await gone(() => !heard.includes(`typed ${word}`), 10_000)
      return heard
    },
    async decided() {
      serving?.signal('SIGCONT')
      const decided = new Set<string>()
      for (const [repo, id] of tasks) {
        const { history } = exited(await repo.here('explain', id, '--json'), 0).json<Explanation>()
        if (history.some(({ text }) => text.includes('said accept'))) decided.add(id)
      }
      return decided
    },
    restoreQuiet() {
      for (const dir of [places['Q'], places['O']]) restore(dir ?? '')
      q.write('muster.yaml', configFor(served))
    },
  }
}

/** A project whose tasks all wait for a person. */
async function waitingProject(repo: Repo, id: string, name: string, tasks: number): Promise<Repo> {
  beginRepository(repo.dir)
  repo.write('muster.yaml', configText(`sandbox: off\ndecisions: person\nphases: ${BY_PERSON}`))
  repo.script('agent.sh', 'echo x >"$MUSTER_TASK_ID"')
  const ids = Array.from({ length: tasks }, (_, index) => [String(index + 1), ''])
  repo.write(
    'plan.yaml',
    planText(id, Object.fromEntries(ids) as Record<string, string>).replace(`The ${id} plan`, name),
  )
  exited(await repo.here('run', 'plan.yaml'), 8)
  repo.write('muster.yaml', configFor('bubblewrap'))
  return repo
}

const configFor = (kind: SandboxKind): string => {
  const sandbox = kind === 'container' ? `{ mode: container, image: '${testImage}' }` : 'auto'
  return configText(`sandbox: ${sandbox}\ndecisions: person\nphases: ${BY_PERSON}`)
}

/** In what keeps agents in, Muster's own program is to be had; elsewhere it finds no better sandbox than the one that is tried. */
function pathFor(kind: SandboxKind, top: string, bin: string): string {
  const path = kind === 'container' ? pathWithContainers() : process.env['PATH']
  if (keepsIn(kind)) return `${bin}:${path}:${dirname(dirname(cliFile))}`
  const dir = join(top, `path-${kind}`)
  mkdirSync(dir, { recursive: true })
  const names = kind === 'none' ? TOOLS : `${TOOLS} unshare setpriv`
  for (const name of names.split(' ')) if (pathOf(name).startsWith('/')) symlinkSync(pathOf(name), join(dir, name))
  symlinkSync(process.execPath, join(dir, 'node'))
  return `${bin}:${dir}`
}

/** The user's terminal, with a program at it that reads. */
async function openTerminal(top: string, hears: (text: string) => void) {
  const reads = script(
    join(top, 'reads'),
    'stty -echo; echo "at $(tty) now"; while read -r line; do echo "typed $line"; done',
  )
  const child = spawn('script', ['-qfc', reads, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
  afterFile(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    hears(chunk)
  })
  await gone(() => !text.includes(' now'), 10_000)
  return { tty: /at (\S+) now/.exec(text)?.[1] ?? '', type: (line: string) => void child.stdin.write(line) }
}

/** Memory that programs of the user's share, with a text in it. */
function sharedMemory(text: string): string {
  const make = '$id = shmget(0, 64, 0600); shmwrite($id, $ARGV[0], 0, 60); print $id'
  const id = execFileSync('perl', ['-e', make, text], { encoding: 'utf8' })
  afterFile(() => execFileSync('perl', ['-e', 'shmctl($ARGV[0], 0, 0)', id]))
  return id
}

/** A key that the kernel holds for the user; add_key and keyctl have other numbers on every kind of machine. */
function sessionKey(text: string): { KEYCTL: string; KEY: string } {
  const [add, keyctl] = process.arch === 'arm64' ? [217, 219] : [248, 250]
  const make = `my ($type, $name) = ("user", $ARGV[0]); my $value = $ARGV[0]; print syscall(${add}, $type, $name, $value, length($value), -4)`
  const id = execFileSync('perl', ['-e', make, text], { encoding: 'utf8' })
  afterFile(() => execFileSync('perl', ['-e', `syscall(${keyctl}, 9, $ARGV[0] + 0, -4, 0, 0)`, id]))
  return { KEYCTL: String(keyctl), KEY: id }
}
