/**
 * What a task changed: what landed or, before that, its last snapshot against its target; also the snapshot of an
 * earlier attempt, or the changes since one.
 */
import { MusterError } from '../../domain/errors.ts'
import { boundPatch } from '../../domain/patch.ts'
import type { Store, StoredTask } from '../../ports/store.ts'
import type { Workspaces } from '../../ports/workspaces.ts'

interface Changes {
  from: string
  to: string
}

interface ChangesView extends Changes {
  task: string
  stat: string
  patch: string
}

/** For pages, which cannot hold everything. */
export interface BoundChanges extends ChangesView {
  /** The files that are not told to their end, by their place among all. */
  cut: number[]
  /** How many files come after what is told. */
  leftOut: number
}

/** `attempt`: of that one instead of the last. `since`: only what changed after the result of that attempt. */
export interface Wanted {
  attempt?: number | undefined
  since?: number | undefined
}

export async function changesOf(
  store: Store,
  workspaces: Workspaces,
  task: StoredTask,
  { attempt, since }: Wanted = {},
): Promise<Changes> {
  const done = await landed(store, task)
  if (attempt === undefined && since === undefined) return done ?? pending(workspaces, task)
  const to = attempt === undefined ? resultOf(task) : await snapshotOf(store, workspaces, task, attempt)
  if (since !== undefined) return { from: await snapshotOf(store, workspaces, task, since), to }
  return { from: await baseOf(workspaces, done?.from ?? (await workspaces.head(task.spec.target)), to), to }
}

export async function changesView(store: Store, workspaces: Workspaces, task: StoredTask): Promise<ChangesView> {
  return shown(workspaces, task, await changesOf(store, workspaces, task))
}

export async function boundChanges(
  store: Store,
  workspaces: Workspaces,
  task: StoredTask,
  wanted: Wanted,
): Promise<BoundChanges> {
  const view = await shown(workspaces, task, await changesOf(store, workspaces, task, wanted))
  return { ...view, ...boundPatch(view.patch) }
}

async function shown(workspaces: Workspaces, { spec }: StoredTask, { from, to }: Changes): Promise<ChangesView> {
  const patch = (stat: boolean) => workspaces.diff(from, to, { stat, color: false })
  return { task: spec.id, from, to, stat: await patch(true), patch: await patch(false) }
}

async function landed(store: Store, { spec, state }: StoredTask): Promise<Changes | null> {
  if (state.status !== 'completed') return null
  const events = await store.events(`task:${spec.id}`)
  const last = events.findLast((event) => event.type === 'run-ended' && event.data['landed'] !== undefined)
  return (last?.data['landed'] as Changes | undefined) ?? null
}

async function pending(workspaces: Workspaces, task: StoredTask): Promise<Changes> {
  const to = resultOf(task)
  return { from: await baseOf(workspaces, await workspaces.head(task.spec.target), to), to }
}

function resultOf({ spec, state }: StoredTask): string {
  if (state.commit !== null) return state.commit
  throw new MusterError('not_found', `${spec.id} has no result yet`, { hint: `muster explain ${spec.id}` })
}

async function baseOf(workspaces: Workspaces, target: string | null, commit: string): Promise<string> {
  return (target === null ? null : await workspaces.mergeBase(target, commit)) ?? commit
}

/** What an attempt left, if it is still kept. */
async function snapshotOf(
  store: Store,
  workspaces: Workspaces,
  { spec, state }: StoredTask,
  attempt: number,
): Promise<string> {
  const runs = await store.runs(spec.id)
  const run = runs.findLast((one) => one.attempt === attempt && one.kind === 'agent' && one.end?.commit != null)
  const commit = run?.end?.commit ?? (attempt === state.attempt ? state.commit : null)
  if (commit !== null && (await workspaces.has(commit))) return commit
  const why = commit === null ? 'left no result' : 'left a result that was removed since'
  throw new MusterError('not_found', `attempt ${attempt} of ${spec.id} ${why}`, { hint: `muster diff ${spec.id}` })
}
