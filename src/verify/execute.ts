/**
 * One command on one commit: in a clean checkout, in the sandbox, with its report; or taken from an earlier run of the
 * same on the same tree. What could not be found out (a timeout, a missing program) is never kept for later.
 */
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { SandboxKind } from '../domain/config.ts'
import { COMMAND_FILE } from '../domain/run.ts'
import type { Service } from '../domain/service.ts'
import type { Runtime, Worker } from '../ports/runtime.ts'
import type { EvidenceCache, VerifyRequest } from '../ports/verifier.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { shellText, type Resolved } from './command.ts'
import type { Placed } from './script-file.ts'
import { type Asked, instrument } from '../reports/instrument.ts'
import type { CheckEnd } from './check-end.ts'
import { COVERAGE_FILES, coveredFiles } from '../reports/formats/coverage.ts'
import { awaitReports, readConfigured, readPlainFile } from '../reports/reports.ts'

export interface Command {
  resolved: Resolved
  /** As a person would type it. */
  shown: string
  env: readonly string[]
  timeoutMs: number
  network: boolean
  /** Where in the checkout it leaves its report. */
  report: string | null
  /** It is known to run tests, whatever it is: what it prints may name them. */
  tests?: boolean
  /** What runs beside it, from the trusted side as well. */
  services?: readonly Service[]
  /** Files of the checkout that differ from the tree on purpose. */
  restored?: readonly Placed[]
}

/** One execution, as it is kept. */
export interface Execution {
  end: CheckEnd
  durationMs: number
  sandbox: SandboxKind | null
  logDigest: string | null
  /** Where the whole log is: `<run>/<folder>`. */
  log: string
  /** The end of what it printed. */
  output: string
  /** The folder it ran in: whole paths in its output start with it, others are from there. */
  root: string
  at: string
  /** It was stopped from outside. */
  interrupted: boolean
  /** It never came to run: why. */
  notRun: string | null
  /** Files of the tree that its coverage report says were executed. Missing: there is no such report. */
  covered?: readonly string[]
}

export interface ExecuteParts {
  runtime: Runtime
  workspaces: Workspaces
  cache: EvidenceCache
  dataDir: string
  projectRoot: string
  now(): number
  /** What of the machine and the user's environment a result depends on: variables by name, programs among these words. */
  environment(names: readonly string[], words: readonly string[]): Promise<string>
}

/** Where and as what a command runs. */
interface Place {
  commit: string
  /** Its folder's name in the run's own. */
  name: string
  /** What its log begins with. */
  title: string
}

export async function execute(
  parts: ExecuteParts,
  request: Pick<VerifyRequest, 'runId' | 'taskId' | 'attempt' | 'dir' | 'checkout'>,
  command: Command,
  { commit, name, title }: Place,
  onWorker: (worker: Worker | null) => void,
  onLine: (line: string) => void,
): Promise<Execution> {
  const { workspaces, runtime, dataDir, projectRoot, now } = parts
  const dir = join(request.dir, name)
  const root = join(dataDir, 'checkouts', `${request.runId}.${name}`)
  const place = join(root, command.resolved.cwd)
  const blank = {
    durationMs: 0,
    sandbox: null,
    logDigest: null,
    log: `${request.runId}/${name}`,
    output: '',
    root: place,
  }
  try {
    await workspaces.remove(root)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(join(dir, COMMAND_FILE), title)
    await request.checkout(root, commit)
    const written = workspaces.written(root)
    await prepare(command, written)
    const { text, asked } = commandText(command, join(dir, 'report'))
    const ran = join(written, command.resolved.cwd)
    const reports = await awaitReports(asked, { dir, place, written: ran, runsTests: command.tests === true })
    const coverage = COVERAGE_FILES.map((path) => join(ran, path)).filter(isFree)
    const started = now()
    const worker = await runtime.start(
      {
        runId: `${request.runId}.${name}`,
        taskId: request.taskId,
        role: 'check',
        judge: true,
        attempt: request.attempt,
        round: 0,
        nonce: '',
        prompt: '',
        dir,
        workspace: root,
        projectRoot,
        resolved: true,
        brings: reports.brings,
        services: command.services ?? [],
        agent: {
          runtime: 'command',
          verdict: 'exit',
          run: text,
          env: command.env,
          timeoutMs: command.timeoutMs,
          network: command.network,
          checks: [],
        },
      },
      onLine,
    )
    onWorker(worker)
    const outcome = await worker.ended
    onWorker(null)
    const endedAt = new Date(now()).toISOString()
    const { process: ended, interrupted, sandbox = null, output = '' } = outcome
    if (ended === undefined || interrupted) {
      const end = { exitCode: null, signal: null, timedOut: false, report: null }
      return { ...blank, end, sandbox, output, at: endedAt, interrupted, notRun: outcome.detail }
    }
    const report =
      command.report === null
        ? await reports.read(ended.log)
        : await readConfigured(join(written, command.report), place)
    const { code: exitCode, signal, timedOut } = ended
    const end = { exitCode, signal, timedOut, report, asked: asked.some(({ sure }) => sure) }
    const durationMs = now() - started
    const covered = await readCoverage(coverage, root, command.resolved.cwd)
    return {
      ...blank,
      end,
      durationMs,
      sandbox,
      logDigest: ended.logDigest,
      output,
      at: endedAt,
      interrupted,
      notRun: null,
      ...(covered.length > 0 ? { covered } : {}),
    }
  } catch (error) {
    onWorker(null)
    const end = { exitCode: null, signal: null, timedOut: false, report: null }
    const why = error instanceof Error ? error.message : String(error)
    return { ...blank, end, at: new Date(now()).toISOString(), interrupted: false, notRun: why }
  } finally {
    await workspaces.remove(root).catch(() => undefined)
  }
}

/** A coverage report that is there before the tests says nothing of them. */
const isFree = (path: string): boolean => !existsSync(path)

async function readCoverage(paths: readonly string[], root: string, cwd: string): Promise<string[]> {
  const read = await Promise.all(paths.map(readPlainFile))
  return read.flatMap((bytes) =>
    typeof bytes === 'string' ? [] : coveredFiles(new TextDecoder().decode(bytes), root, cwd),
  )
}

/** What judges and is not in the tree comes into the checkout; a report that is in it is nobody's. */
async function prepare({ resolved, report, restored = [] }: Command, written: string): Promise<void> {
  if (report !== null) await rm(join(written, report), { recursive: true, force: true })
  for (const { path, text } of [...resolved.placed, ...restored].filter((file) => !isAbsolute(file.path))) {
    const file = join(written, path)
    await mkdir(dirname(file), { recursive: true })
    await rm(file, { recursive: true, force: true })
    await writeFile(file, text, { mode: 0o755, flag: 'wx' })
  }
}

/** Whether it runs tests: a known runner, or something that leaves a report. */
export function runsTests({ resolved, report }: Command): boolean {
  return report !== null || (instrument(resolved.command, '/')?.asked ?? []).some(({ sure }) => sure)
}

/** It shows by itself that it runs them. */
export function hasTests({ end }: Execution): boolean {
  return end.report !== null && 'tests' in end.report && end.report.tests.length > 0
}

/** The command with what asks its runners for reports, unless the project says where one will be. */
function commandText({ resolved, report }: Command, folder: string): { text: string; asked: Asked[] } {
  const made = report === null ? instrument(resolved.command, folder) : null
  return { text: shellText(resolved, made?.command), asked: made?.asked ?? [] }
}
