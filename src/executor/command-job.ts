/**
 * A command job on this machine: a clean checkout in which the setup has run, the files that are laid over it, the command
 * in its sandbox with its services, and afterwards its report. Nothing of the checkout stays.
 */
import { existsSync } from 'node:fs'
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { COMMAND_FILE } from '../domain/run.ts'
import { shellText } from '../tools/words.ts'
import type { CommandJob, Hear, Job, JobEnd, JobResult } from '../ports/executor.ts'
import type { RunOutcome, RunRequest, Worker } from '../ports/runtime.ts'
import { hasStarted } from '../process/record.ts'
import { COVERAGE_FILES, coveredFiles } from '../reports/formats/coverage.ts'
import { type ReportRequest, instrument } from '../reports/instrument.ts'
import { awaitReports, readConfigured, readPlainFile } from '../reports/reports.ts'
import { checkOut } from './checkout.ts'
import { checkoutsIn, folderOf, markOf, type LocalParts } from './folders.ts'

export class LocalCommandJob implements Job {
  readonly ended: Promise<JobResult>
  readonly #parts: LocalParts
  readonly #job: CommandJob
  readonly #hear: Hear
  /** Its checkout. */
  readonly #root: string
  #worker: Worker | null = null
  #stopping: 'no' | 'gently' | 'now' = 'no'
  #clockRuns = true

  constructor(parts: LocalParts, job: CommandJob, hear: Hear) {
    this.#parts = parts
    this.#job = job
    this.#hear = hear
    this.#root = join(checkoutsIn(parts), markOf(job.id))
    this.ended = this.#whole()
  }

  stop(now = false): void {
    if (this.#stopping !== 'now') this.#stopping = now ? 'now' : 'gently'
    this.#worker?.stop(now)
  }

  setClock(running: boolean): void {
    this.#clockRuns = running
    this.#worker?.setClock(running)
  }

  async #whole(): Promise<JobResult> {
    // Whoever started it may be at work there; what is left of it is for `forget`.
    if (hasStarted(folderOf(this.#parts, this.#job.id))) return this.#result({ end: { is: 'stopped' } })
    try {
      return await this.#run()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return this.#result({ end: this.#stopping === 'no' ? { is: 'not-run', why } : { is: 'stopped' } })
    } finally {
      await this.#clean()
    }
  }

  async #run(): Promise<JobResult> {
    const { workspaces } = this.#parts
    const { command, report, tests, tree, title } = this.#job
    const dir = folderOf(this.#parts, this.#job.id)
    await workspaces.remove(this.#root)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(join(dir, COMMAND_FILE), title)
    await checkOut(this.#parts, this.#root, tree, this.#index, this.#hear)
    const written = workspaces.written(this.#root)
    await this.#layOver(written)
    const made = report === null ? instrument(command.command, join(dir, 'report')) : null
    const asked: readonly ReportRequest[] = made?.asked ?? []
    const [place, ran] = [this.#place, join(written, command.cwd)]
    const reports = await awaitReports(asked, { dir, place, written: ran, runsTests: tests })
    // A coverage report that is there before the tests says nothing about them.
    const coverage = COVERAGE_FILES.map((path) => join(ran, path)).filter((path) => !existsSync(path))
    const text = shellText({ ...command, command: made?.command ?? command.command })
    if (this.#stopping !== 'no') return this.#result({ end: { is: 'stopped' } })
    const started = this.#parts.now()
    const outcome = await this.#work({ ...this.#request(dir, text), brings: reports.brings })
    const { output = '', sandbox = null, process: ended } = outcome
    const end = endOf(outcome)
    if (ended === undefined || end.is === 'stopped') return this.#result({ end, output, sandbox })
    const durationMs = this.#parts.now() - started
    const found = report === null ? await reports.read(ended.log) : await readConfigured(join(written, report), place)
    return this.#result({
      end,
      output,
      sandbox,
      durationMs,
      logDigest: ended.logDigest,
      report: found,
      asked: asked.some(({ sure }) => sure),
      covered: await readCoverage(coverage, this.#root, command.cwd),
    })
  }

  /** Where it runs. */
  get #place(): string {
    return join(this.#root, this.#job.command.cwd)
  }

  /** What git knows of the checkout's files. */
  get #index(): string {
    return join(folderOf(this.#parts, this.#job.id), 'checkout', 'index')
  }

  async #work(request: RunRequest): Promise<RunOutcome> {
    const worker = await this.#parts.runtime.start(request, (line) => this.#hear({ type: 'line', line }))
    this.#worker = worker
    if (!this.#clockRuns) worker.setClock(false)
    if (this.#stopping !== 'no') worker.stop(this.#stopping === 'now')
    const outcome = await worker.ended
    this.#worker = null
    return outcome
  }

  /** What judges and is not in the tree comes into the checkout; a report that is in it is nobody's. */
  async #layOver(written: string): Promise<void> {
    const { report, laid } = this.#job
    if (report !== null) await rm(await placeIn(written, report), { recursive: true, force: true })
    for (const { path, text } of laid.filter((file) => !isAbsolute(file.path))) {
      const file = await placeIn(written, path)
      await mkdir(dirname(file), { recursive: true })
      await rm(file, { recursive: true, force: true })
      await writeFile(file, text, { mode: 0o755, flag: 'wx' })
    }
  }

  #request(dir: string, run: string): RunRequest {
    const { id, task, attempt, env, timeoutMs, network, services } = this.#job
    return {
      ...commandRequest({ runId: markOf(id), dir, workspace: this.#root, projectRoot: this.#parts.projectRoot }),
      taskId: task,
      attempt,
      services,
      agent: { runtime: 'command', verdict: 'exit', run, env, timeoutMs, network, checks: [] },
    }
  }

  #result(found: Pick<JobResult, 'end'> & Partial<JobResult>): JobResult {
    return {
      id: this.#job.id,
      output: '',
      logDigest: null,
      report: null,
      asked: false,
      covered: [],
      root: this.#place,
      sandbox: null,
      durationMs: 0,
      at: new Date(this.#parts.now()).toISOString(),
      ...found,
    }
  }

  async #clean(): Promise<void> {
    await this.#parts.workspaces.remove(this.#root).catch(() => undefined)
    await rm(dirname(this.#index), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Muster itself writes there, outside of every sandbox: a link of the checkout's must not lead it elsewhere. */
async function placeIn(top: string, path: string): Promise<string> {
  const file = join(top, path)
  let folder = dirname(file)
  while (!existsSync(folder)) folder = dirname(folder)
  const [real, whole] = await Promise.all([realpath(folder), realpath(top)])
  if (real === whole || real.startsWith(`${whole}/`)) return file
  throw new Error(`${path} is none of the checkout's: a link on the way leads out of it`)
}

/** What a runtime is told of a command job that is no agent. */
export function commandRequest(
  place: Pick<RunRequest, 'runId' | 'dir' | 'workspace' | 'projectRoot'>,
): Omit<RunRequest, 'agent'> {
  const nobody = { taskId: '', role: 'check', judge: true, attempt: 0, round: 0, nonce: '', prompt: '' }
  return { ...nobody, ...place, resolved: true }
}

/** How its process ended; without one, why there is nothing to say about what was run. */
function endOf({ process: ended, interrupted, detail }: RunOutcome): JobEnd {
  if (interrupted) return { is: 'stopped' }
  if (ended === undefined) return { is: 'not-run', why: detail }
  const { code, signal, timedOut } = ended
  return { is: timedOut ? 'timed-out' : 'exited', code, signal }
}

async function readCoverage(paths: readonly string[], root: string, cwd: string): Promise<string[]> {
  const read = await Promise.all(paths.map(readPlainFile))
  return read.flatMap((bytes) =>
    typeof bytes === 'string' ? [] : coveredFiles(new TextDecoder().decode(bytes), root, cwd),
  )
}
