/**
 * Frees disk space without losing anything: removes what is saved or long over; tries to save unsaved work first, and
 * keeps it if that fails. Only the engine's process, or one that holds its lock, may do it, so that nothing starts at
 * the same time.
 */
import { join } from 'node:path'
import type { Retention } from '../../domain/config.ts'
import { MusterError } from '../../domain/errors.ts'
import { resolveId } from '../../domain/ids.ts'
import { keptBranch } from '../../domain/task/task.ts'
import type { WorkspaceUse } from './disk.ts'
import { namesIn, survey } from './disk.ts'
import type { Decider } from '../decider.ts'
import type { Engine } from '../loop/engine.ts'
import { workspaceState } from './retention.ts'
import { shown } from '../loop/pending.ts'

/** The documented shape of `muster clean --apply --json`. */
export interface CleanReport {
  /** Unsaved work that could be saved now; without a branch when its author had changed nothing. */
  saved: { run: string; task: string; commit: string; branch: string | null }[]
  removed: { bytes: number; workspaces: number; runs: number; golden: number; snapshots: number; branches: number }
  /** Workspaces that hold work nobody else has. */
  kept: { run: string; task: string | null; path: string; why: string }[]
  /** What may go and could not be removed. */
  failed: { path: string; why: string }[]
  /** Why the mirror and the golden copies were left as they are; null when they were not. */
  postponed: string | null
}

/** The documented shape of `muster clean --discard --json`. */
export interface Discarded {
  run: string
  task: string | null
  path: string
  /** How many paths differed from the base; null when that could not be found out. */
  changes: number | null
  /** The first of them. */
  files: string[]
}

const filesShownMax = 50

export async function clean(engine: Engine, retention: Retention): Promise<CleanReport> {
  const { store, dataDir, workspaces, clock, config } = engine.parts
  const look = config.keepBranches === true ? null : workspaces
  const surveyed = { store, dataDir, snapshots: () => workspaces.snapshots(), look }
  const found = await survey(surveyed, retention, clock.now())
  const removed = { bytes: 0, workspaces: 0, runs: 0, golden: 0, snapshots: 0, branches: 0 }
  const report: CleanReport = { saved: [], removed, kept: [], failed: [], postponed: null }
  const remove = async (kind: 'workspaces' | 'runs' | 'golden', { path, bytes }: { path: string; bytes: number }) => {
    try {
      await workspaces.remove(path)
      removed[kind] += 1
      removed.bytes += bytes
    } catch (error) {
      report.failed.push({ path, why: wordsOf(error) })
    }
  }
  for (const workspace of found.use.workspaces) {
    if (workspace.state === 'in-use') continue
    if (workspace.state === 'saved' || (await isSavedNow(engine, workspace, report))) {
      await remove('workspaces', workspace)
    }
  }
  for (const folder of found.runs) await remove('runs', folder)
  for (const { branch, landed } of found.branches) {
    const why = await workspaces.retire(branch, landed).catch(wordsOf)
    if (why === null) removed.branches += 1
    else report.failed.push({ path: branch, why })
  }
  report.postponed = await whyBusy(engine)
  if (report.postponed !== null) return report
  report.postponed = await whyBorrowed(dataDir)
  if (report.postponed !== null) return report
  for (const copy of found.golden) await remove('golden', copy)
  try {
    await workspaces.forget(found.superseded)
    removed.snapshots = found.superseded.length
  } catch (error) {
    report.failed.push({ path: join(dataDir, 'mirror.git'), why: wordsOf(error) })
  }
  return report
}

/** What runs share is left alone while there is any, or one could start. */
async function whyBusy({ running, parts: { store } }: Engine): Promise<string | null> {
  if (running) return 'a muster is at work'
  const pending = (await store.pendingIntents()).some(({ kind }) => kind !== 'notify' && kind !== 'push')
  return pending ? 'some work is unfinished: muster run continues it' : null
}

/** A clone borrows objects of the mirror that only it knows the use of, and may lie over a golden copy. */
async function whyBorrowed(dataDir: string): Promise<string | null> {
  const [first, ...more] = await namesIn(join(dataDir, 'workspaces'))
  if (first === undefined) return null
  return `${more.length === 0 ? `the workspace ${first} needs` : `${more.length + 1} workspaces need`} the mirror and golden copies`
}

/** Tries to save it again: what kept it from being saved may have gone. Otherwise it is reported, and stays. */
async function isSavedNow(engine: Engine, workspace: WorkspaceUse, report: CleanReport): Promise<boolean> {
  const { run, task, path, why } = workspace
  try {
    const saved = await saveAgain(engine, workspace)
    if (saved !== null) report.saved.push(saved)
    else report.kept.push({ run, task, path, why: why ?? '' })
    return saved !== null
  } catch (error) {
    report.kept.push({ run, task, path, why: wordsOf(error) })
    return false
  }
}

/** On a branch of its own: the task may have gone on meanwhile, and a person decides what this is still good for. */
async function saveAgain(engine: Engine, { run: runId }: WorkspaceUse): Promise<CleanReport['saved'][number] | null> {
  const { store, workspaces, clock } = engine.parts
  const run = await store.run(runId)
  const result = run === null ? null : await engine.effects.runs.saveAgain(run)
  if (run === null || result === null) return null
  const [left] = result.refused
  if (left !== undefined) throw new MusterError('failed', `${left.path} cannot be saved: ${left.why}`)
  const branch = result.unchanged ? null : keptBranch(run.id)
  const why = branch === null ? null : await workspaces.publish(branch, result.commit)
  if (why !== null) {
    throw new MusterError('conflict', `${branch} was not updated: ${why}`, {
      hint: `git branch -m ${branch} <another name>`,
    })
  }
  const saved = { run: run.id, task: run.taskId, commit: result.commit, branch }
  const event = { chain: `task:${run.taskId}` as const, type: 'result-saved', actor: 'muster', data: { ...saved } }
  await engine.transactor.commit({ at: clock.now(), events: [event] })
  return saved
}

/** Removes one workspace with work that is saved nowhere: only by its name, and it stays in the history who wanted it. */
export async function discard(engine: Engine, wanted: string, { by, proof }: Decider): Promise<Discarded> {
  const { store, workspaces, dataDir, clock } = engine.parts
  const run = await findUnsaved(engine, wanted)
  const path = join(dataDir, 'workspaces', run)
  const task = (await store.run(run))?.taskId ?? null
  const changes = await engine.effects.runs.changesOf(run).catch(() => null)
  if (task !== null) {
    const event = { chain: `task:${task}` as const, type: 'work-discarded', actor: by, data: shown({ run, by }, proof) }
    await engine.transactor.commit({ at: clock.now(), events: [event] })
  }
  await workspaces.remove(path)
  return { run, task, path, changes: changes?.length ?? null, files: (changes ?? []).slice(0, filesShownMax) }
}

/** The run that is meant: by its whole id, or by its task if that has one such workspace. */
async function findUnsaved({ parts: { store, dataDir } }: Engine, wanted: string): Promise<string> {
  const names = await namesIn(join(dataDir, 'workspaces'))
  const standings = await store.runStandings(names)
  const taskOf = (name: string) => standings.get(name)?.run.taskId
  if (names.includes(wanted)) {
    const state = workspaceState(standings.get(wanted))
    if (state === 'unsaved' || state === 'unknown') return wanted
    const [why, hint] =
      state === 'saved'
        ? ['its result is saved', 'muster clean --apply removes it']
        : ['its run has not ended', `muster cancel ${taskOf(wanted)} ends it`]
    throw new MusterError('gate_closed', `${wanted} holds no unsaved work: ${why}`, { hint })
  }
  const unsaved = names.filter((name) => workspaceState(standings.get(name)) === 'unsaved')
  const tasks = [...new Set(unsaved.flatMap((name) => taskOf(name) ?? []))]
  const task = resolveId(wanted, tasks, 'run or task with unsaved work', 'muster clean lists them')
  const [run = '', ...more] = unsaved.filter((name) => taskOf(name) === task)
  if (more.length === 0) return run
  const list = [run, ...more].join(', ')
  throw new MusterError('usage', `${task} has more than one workspace with unsaved work: ${list}`, {
    hint: `name one: muster clean --discard ${run}`,
  })
}

function wordsOf(error: unknown): string {
  const hint = error instanceof MusterError && error.hint !== undefined ? ` (${error.hint})` : ''
  return `${error instanceof Error ? error.message : String(error)}${hint}`
}
