/** The executor of this machine. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isCommandFolder } from '../domain/run.ts'
import type { Executor } from '../ports/executor.ts'
import { commandRequest, LocalCommandJob } from './command-job.ts'
import { LocalDetachedJob } from './detached-job.ts'
import { checkoutsIn, folderOf, markOf, type LocalParts } from './folders.ts'

export function localExecutor(parts: LocalParts): Executor {
  const { runtime, workspaces, projectRoot } = parts
  return {
    start: (job, hear) =>
      job.kind === 'command' ? new LocalCommandJob(parts, job, hear) : new LocalDetachedJob(parts, job, hear),

    async forget(run) {
      // One that a killed Muster left is known by its folder alone.
      const agent = {
        runtime: 'command',
        verdict: 'exit',
        run: ':',
        env: [],
        timeoutMs: 1,
        network: true,
        checks: [],
      } as const
      for (const part of (await readdir(folderOf(parts, run)).catch(() => [])).filter(isCommandFolder)) {
        const id = `${run}/${part}`
        const dir = folderOf(parts, id)
        await runtime.recover({ ...commandRequest({ runId: markOf(id), dir, workspace: dir, projectRoot }), agent })
        await rm(dir, { recursive: true, force: true })
      }
    },

    async sweep() {
      // Checkouts hold nobody's work.
      const dir = checkoutsIn(parts)
      for (const name of await readdir(dir).catch(() => [])) await workspaces.remove(join(dir, name))
    },
  }
}
