/**
 * One command on one commit: in a clean checkout, in the sandbox, with its report; or taken from an earlier run of the
 * same on the same tree. What could not be found out (a timeout, a missing program) is never kept for later.
 */
import { constants, existsSync } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { SandboxKind } from '../domain/config.ts'
import { reportBytesMax } from '../domain/limits.ts'
import { COMMAND_FILE } from '../domain/run.ts'
import { shellQuote } from '../domain/words.ts'
import type { Runtime, Worker } from '../ports/runtime.ts'
import type { EvidenceCache, VerifyRequest } from '../ports/verifier.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import type { Resolved } from './command.ts'
import type { Placed } from './script-file.ts'
import { instrument } from './instrument.ts'
import type { CheckEnd } from './judge.ts'
import { COVERAGE_FILES, coveredFiles } from './report/coverage.ts'
import type { ReportFormat, ReportProblem } from './report/report.ts'
import { parseReport } from './report/report.ts'
import type { TestReport } from './report/tests.ts'

export interface Command {
  resolved: Resolved
  /** As a person would type it. */
  shown: string
  env: readonly string[]
  timeoutMs: number
  network: boolean
  /** Where in the checkout it leaves its report. */
  report: string | null
  /** Files of the checkout that are to be otherwise than the tree has them. */
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
export interface Place {
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
    const { text, report } = commandText(command, join(dir, 'report'))
    const coverage = COVERAGE_FILES.map((path) => join(written, command.resolved.cwd, path)).filter(isFree)
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
    const found = await readReport(report ?? configured(command, written), place)
    const asked = report !== null
    const end = { exitCode: ended.code, signal: ended.signal, timedOut: ended.timedOut, report: found, asked }
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

interface ReportPlace {
  path: string | null
  format?: ReportFormat
  /** Its absence is a problem: somebody said that it would be there. */
  required: boolean
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
  return report !== null || instrument(resolved.command, '/') !== null
}

/** The command with what asks a known runner for a report, unless the project says where one will be. */
function commandText(command: Command, reportPath: string): { text: string; report: ReportPlace | null } {
  const { resolved, report } = command
  const asked = report === null ? instrument(resolved.command, reportPath) : null
  const go = resolved.cwd === '' ? '' : `cd ${shellQuote(resolved.cwd)} || exit; `
  return {
    text: `${go}${resolved.prefix}${asked?.command ?? resolved.command}`,
    report: asked === null ? null : { path: reportPath, format: asked.format, required: false },
  }
}

function configured({ report }: Command, written: string): ReportPlace {
  return { path: report === null ? null : join(written, report), required: true }
}

async function readReport(
  { path, format, required }: ReportPlace,
  root: string,
): Promise<TestReport | ReportProblem | null> {
  if (path === null) return null
  const read = await readPlainFile(path)
  if (read === 'missing') return required ? { problem: 'it was not written' } : null
  if (typeof read === 'string') return { problem: read }
  return parseReport(read, { root, ...(format === undefined ? {} : { format }) })
}

/** Whatever lies there was made by code nobody trusts: no link, no pipe, nothing too large. */
async function readPlainFile(path: string): Promise<Uint8Array | string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof file === 'string' || file === undefined)
    return file === 'ENOENT' ? 'missing' : `it cannot be read (${file})`
  try {
    const info = await file.stat()
    if (!info.isFile()) return 'it is no file'
    if (info.size > reportBytesMax) return `it is larger than ${reportBytesMax / 1024 / 1024} MB`
    return await file.readFile()
  } finally {
    await file.close()
  }
}
