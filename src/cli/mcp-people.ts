/**
 * muster mcp for a person's own program: the project's tools, with the same commands as every other surface. Agents at
 * work may not use it.
 */
import { openReader, systemClock, withCommands } from '../app.ts'
import { mcpLineCharsMax } from '../domain/limits.ts'
import { peopleServer } from '../mcp/people.ts'
import type { McpService } from '../mcp/service.ts'
import { serveLines } from '../mcp/stdio.ts'
import type { Project } from '../project.ts'
import { openProject } from '../project.ts'
import { version } from '../version.ts'
import { logOf } from '../run-logs.ts'
import type { Io } from './io.ts'
import { refuseInsideTask } from './session.ts'

export async function servePeople(io: Io, input: AsyncIterable<string>): Promise<void> {
  refuseInsideTask(io, 'muster mcp')
  const service = serviceOf(await openProject(io.cwd, io.env), io)
  await serveLines(peopleServer(service), input, (text) => io.out(text), mcpLineCharsMax)
}

/** Every call looks and asks anew: engines come and go while a program runs. */
function serviceOf(project: Project, io: Io): McpService {
  return {
    version,
    now: () => systemClock.now(),
    async look(use) {
      const store = await openReader(project)
      try {
        return await use(store)
      } finally {
        await store.close()
      }
    },
    ask: (use) => withCommands(project, io.env, use),
    project: () => openProject(io.cwd, io.env),
    log: (store, run) => logOf(project, store, run),
    failed: (error) => io.say(`muster mcp: ${error instanceof Error ? error.stack : String(error)}\n`),
  }
}
