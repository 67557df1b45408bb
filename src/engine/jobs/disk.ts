/** What Muster's data of a project uses on disk, by kind, and what of it can be removed. Changes nothing. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Retention } from '../../domain/config.ts'
import type { RunStanding, Store } from '../../ports/store.ts'
import type { RunFolderState, WorkspaceState } from './retention.ts'
import type { BranchLook, LandedBranch } from '../loop/landed-branches.ts'
import { oldBranches } from '../loop/landed-branches.ts'
import { runFolderState, supersededSnapshots, workspaceState } from './retention.ts'
import { iso } from '../views/views.ts'

interface Amount {
  count: number
  bytes: number
}

export interface WorkspaceUse {
  run: string
  /** Null when the store has no such run. */
  task: string | null
  state: WorkspaceState
  /** Why it is still there; null when nothing keeps it. */
  why: string | null
  path: string
  bytes: number
  /** Since when it is as it is. */
  since: string
}

/** The documented shape of `muster clean --json`. */
export interface DiskUse {
  dataDir: string
  bytes: number
  /** Of those, what may go; what git would free in the mirror comes on top. */
  removable: number
  workspaces: WorkspaceUse[]
  runs: Record<RunFolderState, Amount>
  golden: Record<'recent' | 'expired', Amount>
  mirror: { bytes: number; snapshots: number; superseded: number }
  database: number
  other: number
  retention: Retention
  /** Branches in the user's repository whose work has landed. Why they stay; null: they may go. */
  branches: { branch: string; why: string | null }[]
}

/** A folder that may go. */
interface Expired {
  path: string
  bytes: number
}

interface Survey {
  use: DiskUse
  runs: Expired[]
  golden: Expired[]
  /** Runs whose snapshot is no longer needed. */
  superseded: string[]
  /** Branches that may go. */
  branches: LandedBranch[]
}

interface Surveyed {
  dataDir: string
  store: Store
  /** The snapshots that the mirror keeps, by run. */
  snapshots(): Promise<Map<string, string>>
  /** The user's repository; null: branches are kept, whatever has landed. */
  look: BranchLook | null
}

/** Folders measured at the same time. */
const batchFolders = 64

export async function survey(of: Surveyed, retention: Retention, now: number): Promise<Survey> {
  const { dataDir, store } = of
  const size = measure()
  const before = (keptMs: number | null) => (keptMs === null ? null : now - keptMs)
  // First, since a copy of it may share its files.
  const golden = await goldenCopies(join(dataDir, 'golden'), before(retention.goldenMs), size)
  const workspaces = await workspacesIn(dataDir, store, size)
  const there = new Set(workspaces.map(({ run }) => run))
  const runs = await runFolders(join(dataDir, 'runs'), store, there, before(retention.runsMs), size)
  // A mirror that cannot be read is the doctor's business.
  const snapshots = await of.snapshots().catch(() => new Map<string, string>())
  const standings = await store.runStandings([...snapshots.keys()])
  const superseded = supersededSnapshots(snapshots, standings, before(retention.runsMs))
  const rest = await restOf(dataDir, size)
  const old = of.look === null ? [] : await oldBranches(store, of.look)
  const use: DiskUse = {
    dataDir,
    bytes: sum(workspaces) + sum(Object.values(runs.use)) + sum(Object.values(golden.use)) + sum(Object.values(rest)),
    removable: sum(workspaces.filter(({ state }) => state === 'saved')) + sum(runs.expired) + sum(golden.expired),
    workspaces,
    runs: runs.use,
    golden: golden.use,
    mirror: { bytes: rest.mirror.bytes, snapshots: snapshots.size, superseded: superseded.length },
    database: rest.database.bytes,
    other: rest.other.bytes,
    retention,
    branches: old.map(({ branch, why }) => ({ branch, why })),
  }
  const branches = old.filter(({ why }) => why === null)
  return { use, runs: runs.expired, golden: golden.expired, superseded, branches }
}

/** Runs whose workspace is there because their work could not be saved. */
export async function unsavedRuns(dataDir: string, store: Store): Promise<string[]> {
  const names = await namesIn(join(dataDir, 'workspaces'))
  const standings = await store.runStandings(names)
  return names.filter((name) => workspaceState(standings.get(name)) === 'unsaved')
}

export async function namesIn(dir: string): Promise<string[]> {
  const names: string[] = await readdir(dir).catch(() => [])
  return names.sort()
}

type Size = (path: string) => Promise<number>

async function workspacesIn(dataDir: string, store: Store, size: Size): Promise<WorkspaceUse[]> {
  const dir = join(dataDir, 'workspaces')
  const names = await namesIn(dir)
  const standings = await store.runStandings(names)
  const uses: WorkspaceUse[] = []
  for (const run of names) {
    const path = join(dir, run)
    const standing = standings.get(run)
    const state = workspaceState(standing)
    const since = standing?.run.end?.at ?? standing?.run.startedAt ?? (await changedAt(path))
    const task = standing?.run.taskId ?? null
    // What was written to a layered workspace lies apart.
    const bytes = (await size(path)) + (await size(join(dataDir, 'layers', run)))
    uses.push({ run, task, state, why: reason(state, standing), path, bytes, since: iso(since) })
  }
  return uses
}

function reason(state: WorkspaceState, standing: RunStanding | undefined): string | null {
  switch (state) {
    case 'saved':
      return null
    case 'in-use':
      return 'its run has not ended'
    case 'unsaved':
      return standing?.run.end?.detail ?? ''
    case 'unknown':
      return 'nothing is stored about this run'
  }
}

async function runFolders(
  dir: string,
  store: Store,
  workspaces: ReadonlySet<string>,
  before: number | null,
  size: Size,
): Promise<{ use: DiskUse['runs']; expired: Expired[] }> {
  const use = { needed: nothing(), recent: nothing(), expired: nothing(), unknown: nothing() }
  const expired: Expired[] = []
  const names = await namesIn(dir)
  for (let from = 0; from < names.length; from += batchFolders) {
    const batch = names.slice(from, from + batchFolders)
    const standings = await store.runStandings(batch)
    const sizes = await Promise.all(batch.map((name) => size(join(dir, name))))
    for (const [index, name] of batch.entries()) {
      const bytes = sizes[index] ?? 0
      const state = runFolderState(standings.get(name), workspaces.has(name), before)
      add(use[state], bytes)
      if (state === 'expired') expired.push({ path: join(dir, name), bytes })
    }
  }
  return { use, expired }
}

/** Each use of a golden copy touches its folder. */
async function goldenCopies(
  dir: string,
  before: number | null,
  size: Size,
): Promise<{ use: DiskUse['golden']; expired: Expired[] }> {
  const use = { recent: nothing(), expired: nothing() }
  const expired: Expired[] = []
  for (const name of await namesIn(dir)) {
    const path = join(dir, name)
    const bytes = await size(path)
    const old = before !== null && (await changedAt(path)) < before
    add(use[old ? 'expired' : 'recent'], bytes)
    if (old) expired.push({ path, bytes })
  }
  return { use, expired }
}

async function restOf(dataDir: string, size: Size) {
  const rest = { mirror: nothing(), database: nothing(), other: nothing() }
  for (const name of await namesIn(dataDir)) {
    if (['golden', 'layers', 'workspaces', 'runs'].includes(name)) continue
    const kind = name === 'mirror.git' ? 'mirror' : name.startsWith('muster.db') ? 'database' : 'other'
    add(rest[kind], await size(join(dataDir, name)))
  }
  return rest
}

const nothing = (): Amount => ({ count: 0, bytes: 0 })

function add(amount: Amount, bytes: number): void {
  amount.count += 1
  amount.bytes += bytes
}

function sum(amounts: Iterable<{ bytes: number }>): number {
  let bytes = 0
  for (const amount of amounts) bytes += amount.bytes
  return bytes
}

/** Since when a folder is there at the latest; now, as far as anybody cares, when it is gone meanwhile. */
async function changedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => null))?.mtimeMs ?? Number.MAX_SAFE_INTEGER
}

/** What a path takes on disk with all below it; files that have several names count once. What vanishes takes nothing. */
function measure(): Size {
  const seen = new Set<string>()
  return async function size(path: string): Promise<number> {
    const info = await lstat(path).catch(() => null)
    if (info === null) return 0
    const own = info.blocks * 512
    if (info.isDirectory()) {
      const below = await Promise.all((await readdir(path).catch(() => [])).map((name) => size(join(path, name))))
      return below.reduce((total, bytes) => total + bytes, own)
    }
    const name = `${info.dev}:${info.ino}`
    if (info.nlink > 1 && seen.has(name)) return 0
    if (info.nlink > 1) seen.add(name)
    return own
  }
}
