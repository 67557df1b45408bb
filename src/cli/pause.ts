/** pause and resume: until a person resumes, nothing new starts and no timeout runs. Running work may finish. */
import { withCommands } from '../app.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { refuseInsideTask } from './session.ts'

export const pause = (io: Io, _: string[], options: Record<string, unknown>) => setPaused(io, true, options)
export const resume = (io: Io, _: string[], options: Record<string, unknown>) => setPaused(io, false, options)

async function setPaused(io: Io, paused: boolean, options: Record<string, unknown>): Promise<void> {
  refuseInsideTask(io, paused ? 'muster pause' : 'muster resume')
  const project = await openProject(io.cwd, io.env)
  const answer = await withCommands(project, io.env, (commands) => commands.pause({ paused }))
  if (options['json'] === true) return printJson(io, answer)
  io.say(paused ? 'paused: nothing new starts, and clocks stop (muster resume)\n' : 'resumed: muster run continues\n')
}
