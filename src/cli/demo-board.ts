/** muster demo: the story moves on the board, where a person decides; or, `once`, it decides for them and ends. */
import { join } from 'node:path'
import { openReader } from '../app.ts'
import { loadPlan } from '../config/plan.ts'
import { ERROR_CODES } from '../domain/errors.ts'
import type { StoryView } from '../engine/views/views.ts'
import { storyView } from '../engine/views/views.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import type { Project } from '../project.ts'
import { openProject } from '../project.ts'
import type { Serving } from '../serve.ts'
import { serve } from '../serve.ts'
import { REFUSED, REVIEWED, STORY, boardFiles, boardScript } from './demo-board-content.ts'
import type { Demo } from './demo-folder.ts'
import { tellNext } from './demo-folder.ts'
import type { Io } from './io.ts'
import { watchProgress } from './progress.ts'
import { person } from './session.ts'
import { closeOnSignal } from './signals.ts'
import { storyText } from './story.ts'

/** How long a line of an agent stands alone: to be read, or to be over soon. */
const readMs = 1500
const soonMs = 40

export async function demoOnBoard(demo: Demo, once: boolean): Promise<number> {
  const { io, repository } = demo
  let starting: Promise<Serving> | null = null
  let project: Project | null = null
  const signals = closeOnSignal(io.say, 'ending the demo', async (now) => {
    // Also one that is only about to be there.
    const serving = await starting?.catch(() => null)
    if (serving == null) return
    if (now !== true && project !== null) await callOffShip(serving, project)
    await serving.close(now)
  })
  try {
    const everyMs = once ? soonMs : readMs
    await demo.begin((agent) => boardFiles(agent, everyMs), boardScript(everyMs))
    project = await openProject(repository, io.env)
    const { plan } = await loadPlan(join(repository, 'plan.yaml'), repository, project.config, project.root)
    if (signals.interrupted()) return ERROR_CODES.interrupted.exit
    starting = serve(project, io.env, { host: '127.0.0.1', port: 0, by: person(io) })
    const serving = await starting
    if (signals.interrupted()) return ERROR_CODES.interrupted.exit
    const { engine, broken } = serving
    const progress = once ? watchProgress(io) : { onEvent: (event: ProbeEvent) => tellMoment(io, event), end() {} }
    await engine.follow((event) => void (signals.interrupted() || progress.onEvent(event)))
    tellWhere(io, serving.link, once)
    await engine.commands.submit({ plan, config: project.config })
    if (once) await signals.race(playPerson(io, serving))
    // Ended by a person, that is how it should end.
    else await signals.race(broken)
    progress.end()
    const view = await storyOf(project)
    if (once && view !== null) io.out(storyText(view))
    if (once || demo.keep) tellNext(demo)
    if (once && signals.interrupted()) return ERROR_CODES.interrupted.exit
    return once && view?.state !== 'REVIEW_READY' ? 1 : 0
  } catch (error) {
    // What was under way when it was ended may say so.
    if (signals.interrupted()) return ERROR_CODES.interrupted.exit
    throw error
  } finally {
    await signals.close()
  }
}

function tellWhere(io: Io, link: string, once: boolean): void {
  const { bold, dim } = io.paint
  if (once) {
    io.say('A story of five tasks, from the plan to Ship, by itself; with a terminal it waits for you on the board.\n')
    return
  }
  io.out(`\n${bold('Open the board')} ${dim('(the link works once, within ten minutes)')}\n\n   ${link}\n\n`)
  io.say(`${bold('Then')}
   1. Board (g b)       tasks move by themselves. "Add the order form" fails its verification and is fixed
   2. Needs you (g n)   "Write the opening hours": its checker found a mistake. Press "Send back…" and say what
                        must change
   3. Needs you         "Raise the prices" waits for your decision: press "Accept"
   4. Needs you         when every task has landed, the story is shippable: press "Ship…"

Ctrl-C ends it. ${dim('In the terminal instead: muster demo --terminal')}\n\n`)
}

/** What a person at the board might have missed, and nothing else. */
function tellMoment(io: Io, { type, task, ...data }: ProbeEvent): void {
  const { yellow, green } = io.paint
  if (task === REFUSED.task && type === 'checked' && data['verdict'] === 'FAIL')
    io.say(yellow(`${task} needs you: its checker found a mistake\n`))
  if (task === REVIEWED && type === 'phase-entered' && data['to'] === 'review')
    io.say(yellow(`${task} needs you: it waits to be accepted\n`))
  if (type !== 'story-moved') return
  if (data['to'] === 'SHIPPABLE') io.say(green('the story can be shipped: Needs you, "Ship…"\n'))
  if (data['to'] === 'REVIEW_READY')
    io.say(green('shipped, deployed and validated: that was the whole tour. Look around; Ctrl-C ends the demo\n'))
}

/** Says what a person would say, where one is asked. */
async function playPerson(io: Io, { engine: { commands, settled } }: Serving): Promise<void> {
  const by = person(io)
  const step = (text: string) => io.say(`\n${io.paint.bold(text)}\n`)
  await settled(STORY)
  step(`The checker refused one, one waits for a person. You would press "Send back…" and "Accept"`)
  await commands.decide({ kind: 'reject', task: REFUSED.task, message: REFUSED.words, by })
  await commands.decide({ kind: 'accept', task: REVIEWED, message: '', by })
  await settled(STORY)
  step('Every task has landed. You would press "Ship…"')
  await commands.ship({ story: STORY, how: 'ship', message: '', by })
  await settled(STORY)
}

/** A deploy outlives Muster, and must not outlive a demo. */
async function callOffShip({ engine }: Serving, project: Project): Promise<void> {
  // Ended at once, it has no story yet.
  const { state = 'OPEN', work = null } = (await storyOf(project)) ?? {}
  if (work === null || !['SHIPPING', 'DEPLOYED', 'VALIDATING'].includes(state)) return
  await engine.commands.cancel({ task: work.id, reason: 'the demo is over', by: 'muster demo' }).catch(() => undefined)
  await engine.settled(STORY)
}

async function storyOf(project: Project): Promise<StoryView | null> {
  const store = await openReader(project)
  try {
    const story = await store.story(STORY)
    return story === null ? null : await storyView(store, story)
  } finally {
    await store.close()
  }
}
