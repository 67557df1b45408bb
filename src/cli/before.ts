/** What `run` and `serve` check and print before any work starts. */
import { channelProblems, commandProblems } from '../app.ts'
import { diskNote, lookAtFolder } from '../data-folder.ts'
import { forDisplay } from '../domain/display.ts'
import { MusterError } from '../domain/errors.ts'
import { sandboxNote } from '../kept-in.ts'
import { baseNotes, type Project } from '../project.ts'
import type { Io } from './io.ts'

/** Throws where a command could not start. */
export async function checkBefore(io: Io, project: Project): Promise<void> {
  const { notify } = project.config
  const problems = await commandProblems(project)
  if (problems.length > 0)
    throw new MusterError('config', problems.join('\n'), { hint: 'fix the command in muster.yaml' })
  const unkept = (await sandboxNote(project.config)) ?? []
  const disk = (await diskNote(lookAtFolder(project.dataDir))) ?? []
  for (const note of [unkept, disk, await baseNotes(project), channelProblems(notify, io.env)].flat())
    io.say(`${io.paint.yellow('note:')} ${forDisplay(note)}\n`)
}
