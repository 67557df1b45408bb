/** muster open: the folder a task is worked on in right now, or where its result is instead. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { taskBranch } from '../domain/task.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'

export async function open(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, place) => {
    const { spec, state } = await requireTask(store, wanted)
    const runs = (await store.runs(spec.id)).toReversed()
    const path = runs.map(({ id }) => join(place.dataDir, 'workspaces', id)).find((dir) => existsSync(dir))
    if (path === undefined) {
      const saved = state.commit === null ? 'it has not run yet' : `its result is saved as ${state.commit.slice(0, 12)}`
      throw new MusterError('not_found', `${spec.id} has no workspace now: ${saved}`, {
        hint: state.commit === null ? `muster explain ${spec.id}` : `git switch ${taskBranch(spec.id)}`,
      })
    }
    if (options['json'] === true) return printJson(io, { task: spec.id, path })
    io.out(`${path}\n`)
  })
}
