/** muster diff: what a task changed. */
import { openWorkspaces } from '../app.ts'
import { forDisplay } from '../domain/display.ts'
import { changesOf, changesView } from '../engine/views/changes.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'

export async function diff(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const task = await requireTask(store, wanted)
    const workspaces = await openWorkspaces(place, io.env)
    if (options['json'] === true) return printJson(io, await changesView(store, workspaces, task))
    const { from, to } = await changesOf(store, workspaces, task)
    const patch = await workspaces.diff(from, to, { stat: options['stat'] === true, color: io.color })
    io.out(forDisplay(patch, { colours: io.color }))
  })
}
