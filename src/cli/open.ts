/** muster open: the newest folder in which a task is or was worked on or, if it is gone, where its work is now. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { keptBranch, taskBranch } from '../domain/task/task.ts'
import type { RunRecord, StoredTask } from '../ports/store.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { reading, requireTask } from './session.ts'

export async function open(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store, { dataDir }) => {
    const task = await requireTask(store, wanted)
    const { id } = task.spec
    const runs = (await store.runs(id)).toReversed()
    // Of a workspace that lies over a golden copy, only what was written is to be seen from outside.
    const places = runs.flatMap((run) => [
      join(dataDir, 'layers', run.id, 'upper'),
      join(dataDir, 'workspaces', run.id),
    ])
    const path = places.find((dir) => existsSync(dir))
    if (path === undefined) {
      const { saved, hint } = elsewhere(task, runs, join(dataDir, 'mirror.git'))
      throw new MusterError('not_found', `${id} has no workspace: ${saved}`, { hint })
    }
    if (options['json'] === true) return printJson(io, { task: id, path })
    io.out(`${path}\n`)
  })
}

/** Its result or, without one, what the last run left that was interrupted or went wrong. */
function elsewhere({ spec: { id }, state }: StoredTask, runs: readonly RunRecord[], mirror: string) {
  const left = runs.find(({ end }) => end !== null && end.commit !== null)
  if (state.commit !== null && state.landed !== null) {
    return { saved: `its work has landed as ${state.landed.slice(0, 12)}`, hint: `muster diff ${id}` }
  }
  if (state.commit !== null) {
    return { saved: `its result is saved as ${state.commit.slice(0, 12)}`, hint: `git switch ${taskBranch(id)}` }
  }
  if (left !== undefined) {
    const fetch = `git fetch ${mirror} refs/muster/attempt/${left.id}:refs/heads/${keptBranch(left.id)}`
    return { saved: `it has no result, but the files of ${left.id} are saved`, hint: fetch }
  }
  const saved = runs.length === 0 ? 'it has not run yet' : 'none of its runs left a result'
  return { saved, hint: `muster explain ${id}` }
}
