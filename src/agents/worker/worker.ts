/**
 * The one way to run a worker of any kind: its folder, environment, sandbox, process and verdict file, and all of that
 * again after a restart of Muster. The driver says what to start and what its end means.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepsIn, type SandboxConfig } from '../../domain/config.ts'
import type { AgentEvent } from '../../domain/agent-event.ts'
import type { RunOutcome, RunRequest, Runtime, Worker } from '../../ports/runtime.ts'
import { callsFileOf, judgeFileOf, verdictFileOf, type JudgeFile } from '../../ports/runtime.ts'
import { childEnvironment } from '../../process/environment.ts'
import { layersPrefix, writtenIn } from '../../process/layers.ts'
import { runLimits, type Fenced } from '../../process/limits/fence.ts'
import { takePorts } from '../../process/port.ts'
import { hasStarted, type ProcessEnd } from '../../process/record.ts'
import { recoverRun } from '../../process/recover.ts'
import { findSandbox, INSTALL_HINT, noSandbox } from '../../process/sandbox.ts'
import { type Sandbox } from '../../process/sandbox-found.ts'
import { supervise, type SupervisedProcess } from '../../process/supervise.ts'
import type { Left, VerdictFile } from './end.ts'
import { besideServices, portVariables, serviceProblem, tidyServices } from './services.ts'
import { boxOf, rulesOf, type Needs } from './sandbox-mounts.ts'
import { readVerdictFile } from './verdict-file.ts'

export interface WorkerOptions {
  sandbox: SandboxConfig
  /** Muster's data of the project, hidden from workers. */
  dataDir: string
  /** Whose name commits have that a run makes; a repository of its own has no other. */
  identity?: { name: string; email: string } | undefined
  /** What keeps workers in; looked for if not given. */
  kind?: Sandbox
}

/** What is to be started, and what it needs of the machine. */
interface Launch extends Needs {
  /** Program and arguments. */
  command: readonly string[]
  /** Names of the user's variables that it gets without being listed under `env`. */
  pass?: readonly string[]
  /** Variables of its own; what the user passes on wins over them. */
  env?: Readonly<Record<string, string>>
  /** Variables that it must not have. */
  without?: readonly string[]
  /** Its stderr has a log of its own. */
  apart?: boolean
  watch?: Watch
}

/** Looks on while the worker runs. Must not throw. */
export interface Watch {
  /** Called once, before anything else, with the way to end the worker for a reason. */
  begin(stop: (why: string) => void): void
  output(chunk: Buffer): void
  setClock(running: boolean): void
  end(): void
}

export interface Listeners {
  line(line: string): void
  event(event: AgentEvent): void
}

interface Driver {
  /** `confined`: it sees only what it needs. */
  launch(request: RunRequest, around: { confined: boolean }, on: Listeners): Launch
  /** What an end means, from what is on disk: asked again after a restart of Muster. Never rejects. */
  outcome(request: RunRequest, end: ProcessEnd, left: Left): Promise<RunOutcome>
}

const promptFile = (request: RunRequest): string => join(request.dir, 'prompt.md')
const verdictFile = (request: RunRequest): string => verdictFileOf(request.dir)

/** What a worker may leave: its verdict, what it told its tools, the report of its tests, the logs of its services. */
const LEFT = ['verdict', 'calls.jsonl', 'report', 'services'] as const

export function workerRuntime(options: WorkerOptions, driver: Driver): Runtime {
  /** Folders of runs that this process has started and not yet seen the end of. */
  const running = new Set<string>()
  const outcomeOf = async (request: RunRequest, end: ProcessEnd): Promise<RunOutcome> =>
    driver.outcome(request, end, await leftBy(request))
  const collect = async (request: RunRequest, end: ProcessEnd): Promise<RunOutcome> => {
    takeVerdict(request)
    tidyServices(request.dir)
    const service = await serviceProblem(request, end)
    return outcomeOf(request, service === null ? end : { ...end, service })
  }

  return {
    async start(request, onLine, onEvent = () => {}) {
      const on = { line: onLine, event: onEvent }
      if (running.has(request.dir) || hasStarted(request.dir)) {
        return endedWorker(outcomeOf(request, { ...noEnd, refused: true }))
      }
      running.add(request.dir)
      try {
        const ports = await takePorts(1 + (request.services?.length ?? 0))
        const release = (): void => ports.forEach((port) => port.release())
        const numbers = ports.map(({ number }) => number)
        const { child, watch } = await begin(request, on, options, driver, numbers).catch((error: unknown) => {
          release()
          throw error
        })
        const over = (): void => {
          release()
          running.delete(request.dir)
        }
        const ended = child.ended
          .finally(() => watch?.end())
          .then((end) => collect(request, end))
          .finally(over)
        const setClock = (runs: boolean): void => {
          child.setClock(runs)
          watch?.setClock(runs)
        }
        return { ended, stop: (now) => child.stop(now), setClock }
      } catch (error) {
        running.delete(request.dir)
        return endedWorker(outcomeOf(request, { ...noEnd, error: messageOf(error) }))
      }
    },
    async recover(request) {
      const end = await recoverRun(request.dir, request.runId)
      return end === 'missing' ? 'missing' : collect(request, end)
    },
  }
}

const noEnd: ProcessEnd = { code: null, signal: null, timedOut: false, stopped: false }

async function begin(
  request: RunRequest,
  on: Listeners,
  options: WorkerOptions,
  driver: Driver,
  ports: readonly number[],
): Promise<{ child: SupervisedProcess; watch: Watch | undefined }> {
  const { agent, dir } = request
  const sandbox = await sandboxFor(options)
  const confined = keepsIn(sandbox.kind)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  // Whatever lies there is from another time.
  for (const name of LEFT) rmSync(join(dir, name), { recursive: true, force: true })
  rmSync(promptFile(request), { force: true })
  writeFileSync(promptFile(request), request.prompt, { mode: 0o600, flag: 'wx' })
  writeJudgeFile(request, dir)
  const launch = driver.launch(request, { confined }, on)
  const { pass = [], without = [], watch } = launch
  const variables = Object.entries(runVariables(request, ports)).filter(([name]) => !without.includes(name))
  const own = {
    ...launch.env,
    ...(confined ? { GIT_CONFIG_SYSTEM: gitSettingsOf(dir) } : {}),
    ...childEnvironment({ pass: [...pass, ...agent.env], extra: Object.fromEntries(variables) }),
  }
  const { command, env, readable } = besideServices(request, ports.slice(1), launch.command, own)
  if (confined) fillBox(request, options)
  bringFiles(request, confined ? boxOf(dir) : dir)
  const around = { dataDir: options.dataDir, image: sandbox.kind === 'container', ...homeOf(options.sandbox) }
  const needs = { ...launch, readable: [...(launch.readable ?? []), ...readable] }
  // It may have said too much already while its start was being recorded.
  const started = Promise.withResolvers<SupervisedProcess>()
  watch?.begin((why) => void started.promise.then((child) => child.stop(false, why)))
  const supervised = supervise({
    dir,
    runId: request.runId,
    command,
    cwd: request.workspace,
    env,
    inside: {
      sandbox,
      rules: confined || sandbox.kind === 'sandbox-exec' ? rulesOf(request, env, around, needs) : [],
      first: layersPrefix(request.workspace),
      network: agent.network,
    },
    ...fencedOf(options.sandbox, [writtenIn(request.workspace), confined ? boxOf(dir) : dir]),
    stdinFile: promptFile(request),
    timeoutMs: agent.timeoutMs,
    ...(launch.apart === true ? { apart: true } : {}),
    ...(watch === undefined ? { onLine: on.line } : { onOutput: (chunk: Buffer) => watch.output(chunk) }),
  })
  const child = await supervised.catch((error: unknown) => {
    watch?.end()
    throw error
  })
  started.resolve(child)
  return { child, watch }
}

async function sandboxFor({ sandbox, kind }: WorkerOptions): Promise<Sandbox> {
  if (sandbox.mode === 'off') return noSandbox('switched off in muster.yaml')
  const found = kind ?? (await findSandbox(sandbox))
  const { mode } = sandbox
  if (mode === 'container' || mode === 'sandbox-exec') {
    if (found.kind === mode) return found
    throw new Error(`muster.yaml asks for ${mode}: ${found.why}`)
  }
  if (mode === 'auto' || keepsIn(found.kind)) return found
  throw new Error(`muster.yaml requires a sandbox: ${found.why} (${INSTALL_HINT})`)
}

/** What it may use, counted in the folders that it writes to. */
function fencedOf({ limits }: SandboxConfig, places: readonly string[]): { fenced?: Fenced } {
  return limits === undefined ? {} : { fenced: { limits: runLimits(limits), places } }
}

const homeOf = ({ home, caches }: SandboxConfig): Pick<SandboxConfig, 'home' | 'caches'> => ({ home, caches })

/** The worker sees this folder where it is told that the run's folder is; nothing else of that is its business. */
function fillBox(request: RunRequest, { identity }: WorkerOptions): void {
  const box = boxOf(request.dir)
  rmSync(box, { recursive: true, force: true })
  mkdirSync(box, { mode: 0o700 })
  writeFileSync(join(box, 'prompt.md'), request.prompt, { mode: 0o600 })
  writeJudgeFile(request, box)
  const user =
    identity === undefined ? '' : `[user]\n\tname = ${quoted(identity.name)}\n\temail = ${quoted(identity.email)}\n`
  writeFileSync(gitSettingsOf(box), `[include]\n\tpath = /etc/gitconfig\n${user}`, { mode: 0o600 })
}

function bringFiles({ brings = [] }: RunRequest, folder: string): void {
  for (const { path, text } of brings) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, path), text, { mode: 0o600, flag: 'wx' })
  }
}

/** In place of the machine's: the user's own are hidden, and what a run plants there would be run as the user. */
const gitSettingsOf = (dir: string): string => join(dir, 'gitconfig')

/** A value of git's settings, whatever it holds. */
const quoted = (value: string): string => `"${value.replaceAll(/[\n\r\0]/g, ' ').replaceAll(/["\\]/g, '\\$&')}"`

/** For the tools of a judge; an author has none. */
function writeJudgeFile({ judge, taskId, attempt, judging }: RunRequest, dir: string): void {
  rmSync(judgeFileOf(dir), { force: true })
  if (!judge) return
  const file: JudgeFile = { task: taskId, attempt, commit: '', criteria: [], warns: true, contract: '', ...judging }
  writeFileSync(judgeFileOf(dir), JSON.stringify(file), { mode: 0o600 })
}

/** Once it is over: what it left, file or not, goes where it is looked for. Safe to repeat. */
function takeVerdict(request: RunRequest): void {
  const box = boxOf(request.dir)
  for (const name of LEFT) {
    try {
      renameSync(join(box, name), join(request.dir, name))
    } catch {
      // There is none, or it was taken before.
    }
  }
  rmSync(box, { recursive: true, force: true })
}

function runVariables(request: RunRequest, [port = 0, ...others]: readonly number[]): Record<string, string> {
  return {
    MUSTER_TASK_ID: request.taskId,
    MUSTER_ROLE: request.role,
    MUSTER_ATTEMPT: String(request.attempt),
    MUSTER_ROUND: String(request.round),
    MUSTER_NONCE: request.nonce,
    MUSTER_VERDICT_FILE: verdictFile(request),
    MUSTER_PROMPT_FILE: promptFile(request),
    MUSTER_RUN_ID: request.runId,
    MUSTER_PORT: String(port),
    ...portVariables(request.services ?? [], others),
  }
}

/** What cannot be read is no pass either. */
async function leftBy({ dir }: RunRequest): Promise<Left> {
  const read = (path: string): Promise<VerdictFile> =>
    readVerdictFile(path).catch((error: unknown) => ({ kind: 'refused', why: messageOf(error) }))
  return { file: await read(verdictFileOf(dir)), calls: await read(callsFileOf(dir)) }
}

function endedWorker(ended: Promise<RunOutcome>): Worker {
  return { ended, stop() {}, setClock() {} }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
