/**
 * A request by an agent or tool that a person decides: recorded and sent to people, nothing else. It moves no task and
 * no story, and the same request twice counts once (L16).
 */
import { isChecking } from '../domain/task/check.ts'
import { MusterError } from '../domain/errors.ts'
import { nextCommands } from '../domain/task/next.ts'
import type { NoticeText } from '../domain/notice.ts'
import { needsPerson, stageOf } from '../domain/task/stage.ts'
import { decideStory, type StoryStanding } from '../domain/story/story.ts'
import type { TaskState } from '../domain/task/task.ts'
import type { ChainId, NewEvent, Store, StoredEvent } from '../ports/store.ts'
import type { Engine } from './loop/engine.ts'
import { noticeIntents } from './loop/pending.ts'
import { iso } from './views/views.ts'

export const ASKED = 'asked'

export interface Asking {
  what: 'accept' | 'ship'
  /** Of the task, or of the story. */
  id: string
  reason: string
  /** Who asks; never a person. */
  by: string
}

export interface AskingResult {
  id: string
  /** Somebody had asked the same already, and no answer has come. */
  again: boolean
  /** When it was asked first. */
  at: string
  /** What a person types to answer. */
  next: readonly string[]
}

/** Rejects with `gate_closed` when a person could not say yes now either. */
export async function ask(engine: Engine, asking: Asking): Promise<AskingResult> {
  const { what, id, reason, by } = asking
  const { place, next, chain, taskId } = what === 'ship' ? await ofStory(engine, id) : await ofTask(engine, id)
  const { store, clock, channels, probe } = engine.parts
  const before = await openRequest(store, chain, place)
  if (before !== null) return { id, again: true, at: iso(before.at), next }
  const at = clock.now()
  const notice: NoticeText = {
    key: `${ASKED}:${what}:${id}:${place}`,
    kind: 'needs-you',
    subject: `${id}: ${what}?`,
    text: `an agent asks you to ${what} ${id}: ${reason}`,
    next,
  }
  const intents = noticeIntents(channels, taskId, notice, at)
  const event: NewEvent = { chain, type: ASKED, actor: by, data: { what, reason, place } }
  await engine.transactor.commit({ at, events: [event], intents })
  probe.emit({ type: ASKED, task: id, at, actor: by, what, reason })
  if (engine.running)
    engine.effects.begin(
      intents.map((intent) => ({ ...intent, pinned: null })),
      null,
    )
  return { id, again: false, at: iso(at), next }
}

/** What was asked where the task or the story still stands; null: nothing. Looked for in every list of what needs people. */
async function openRequest(store: Store, chain: ChainId, place: string): Promise<StoredEvent | null> {
  const last = await store.lastEvent(chain, ASKED)
  return last?.data['place'] === place ? last : null
}

/** Why an agent asks for a decision about the task as it stands now; null: none does. */
export async function requestOfTask(store: Store, state: TaskState): Promise<string | null> {
  return reasonOf(await openRequest(store, `task:${state.id}`, taskPlace(state)))
}

export async function requestOfStory(store: Store, standing: StoryStanding): Promise<string | null> {
  return reasonOf(await openRequest(store, `story:${standing.id}`, storyPlace(standing)))
}

const reasonOf = (request: StoredEvent | null) => (request === null ? null : String(request.data['reason']))
const taskPlace = ({ attempt, round, phase }: TaskState) => `${attempt}.${round}.${phase}`
const storyPlace = ({ works, tasks }: StoryStanding) => `${works}.${tasks.completed}`

async function ofTask({ parts: { store } }: Engine, id: string) {
  const task = await store.task(id)
  if (task === null) throw new MusterError('not_found', `there is no task ${id}`, { hint: 'list the tasks' })
  const { state, spec } = task
  if (!needsPerson(state, spec.phases) && !isChecking(state, spec.phases)) {
    const stage = stageOf(state, spec.phases, [])
    throw new MusterError('gate_closed', `${id} does not need a person now: it is ${stage}`, {
      hint: 'explain shows what it waits for',
    })
  }
  return { place: taskPlace(state), next: nextCommands(state, spec.phases), chain: `task:${id}` as const, taskId: id }
}

async function ofStory({ parts: { store } }: Engine, id: string) {
  const stored = await store.standing(id)
  if (stored === null) throw new MusterError('not_found', `there is no story ${id}`, { hint: 'list the tasks' })
  const { standing } = stored
  // Throws what a person would be told; what it decides is thrown away.
  decideStory(standing, { type: 'ship', by: '' })
  const next = [`muster story show ${id}`, `muster ship ${id}`]
  return { place: storyPlace(standing), next, chain: `story:${id}` as const, taskId: null }
}
