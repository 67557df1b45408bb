/**
 * Makes golden copies, from which workspaces start: runs the project's setup once per command and lock files, and only
 * on a tree that has landed. A tree whose author changed the lock files gets its own copy, so that nothing an author
 * wrote runs before, or beside, somebody else's work.
 */
import { createHash } from 'node:crypto'
import { readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandAgent, SetupConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { taskBranch } from '../domain/task/task.ts'
import { tellingLine } from '../domain/verdict/telling-line.ts'
import { readDurable, syncFolder, writeDurably } from '../durable.ts'
import type { Hear } from '../ports/executor.ts'
import type { GoldenCopies, GoldenWish } from '../ports/golden.ts'
import type { RunRequest, Runtime, Worker } from '../ports/runtime.ts'
import type { AttemptBase, Golden, Workspaces } from '../ports/workspaces.ts'

/** Ends the name of a folder in which a copy is being made. */
export const HALF = '.new'

type SetupRequest = RunRequest & { agent: CommandAgent }

/** A copy that is being made; `since`: when its setup began. */
interface Making {
  since: number | null
  heard: Set<Hear>
}

interface GoldenParts {
  runtime: Runtime
  workspaces: Workspaces
  dataDir: string
  projectRoot: string
  now(): number
}

export class LocalGoldenCopies implements GoldenCopies {
  readonly #parts: GoldenParts
  readonly #copies = new Map<string, Promise<Golden>>()
  readonly #making = new Map<string, Making>()
  readonly #workers = new Set<Worker>()
  #stopping = false

  constructor(parts: GoldenParts) {
    this.#parts = parts
  }

  get #dir(): string {
    return join(this.#parts.dataDir, 'golden')
  }

  async copyFor({ base, target, setup, copy }: GoldenWish, hear: Hear): Promise<Golden | null> {
    if (setup === null) return null
    const { workspaces } = this.#parts
    const head = await workspaces.head(target)
    const landed = head === null ? base : await workspaces.at(head)
    // With conflict markers in it a lock file says nothing; its author resolves it beside what has landed.
    const own = base.conflicts.length === 0 ? base : landed
    const locks = await workspaces.locks(own.tree, setup.files)
    const shared = own.tree === landed.tree || locks === (await workspaces.locks(landed.tree, setup.files))
    const from = shared ? landed : own
    const name = [setup.run, ...setup.env, locks, shared ? '' : from.tree].join('\0')
    const key = createHash('sha256').update(name).digest('hex').slice(0, 32)
    const golden = await this.#once(key, hear, setup.run, () => this.#copy(key, setup, from, copy))
    const now = new Date(this.#parts.now())
    await utimes(join(this.#dir, key), now, now)
    return golden
  }

  stop(now: boolean): void {
    this.#stopping = true
    for (const worker of this.#workers) worker.stop(now)
  }

  async sweep(): Promise<void> {
    for (const name of await readdir(this.#dir).catch(() => [])) {
      if (!name.endsWith(HALF)) continue
      const half = join(this.#dir, name)
      const key = name.slice(0, -HALF.length)
      await this.#parts.runtime.recover(this.#request(half, key, { run: ':', env: [], timeoutMs: 1, files: [] }))
      await rm(half, { recursive: true, force: true })
    }
  }

  /** One copy per key, however many ask at once; one that failed is made anew for the next who asks. */
  #once(key: string, hear: Hear, command: string, make: () => Promise<Golden>): Promise<Golden> {
    const known = this.#copies.get(key)
    if (known === undefined) this.#making.set(key, { since: null, heard: new Set() })
    const making = this.#making.get(key)
    making?.heard.add(hear)
    if (known !== undefined) {
      if (making !== undefined && making.since !== null) hear({ type: 'setup-began', command, since: making.since })
      return known
    }
    const made = make().finally(() => this.#making.delete(key))
    this.#copies.set(key, made)
    made.catch(() => this.#copies.delete(key))
    return made
  }

  async #copy(key: string, setup: SetupConfig, base: AttemptBase, paths: readonly string[]): Promise<Golden> {
    const dir = join(this.#dir, key)
    const stored = readDurable(join(dir, 'golden.json'))
    if (stored !== null) return stored as unknown as Golden
    const half = `${dir}${HALF}`
    // One that cannot be trusted is made anew.
    for (const old of [dir, half]) await rm(old, { recursive: true, force: true })
    const { workspaces } = this.#parts
    const [files, index] = [join(half, 'files'), join(half, 'index')]
    const copy = { root: this.#parts.projectRoot, paths }
    await workspaces.checkout({ dir: files, base, branch: taskBranch('setup'), index, golden: null, copy })
    await this.#heard(key, setup.run, (onLine) => this.#setUp(this.#request(half, key, setup), onLine))
    const sealed = await workspaces.seal(files, index, base.tree)
    const golden: Golden = { ...sealed, dir: join(dir, 'files'), index: join(dir, 'index') }
    await writeDurably(join(half, 'golden.json'), golden)
    await rename(half, dir)
    await syncFolder(this.#dir)
    return golden
  }

  /** Everybody who waits hears of it, also who comes later. */
  async #heard(key: string, command: string, work: (onLine: (line: string) => void) => Promise<void>): Promise<void> {
    const making = this.#making.get(key)
    const all = making?.heard ?? new Set()
    const tell: Hear = (event) => all.forEach((hear) => hear(event))
    const since = this.#parts.now()
    if (making !== undefined) making.since = since
    tell({ type: 'setup-began', command, since })
    let ok = false
    try {
      await work((line) => tell({ type: 'setup-line', line }))
      ok = true
    } finally {
      // Its copy is not there yet: who asks from now on waits for no setup.
      if (making !== undefined) making.since = null
      tell({ type: 'setup-ended', ok })
    }
  }

  async #setUp(request: SetupRequest, onLine: (line: string) => void): Promise<void> {
    const worker = await this.#parts.runtime.start(request, onLine)
    this.#workers.add(worker)
    if (this.#stopping) worker.stop(true)
    const { verdict, detail, exit } = await worker.ended
    this.#workers.delete(worker)
    if (verdict === 'PASS') return
    // In one line first, since lists show no more: its own words, or why it had none.
    const [first = '', ...rest] = detail.trim().split('\n')
    const isLate = exit.startsWith('timed out')
    const last = rest.at(-1)?.trim() ?? ''
    const late = `give it more time: setup: { run: …, timeout: 30m }${last === '' ? '' : `; its last output: ${last}`}`
    const said = isLate ? late : verdict === 'ERROR' ? first : tellingLine(detail)
    throw new MusterError('failed', `setup failed (${exit}): ${said}\n${isLate ? rest.join('\n') : detail}`, {
      hint: `to reproduce it, run in a clean checkout: ${request.agent.run}`,
    })
  }

  #request(half: string, key: string, { run, env, timeoutMs }: SetupConfig): SetupRequest {
    return {
      runId: `setup-${key}`,
      taskId: 'setup',
      role: 'setup',
      judge: true,
      attempt: 0,
      round: 0,
      nonce: '',
      prompt: '',
      dir: join(half, 'run'),
      workspace: join(half, 'files'),
      projectRoot: this.#parts.projectRoot,
      agent: { runtime: 'command', verdict: 'exit', run, env, timeoutMs, network: true, checks: [] },
    }
  }
}
