/** What a task changed: what landed, if it landed, else its last snapshot against its target. */
import { MusterError } from '../domain/errors.ts'
import type { Store, StoredTask } from '../ports/store.ts'
import type { Workspaces } from '../ports/workspaces.ts'

export interface Changes {
  from: string
  to: string
}

export interface ChangesView extends Changes {
  task: string
  stat: string
  patch: string
}

export async function changesOf(store: Store, workspaces: Workspaces, task: StoredTask): Promise<Changes> {
  return (await landed(store, task)) ?? pending(workspaces, task)
}

export async function changesView(store: Store, workspaces: Workspaces, task: StoredTask): Promise<ChangesView> {
  const { from, to } = await changesOf(store, workspaces, task)
  const patch = (stat: boolean) => workspaces.diff(from, to, { stat, color: false })
  return { task: task.spec.id, from, to, stat: await patch(true), patch: await patch(false) }
}

async function landed(store: Store, { spec, state }: StoredTask): Promise<Changes | null> {
  if (state.status !== 'completed') return null
  const events = await store.events(`task:${spec.id}`)
  const last = events.findLast((event) => event.type === 'run-ended' && event.data['landed'] !== undefined)
  return (last?.data['landed'] as Changes | undefined) ?? null
}

async function pending(workspaces: Workspaces, { spec, state }: StoredTask): Promise<Changes> {
  if (state.commit === null) {
    throw new MusterError('not_found', `${spec.id} has no result yet`, { hint: `muster explain ${spec.id}` })
  }
  const target = await workspaces.head(spec.target)
  const from = target === null ? null : await workspaces.mergeBase(target, state.commit)
  return { from: from ?? state.commit, to: state.commit }
}
