/** muster diff: what a task changed; what landed, if it landed, else its last snapshot against its target. */
import { openWorkspaces } from '../app.ts'
import { MusterError } from '../domain/errors.ts'
import type { Store, StoredTask } from '../ports/store.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import { forDisplay } from '../domain/display.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'

export async function diff(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const task = await requireTask(store, wanted)
    const workspaces = await openWorkspaces(place, io.env)
    const { from, to } = (await landed(store, task)) ?? (await pending(workspaces, task))
    const patch = (stat: boolean, color: boolean) => workspaces.diff(from, to, { stat, color })
    if (options['json'] === true) {
      return printJson(io, {
        task: task.spec.id,
        from,
        to,
        stat: await patch(true, false),
        patch: await patch(false, false),
      })
    }
    io.out(forDisplay(await patch(options['stat'] === true, io.color), { colours: io.color }))
  })
}

async function landed(store: Store, { spec, state }: StoredTask): Promise<{ from: string; to: string } | null> {
  if (state.status !== 'completed') return null
  const events = await store.events(`task:${spec.id}`)
  const last = events.findLast((event) => event.type === 'run-ended' && event.data['landed'] !== undefined)
  return (last?.data['landed'] as { from: string; to: string } | undefined) ?? null
}

async function pending(workspaces: Workspaces, { spec, state }: StoredTask): Promise<{ from: string; to: string }> {
  if (state.commit === null) {
    throw new MusterError('not_found', `${spec.id} has no result yet`, { hint: `muster explain ${spec.id}` })
  }
  const target = await workspaces.head(spec.target)
  const from = target === null ? null : await workspaces.mergeBase(target, state.commit)
  return { from: from ?? state.commit, to: state.commit }
}
