/** muster elaborate: an agent breaks a goal down into a draft of a story; shows the draft. */
import { attach } from '../app.ts'
import { withRole } from '../config/resolve-roles.ts'
import { ERROR_CODES } from '../domain/errors.ts'
import { ELABORATOR } from '../domain/task/elaboration.ts'
import { draftOf } from '../engine/steps/elaborate.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { watchProgress } from './progress.ts'
import { closeOnSignal, STOPPING } from './signals.ts'
import { reading } from './session.ts'
import { draftHint, draftText } from './story.ts'

export async function elaborate(io: Io, [goal = '']: string[], options: Record<string, unknown>): Promise<number> {
  const project = await openProject(io.cwd, io.env)
  const config = withRole(project.config, project.root, ELABORATOR)
  const engine = await attach({ ...project, config }, io.env)
  const words = engine.owned ? STOPPING : 'leaving; the other muster keeps working'
  const signals = closeOnSignal(io.say, words, (now) => engine.close(now))
  const progress = watchProgress(io)
  let id = ''
  try {
    await engine.follow((event) => progress.onEvent(event))
    id = (await engine.commands.elaborate({ goal, config })).id
    await signals.race(engine.settled(null))
    if (!signals.interrupted()) await signals.race(engine.idle())
  } finally {
    progress.end()
    await signals.close()
  }
  const view = await reading(io, (store) => draftOf(store, id))
  if (options['json'] === true) printJson(io, view)
  else if (view.draft !== null) io.out(draftText(view.draft, view.warnings))
  if (view.status !== 'waiting') {
    const next = view.status === 'elaborating' ? 'muster run continues with it' : `muster explain ${id}`
    io.say(`${id} has no draft yet (${view.status}): ${next}\n`)
    return view.status === 'elaborating' ? ERROR_CODES.interrupted.exit : ERROR_CODES.failed.exit
  }
  if (options['json'] !== true) io.say(draftHint(id))
  return 0
}
