/** muster ship: verifies a story merged with its base, lands it, deploys and validates it, and shows the result. */
import { attach } from '../app.ts'
import { ERROR_CODES, MusterError } from '../domain/errors.ts'
import type { StoryState } from '../domain/story/story.ts'
import { findStory } from '../engine/meant.ts'
import { storyView } from '../engine/views/views.ts'
import { openProject } from '../project.ts'
import type { Io } from './io.ts'
import { printJson } from './io.ts'
import { watchProgress } from './progress.ts'
import { closeOnSignal, STOPPING } from './signals.ts'
import { person, reading, refuseInsideTask } from './session.ts'
import { storyText } from './story.ts'

export async function ship(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<number> {
  refuseInsideTask(io, 'muster ship')
  const project = await openProject(io.cwd, io.env)
  const story = await reading(io, (store) => findStory(store, wanted))
  const how = options['resume'] === true ? 'resume' : options['deployed'] === true ? 'deployed' : 'ship'
  const message = typeof options['message'] === 'string' ? options['message'] : ''
  const engine = await attach(project, io.env)
  const words = engine.owned ? STOPPING : 'leaving; the other muster keeps working'
  const signals = closeOnSignal(io.say, words, (now) => engine.close(now))
  const progress = watchProgress(io)
  try {
    await engine.follow((event) => progress.onEvent(event))
    await engine.commands.ship({ story, how, message, by: person(io) })
    await signals.race(engine.settled(story))
    if (!signals.interrupted()) await signals.race(engine.idle())
  } catch (error) {
    if (!signals.interrupted()) throw error
  } finally {
    progress.end()
    await signals.close()
  }
  if (signals.interrupted()) {
    io.say('interrupted: everything is stored. A running deploy continues, and muster run finds it again\n')
    return ERROR_CODES.interrupted.exit
  }
  return reading(io, async (store) => {
    const found = await store.story(story)
    if (found === null) throw new MusterError('not_found', `there is no story ${story}`, { hint: 'muster story list' })
    const view = await storyView(store, found)
    if (options['json'] === true) printJson(io, view)
    else io.out(storyText(view))
    if ((await store.setting('paused')) !== null) io.say('paused: muster resume, then muster run\n')
    return EXITS[view.state] ?? ERROR_CODES.waiting.exit
  })
}

const EXITS: Partial<Record<StoryState, number>> = { REVIEW_READY: 0, NEEDS_FIX: ERROR_CODES.failed.exit }
