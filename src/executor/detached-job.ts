/** A detached job: one process that outlives Muster, which a later Muster finds again. */
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorWords } from '../domain/errors.ts'
import { logHeadBytes, outputTailChars } from '../domain/limits.ts'
import type { DetachedJob, Hear, Job, JobEnd, JobResult } from '../ports/executor.ts'
import { followDetached, startDetached, type DetachedEnd } from '../process/detached.ts'
import { childEnvironment } from '../process/environment.ts'
import { outputTail } from '../process/log-read.ts'
import { headFile, openLog } from '../process/log.ts'
import { hasStarted } from '../process/record.ts'
import { checkOut } from './checkout.ts'
import { folderOf, workspaceOf, type LocalParts } from './folders.ts'

/** Shorter values would be found everywhere. */
const hiddenCharsMin = 6

type Followed = ReturnType<typeof followDetached>

export class LocalDetachedJob implements Job {
  readonly ended: Promise<JobResult>
  readonly #parts: LocalParts
  readonly #job: DetachedJob
  readonly #hear: Hear
  readonly #begun: number
  #process: Followed | null = null
  /** What was asked of it before it was there. */
  #asked: 'nothing' | 'stop' | 'detach' = 'nothing'

  constructor(parts: LocalParts, job: DetachedJob, hear: Hear) {
    this.#parts = parts
    this.#job = job
    this.#hear = hear
    this.#begun = parts.now()
    // What ends this Muster may have ended the setup that it waited for.
    this.ended = this.#run().catch((error: unknown) => this.#result(this.#cutShort(error)))
  }

  stop(): void {
    this.#asked = 'stop'
    this.#process?.stop()
  }

  /** Its time goes on while others are paused: the world outside does not stand still. */
  setClock(): void {}

  detach(): void {
    if (this.#asked === 'nothing') this.#asked = 'detach'
    this.#process?.detach()
  }

  async #run(): Promise<JobResult> {
    const { run, timeoutMs, env, variables, id } = this.#job
    const dir = folderOf(this.#parts, id)
    const cwd = workspaceOf(this.#parts, id)
    if (!hasStarted(dir)) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      if (existsSync(cwd)) await this.#parts.workspaces.remove(cwd)
      await checkOut(this.#parts, cwd, this.#job.tree, join(dir, 'checkout', 'index'), this.#hear)
      // Nothing was done yet: it may be started another time.
      const asked = this.#askedEnd()
      if (asked !== null) return this.#result(asked)
    }
    this.#hear({ type: 'line', line: `$ ${run}` })
    const own = childEnvironment({ pass: env, extra: { ...variables, MUSTER_RUN_ID: id } })
    await startDetached({ dir, cwd, run, env: own })
    const followed = followDetached(dir, timeoutMs)
    this.#process = followed
    if (this.#asked === 'stop') followed.stop()
    else if (this.#asked === 'detach') followed.detach()
    const end = await followed.ended
    if (end === null) return this.#result({ is: 'left' })
    // Without a log there is nothing to tidy.
    await this.#tidyLog(dir).catch(() => undefined)
    return this.#result(endOf(end), await outputTail(dir, outputTailChars).catch(() => ''))
  }

  /** It could not begin, or be followed. What has begun may have done its work, so it is never begun again. */
  #cutShort(error: unknown): JobEnd {
    if (hasStarted(folderOf(this.#parts, this.#job.id))) return { is: this.#asked === 'detach' ? 'left' : 'lost' }
    return this.#askedEnd() ?? { is: 'not-run', why: errorWords(error) }
  }

  #askedEnd(): JobEnd | null {
    return this.#asked === 'nothing' ? null : { is: this.#asked === 'stop' ? 'stopped' : 'left' }
  }

  #result(end: JobEnd, output = ''): JobResult {
    const { id } = this.#job
    const [at, root] = [this.#parts.now(), workspaceOf(this.#parts, id)]
    const nothing = { logDigest: null, report: null, asked: false, covered: [] }
    const times = { durationMs: at - this.#begun, at: new Date(at).toISOString() }
    return { id, end, output, root, sandbox: end.is === 'not-run' ? null : 'none', ...nothing, ...times }
  }

  /** What it printed of the variables it was given does not stay in its log, and no more of it than of any other run. */
  async #tidyLog(dir: string): Promise<void> {
    const { env } = this.#job
    const given = childEnvironment({ pass: env })
    const values = env
      .map((name) => Buffer.from(given[name] ?? '').toString('latin1'))
      .filter((value) => value.length >= hiddenCharsMin)
      // One may begin with another.
      .toSorted((a, b) => b.length - a.length)
    const { size } = await stat(headFile(dir))
    if (values.length === 0 && size <= logHeadBytes) return
    const folder = join(dir, 'tidied')
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    const log = openLog(folder)
    // As much is kept back as could be the beginning of a value.
    const keep = Math.max(0, (values[0]?.length ?? 0) - 1)
    let rest = ''
    for await (const chunk of createReadStream(headFile(dir), { encoding: 'latin1', highWaterMark: 1024 * 1024 })) {
      const hidden = values.reduce((text, value) => text.replaceAll(value, '***'), rest + String(chunk))
      rest = keep === 0 ? '' : hidden.slice(-keep)
      await log.write(Buffer.from(hidden.slice(0, hidden.length - rest.length), 'latin1'))
    }
    await log.write(Buffer.from(rest, 'latin1'))
    await log.close()
    for (const name of await readdir(folder)) await rename(join(folder, name), join(dir, name))
    await rm(folder, { recursive: true, force: true })
  }
}

/** One that was ended from outside may have done its work or not. */
function endOf({ state, ending }: DetachedEnd): JobEnd {
  if (ending === 'late') return { is: 'timed-out', code: null, signal: null }
  if (ending === 'stopped') return { is: 'stopped' }
  return state === 'lost' ? { is: 'lost' } : { is: 'exited', code: state.code, signal: null }
}
