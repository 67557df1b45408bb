/**
 * The runtime for any program: a shell command that gets its prompt on stdin and says what it came to in a verdict file
 * or by its exit code. Decides nothing itself; outcome.ts does.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxConfig } from '../../domain/config.ts'
import { outputChars } from '../../domain/limits.ts'
import type { RunOutcome, RunRequest, Runtime, Worker } from '../../ports/runtime.ts'
import { resolveScripts } from '../../process/command.ts'
import { childEnvironment } from '../../process/environment.ts'
import { outputTail, readLog } from '../../process/log-read.ts'
import { layersPrefix } from '../../process/layers.ts'
import { takePort, type Port } from '../../process/port.ts'
import { hasStarted } from '../../process/record.ts'
import { recoverRun } from '../../process/recover.ts'
import { findSandbox, INSTALL_HINT, noSandbox, type Sandbox } from '../../process/sandbox.ts'
import { supervise, type SupervisedProcess } from '../../process/supervise.ts'
import { outcomeOfEnd, type End } from './outcome.ts'
import { boxOf, rulesOf } from './surroundings.ts'
import { readVerdictFile } from './verdict-file.ts'

const promptFile = (request: RunRequest): string => join(request.dir, 'prompt.md')
const verdictFile = (request: RunRequest): string => join(request.dir, 'verdict')

export interface CommandOptions {
  sandbox: SandboxConfig
  /** Muster's data of the project, hidden from workers. */
  dataDir: string
  /** What keeps workers in; looked for if not given. */
  kind?: Sandbox
}

export function commandRuntime(options: CommandOptions): Runtime {
  /** Folders of runs that this process has started and not yet seen the end of. */
  const running = new Set<string>()

  return {
    async start(request, onLine) {
      if (running.has(request.dir) || hasStarted(request.dir)) {
        return endedWorker(outcomeOf(request, { ...noEnd, refused: true }))
      }
      running.add(request.dir)
      try {
        const port = await takePort()
        const child = await startCommand(request, onLine, options, port).catch((error: unknown) => {
          port.release()
          throw error
        })
        const over = (): void => {
          port.release()
          running.delete(request.dir)
        }
        const ended = child.ended.then((end) => collect(request, end)).finally(over)
        return { ended, stop: (now) => child.stop(now), setClock: (on) => child.setClock(on) }
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

const noEnd: End = { code: null, signal: null, timedOut: false, stopped: false }

async function startCommand(
  request: RunRequest,
  onLine: (line: string) => void,
  options: CommandOptions,
  port: Port,
): Promise<SupervisedProcess> {
  const { agent, dir } = request
  const sandbox = await sandboxFor(options)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  // Whatever lies where the verdict or a report will be is from another time.
  for (const name of ['verdict', 'report']) rmSync(join(dir, name), { recursive: true, force: true })
  rmSync(promptFile(request), { force: true })
  writeFileSync(promptFile(request), request.prompt, { mode: 0o600, flag: 'wx' })
  const env = childEnvironment({ pass: agent.env, extra: runVariables(request, port) })
  if (sandbox.kind === 'bubblewrap') fillBox(request)
  const rules = sandbox.kind === 'bubblewrap' ? rulesOf(request, env, around(options)) : []
  return supervise({
    dir,
    runId: request.runId,
    command: ['/bin/sh', '-c', resolveScripts(agent.run, request.projectRoot)],
    cwd: request.workspace,
    env,
    inside: { sandbox, rules, first: layersPrefix(request.workspace), network: agent.network },
    stdinFile: promptFile(request),
    timeoutMs: agent.timeoutMs,
    onLine,
  })
}

const around = ({ dataDir, sandbox }: CommandOptions) => ({ dataDir, home: sandbox.home })

async function sandboxFor({ sandbox, kind }: CommandOptions): Promise<Sandbox> {
  if (sandbox.mode === 'off') return noSandbox('switched off in muster.yaml')
  const found = kind ?? (await findSandbox())
  if (sandbox.mode === 'auto' || found.kind === 'bubblewrap') return found
  throw new Error(`muster.yaml requires a sandbox: ${found.why} (${INSTALL_HINT})`)
}

/** The worker sees this folder where it is told that the run's folder is; nothing else of that is its business. */
function fillBox(request: RunRequest): void {
  const box = boxOf(request.dir)
  rmSync(box, { recursive: true, force: true })
  mkdirSync(box, { mode: 0o700 })
  writeFileSync(join(box, 'prompt.md'), request.prompt, { mode: 0o600 })
}

/** Once it is over: what it left as its verdict, file or not, goes where it is looked for. Safe to repeat. */
function collect(request: RunRequest, end: End): Promise<RunOutcome> {
  const box = boxOf(request.dir)
  for (const name of ['verdict', 'report']) {
    try {
      renameSync(join(box, name), join(request.dir, name))
    } catch {
      // There is none, or it was taken before.
    }
  }
  rmSync(box, { recursive: true, force: true })
  return outcomeOf(request, end)
}

function runVariables(request: RunRequest, port: Port): Record<string, string> {
  return {
    MUSTER_TASK_ID: request.taskId,
    MUSTER_ROLE: request.role,
    MUSTER_ATTEMPT: String(request.attempt),
    MUSTER_ROUND: String(request.round),
    MUSTER_NONCE: request.nonce,
    MUSTER_VERDICT_FILE: verdictFile(request),
    MUSTER_PROMPT_FILE: promptFile(request),
    MUSTER_RUN_ID: request.runId,
    MUSTER_PORT: String(port.number),
  }
}

/** Never rejects: what cannot be read is no pass either. */
async function outcomeOf(request: RunRequest, end: End): Promise<RunOutcome> {
  const tail = await outputTail(request.dir, outputChars).catch((error: unknown) => `(no output: ${messageOf(error)})`)
  const file = await readVerdictFile(verdictFile(request)).catch(
    (error: unknown) => ({ kind: 'refused', why: messageOf(error) }) as const,
  )
  const outcome = outcomeOfEnd(request, end, file, tail)
  if (!request.judge || end.error !== undefined || end.refused === true) return outcome
  const log = await readLog(request.dir).catch(() => null)
  const logDigest = log === null ? null : createHash('sha256').update(log).digest('hex')
  const { code, signal, timedOut } = end
  return { ...outcome, process: { code, signal, timedOut, logDigest } }
}

function endedWorker(ended: Promise<RunOutcome>): Worker {
  return { ended, stop() {}, setClock() {} }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
