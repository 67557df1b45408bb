/**
 * Muster as a user has it: a throwaway repository, little shell scripts as agents, and the command line as a process of
 * its own with nothing in its environment but a PATH and a home. Tests wait for lines, files and exits, never for time.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, watch } from 'node:fs'
import { realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StoryView, TaskLine, TaskView } from '../../src/engine/views/views.ts'
import { afterFile } from './after.ts'
import { beginRepository } from './begun.ts'
import { inside, resultOf } from './here.ts'

export const cliFile = fileURLToPath(new URL('../../bin/muster.mjs', import.meta.url))
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/muster-test', import.meta.url))
/** How a shell script starts the command line. */
export const cliWords = `'${process.execPath}' '${cliFile}'`

export interface Result {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
  /** All of stdout as one JSON document. */
  json<T = unknown>(): T
}

export interface RunDocument {
  story: StoryView | null
  tasks: TaskView[]
}

export interface StatusDocument {
  counts: Record<string, number>
  paused: boolean
  stories: StoryView[]
  tasks: TaskLine[]
  next: string | null
  unsaved: number
}

export interface ErrorDocument {
  error: { code: string; message: string; hint: string | null }
}

export interface Running {
  pid: number
  ended: Promise<Result>
  /** Resolves once stdout or stderr holds it; rejects when the process ends without. */
  saw(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
}

export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  input?: string
  /** At a terminal, as a person has it; what it says on either stream is stdout then. */
  terminal?: boolean
}

export interface Repo {
  /** The top of the work tree. */
  dir: string
  /** HOME, for the command line and for agents. */
  home: string
  musterHome: string
  /** The project's data directory; there after the first command that stores something. */
  dataDir(): string
  write(path: string, text: string): string
  script(path: string, text: string): string
  read(path: string): string
  git(...args: string[]): string
  branches(): string[]
  muster(...args: string[]): Promise<Result>
  musterWith(options: RunOptions, ...args: string[]): Promise<Result>
  /**
   * The same words, answered in this process: for what a test says or looks at in passing, where the start of another
   * process shows nothing more. Agents have the home of the tests, and nothing comes on stdin.
   */
  here(...args: string[]): Promise<Result>
  hereWith(options: Omit<RunOptions, 'input' | 'terminal'>, ...args: string[]): Promise<Result>
  start(...args: string[]): Running
  startWith(options: RunOptions, ...args: string[]): Running
}

export interface RepoOptions {
  /** The agent's shell script; null writes none. */
  agent?: string | null
  verdict?: 'exit' | 'file'
  /** Lines of muster.yaml beside the agent. */
  config?: string
  branch?: string
  /** Name of the work tree's folder. */
  name?: string
  /** Name of the folder that MUSTER_HOME points to. */
  musterHome?: string
}

/** Writes a file of its own, so that tasks never conflict. */
export const goodAgent = 'echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"'

export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-box-')))
  afterFile(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A repository with one commit, a muster.yaml and an agent, neither of them committed. */
export function makeRepo(options: RepoOptions = {}): Repo {
  const { agent = goodAgent, verdict = 'exit', config = '', branch = 'main', name = 'project' } = options
  const top = tempFolder()
  const home = join(top, 'home')
  const repo = openRepo(join(top, name), home, join(top, options.musterHome ?? 'state'))
  mkdirSync(home)
  beginRepository(repo.dir, branch)
  repo.write('muster.yaml', configText(config, verdict))
  if (agent !== null) repo.script('agent.sh', agent)
  return repo
}

/**
 * Without a sandbox unless it says so: agents of these tests leave pids and marks in their home for the test to see. So
 * tests, which have no terminal, decide as scripts.
 */
export function configText(more = '', verdict: 'exit' | 'file' = 'exit', run = './agent.sh'): string {
  const agent = `{ runtime: command, run: ${JSON.stringify(run)}, verdict: ${verdict}, timeout: 1m }`
  const sandbox = /^sandbox:/m.test(more) ? '' : 'sandbox: off\n'
  const decisions = /^decisions:/m.test(more) ? '' : 'decisions: scripted\n'
  const phases = /^phases:/m.test(more) ? '' : 'phases: direct\n'
  return `version: 1\nagents:\n  implementer: ${agent}\n${more}\n${sandbox}${decisions}${phases}`
}

export function openRepo(dir: string, home: string, musterHome: string): Repo {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: dir, encoding: 'utf8', env: gitEnv(home), stdio: ['ignore', 'pipe', 'pipe'] })
  const write = (path: string, text: string) => {
    const full = join(dir, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
    return full
  }
  const go = (run: RunOptions, args: string[]) => begin(args, { ...run, cwd: run.cwd ?? dir }, home, musterHome)
  return {
    dir,
    home,
    musterHome,
    dataDir() {
      const [name] = readdirSync(musterHome)
      if (name === undefined) throw new Error(`${musterHome} is empty`)
      return join(musterHome, name)
    },
    write,
    script(path, text) {
      const full = write(path, `#!/bin/sh\n${text}\n`)
      chmodSync(full, 0o755)
      return full
    },
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    git,
    branches: () => git('branch', '--format=%(refname:short)').split('\n').filter(Boolean),
    muster: (...args) => go({}, args).ended,
    musterWith: (run, ...args) => go(run, args).ended,
    here: (...args) => inside(args, dir, cleanEnv(home, musterHome)),
    hereWith: ({ cwd = dir, env }, ...args) => inside(args, cwd, { ...cleanEnv(home, musterHome), ...env }),
    start: (...args) => go({}, args),
    startWith: (run, ...args) => go(run, args),
  }
}

function begin(args: string[], options: RunOptions, home: string, musterHome: string): Running {
  const env = { ...cleanEnv(home, musterHome), ...options.env }
  const words = [process.execPath, cliFile, ...args]
  const [program = '', ...rest] = options.terminal === true ? atTerminal(words) : words
  const child = spawn(program, rest, {
    cwd: options.cwd,
    env,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  afterFile(() => child.exitCode === null && child.kill('SIGKILL'))
  child.stdin?.end(options.input)
  let [stdout, stderr] = ['', '']
  let watchers: (() => void)[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of watchers) look()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const look of watchers) look()
  })
  const ended = new Promise<Result>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(resultOf(code, signal, stdout, stderr)))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(stdout) ?? pattern.exec(stderr)
          if (found === null) return
          watchers = watchers.filter((other) => other !== look)
          resolve(found)
        }
        watchers.push(look)
        look()
        void ended.then(({ code }) =>
          reject(new Error(`ended with ${code} before ${String(pattern)}\n${stdout}\n${stderr}`)),
        )
      }),
    signal: (name) => void child.kill(name),
  }
}

/** The words that run these at a terminal of their own. */
export function atTerminal(words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return ['script', '-qefc', quoted, '/dev/null']
}

/** Nothing of the developer's; Node keeps compiled sources between the many starts, which the program does not see. */
export function cleanEnv(home: string, musterHome: string): NodeJS.ProcessEnv {
  const fixed = { HOME: home, MUSTER_HOME: musterHome, USER: 'tester', NODE_COMPILE_CACHE: compileCache }
  return { PATH: process.env['PATH'], ...fixed }
}

/** The result, if it ended with this code; otherwise an error that shows what it said. */
export function exited(result: Result, code: number): Result {
  if (result.code === code) return result
  throw new Error(`ended with ${result.code ?? result.signal}, not ${code}:\n${result.stdout}\n${result.stderr}`)
}

function gitEnv(home: string): NodeJS.ProcessEnv {
  const who = { NAME: 'Tester', EMAIL: 'tester@example.invalid' }
  const identity = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  const fixed = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  return { ...fixed, ...(Object.fromEntries(identity) as Record<string, string>) }
}

/** A plan file's text: ids with their extra fields. */
export function planText(id: string, tasks: Record<string, string>): string {
  const lines = Object.entries(tasks).map(
    ([task, more]) => `  - { id: ${task}, name: Task ${task}${more && `, ${more}`} }`,
  )
  return `meta: { id: ${id}, name: The ${id} plan }\ntasks:\n${lines.join('\n')}\n`
}

/** The text of a file as soon as it is there and not empty. Its folder must exist. */
export function fileText(path: string): Promise<string> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), () => look())
    const look = () => {
      const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
      if (text === '') return
      watcher.close()
      resolve(text)
    }
    look()
  })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A zombie nobody has reaped yet does nothing any more.
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return !/^\d+ \(.*\) Z /s.test(stat)
}
