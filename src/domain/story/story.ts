/**
 * A story's state and the only place where it changes. `decideStory` is pure, like `decide` for tasks: the same state
 * and event give the same answer. Work for a story as a whole (deferred criteria, shipping, validation) is a task of
 * its own; `wants` names the next one, and the engine makes it.
 */
import { MusterError } from '../errors.ts'
import type { NoticeText } from '../notice.ts'

export type StoryState =
  | 'OPEN'
  | 'SHIPPABLE'
  | 'SHIPPING'
  | 'DEPLOYED'
  | 'VALIDATING'
  | 'REVIEW_READY'
  | 'NEEDS_FIX'
  | 'CANCELLED'

/** The work of a task for a story as a whole. `sync`: merges the story with its base, as a task of the story. */
export type StoryWork = 'deferred' | 'ship' | 'validation'

/** The number of a story's top-level tasks, by status. */
export interface StoryCounts {
  open: number
  completed: number
  failed: number
  cancelled: number
  /** Completed ones with deferred criteria. */
  deferred: number
}

export interface StoryStanding {
  id: string
  state: StoryState
  tasks: StoryCounts
  /** Those criteria are met, or were waived, on all of its current work. */
  deferredMet: boolean
  wants: StoryWork | 'sync' | null
  /** The task that works for the story as a whole, or the last one. */
  work: { id: string; kind: StoryWork } | null
  /** How many such tasks it had; numbers the next one. */
  works: number
  /** Who pressed Ship last. */
  shippedBy: string | null
  /** The head of its branch that this person saw, if they said so; only that is shipped. */
  wanted?: string | null
  /** The head of the base that Ship made. */
  landed: string | null
  /** Of a deployed story: whether something really checked the deployment. */
  validated?: boolean
  /** A message for people: what failed, what landed, what to type. */
  message: string | null
  /** A person hid it from lists. */
  archived?: boolean
}

export const NO_TASKS: StoryCounts = { open: 0, completed: 0, failed: 0, cancelled: 0, deferred: 0 }

export function initialStory(id: string): StoryStanding {
  return {
    id,
    state: 'OPEN',
    tasks: NO_TASKS,
    deferredMet: false,
    wants: null,
    work: null,
    works: 0,
    shippedBy: null,
    landed: null,
    message: null,
  }
}

/** The state of a story's own task. */
export interface WorkEnd {
  id: string
  end: 'started' | 'completed' | 'failed' | 'held' | 'cancelled'
  phase: string | null
  /** The phase judged the work as not good enough, rather than failing to run. */
  refused: boolean
  reason: string
  /** The outcome of the deploy is unknown. */
  unknownDeploy: boolean
  /** A command or a judge really checked the deployment. */
  validated: boolean
  landed: string | null
}

export type StoryEvent =
  /** Tasks were added, or ended, or came back. */
  | { type: 'counted'; delta: StoryCounts }
  | { type: 'ship'; by: string; commit?: string | undefined }
  /** A person resumes what stopped: a deploy with unknown outcome, a failed Ship, deferred criteria. */
  | { type: 'resume'; by: string }
  /** A person cancels it; its open tasks end in the same commit. */
  | { type: 'cancel'; by: string; reason: string }
  | { type: 'archive'; by: string; archived: boolean }
  /** What it wanted has begun as this task; `sync` has none. */
  | { type: 'begun'; task: string | null }
  | { type: 'not-begun'; reason: string }
  | { type: 'worked'; work: WorkEnd }

export interface StoryDecided {
  standing: StoryStanding
  log: { type: string; data: Record<string, unknown> }[]
  /** Events for the story's own task, in the same commit. */
  also: { task: string; event: 'retry' | 'supersede' }[]
  /** A notice to people. */
  notice: StoryNotice | null
}

type StoryNotice = Pick<NoticeText, 'kind' | 'text' | 'next'>

/** The message of a deployed story that nothing could validate. */
export const NOT_VALIDATED =
  'not validated: muster.yaml has no postDeploy command and no post-deploy agent, and no criterion is about the running system'

export function decideStory(story: StoryStanding, event: StoryEvent): StoryDecided {
  switch (event.type) {
    case 'counted':
      return recount(story, event.delta)
    case 'ship':
      return ship(story, event.by, event.commit)
    case 'resume':
      return resume(story, event.by)
    case 'cancel':
      return cancel(story, event.by, event.reason)
    case 'archive':
      return archive(story, event.by, event.archived)
    case 'begun': {
      const work =
        event.task === null || story.wants === null || story.wants === 'sync'
          ? story.work
          : { id: event.task, kind: story.wants }
      return quietly({ ...story, wants: null, work, works: story.works + 1 })
    }
    case 'not-begun':
      return notBegun(story, event.reason)
    case 'worked':
      return story.work?.id === event.work.id ? worked(story, event.work) : quietly(story)
  }
}

/** The way on is the same for all of them: `resume`. */
function notBegun(story: StoryStanding, reason: string): StoryDecided {
  const { id, wants } = story
  if (wants === 'validation') {
    const message = `the deployment could not be validated: ${reason}`
    return moved(story, { ...story, state: 'NEEDS_FIX', wants: null, message }, needsFix(id, message))
  }
  const state = wants === 'deferred' || !isReady(story.tasks) ? 'OPEN' : 'SHIPPABLE'
  const message = `${reason}. Fix that, then: muster ship ${id} --resume`
  return moved(story, { ...story, state, wants: null, message }, notShipped(id, message))
}

/** SHIPPABLE exactly when it is true: something is done, nothing is left, nothing failed, no criterion waits (L1, L2, E-6). */
function recount(story: StoryStanding, delta: StoryCounts): StoryDecided {
  const { tasks } = story
  if (isShipping(story.state) && delta.open > 0) {
    throw new MusterError('gate_closed', `story ${story.id} takes no tasks now: it is ${story.state}`, {
      hint: `wait until it ends (muster story show ${story.id}), then add them`,
    })
  }
  const now: StoryCounts = {
    open: tasks.open + delta.open,
    completed: tasks.completed + delta.completed,
    failed: tasks.failed + delta.failed,
    cancelled: tasks.cancelled + delta.cancelled,
    deferred: tasks.deferred + delta.deferred,
  }
  // What was given up stays so while its tasks end; one that is added or comes back opens and shows it again.
  if (delta.open <= 0)
    return story.state === 'CANCELLED' ? quietly({ ...story, tasks: now }) : settle({ ...story, tasks: now }, story)
  const shown: StoryStanding = story.archived === true ? { ...story, archived: false } : story
  const open: StoryStanding = shown.state === 'CANCELLED' ? { ...shown, state: 'OPEN', message: null } : shown
  return settle({ ...open, tasks: now }, story)
}

/** Cancels a story. What landed on its branch stays there. */
function cancel(story: StoryStanding, by: string, reason: string): StoryDecided {
  const { id, state } = story
  if (isShipping(state)) {
    throw new MusterError('gate_closed', `story ${id} cannot be cancelled: it is ${state}`, {
      hint: `wait until it ends: muster story show ${id}`,
    })
  }
  if (state === 'CANCELLED' || state === 'REVIEW_READY') {
    throw new MusterError('gate_closed', `story ${id} is already ${state}`, { hint: `muster story archive ${id}` })
  }
  const over: StoryStanding = { ...story, state: 'CANCELLED', wants: null, message: reason || null }
  const decided = dropping(over, story)
  return { ...decided, log: [{ type: 'story-cancelled', data: { by, reason } }, ...decided.log] }
}

function archive(story: StoryStanding, by: string, archived: boolean): StoryDecided {
  const { id, state, tasks } = story
  if (archived && (isShipping(state) || tasks.open > 0)) {
    const why = isShipping(state) ? `it is ${state}` : `${tasks.open} of its tasks are still open`
    throw new MusterError('gate_closed', `story ${id} cannot be archived: ${why}`, {
      hint: isShipping(state) ? `muster story show ${id}` : `muster story cancel ${id} ends them`,
    })
  }
  if ((story.archived === true) === archived) return quietly(story)
  const log = [{ type: archived ? 'story-archived' : 'story-unarchived', data: { by } }]
  return { ...quietly({ ...story, archived }), log }
}

function isReady({ open, failed, completed }: StoryCounts): boolean {
  return open === 0 && failed === 0 && completed > 0
}

function isDeferred({ tasks, deferredMet }: StoryStanding): boolean {
  return tasks.deferred > 0 && !deferredMet
}

function settle(story: StoryStanding, before: StoryStanding): StoryDecided {
  if (isShipping(story.state)) return moved(before, story)
  if (!isReady(story.tasks)) {
    const wants = story.wants === 'deferred' ? null : story.wants
    const state = 'OPEN' as const
    // A Ship that stopped half-way, and what was found out of the whole, were of the story as it was.
    const stale = isHalfway(story) || story.work?.kind === 'deferred'
    const message = story.state === state && !stale ? story.message : null
    const open: StoryStanding = { ...story, state, wants, message, deferredMet: false }
    return stale ? dropping(open, before) : moved(before, open)
  }
  if (story.state !== 'OPEN') return moved(before, story)
  if (isDeferred(story)) return moved(before, { ...story, wants: 'deferred', message: null })
  return moved(
    before,
    { ...story, state: 'SHIPPABLE', wants: null, message: null },
    asks(`story ${story.id} is ready to ship: muster ship ${story.id}`, [
      `muster story show ${story.id}`,
      `muster ship ${story.id}`,
    ]),
  )
}

export function isShipping(state: StoryState): boolean {
  return state === 'SHIPPING' || state === 'DEPLOYED' || state === 'VALIDATING'
}

function ship(story: StoryStanding, by: string, commit: string | undefined): StoryDecided {
  if (story.state !== 'SHIPPABLE') throw cannotShip(story)
  return goOn(story, 'ship', by, commit)
}

/** A Ship that landed something, or could not be tried, and waits. */
export function isHalfway({ work, message }: StoryStanding): boolean {
  return work?.kind === 'ship' && message !== null
}

/** Continues whatever stopped with a message to people: a Ship, or the deferred criteria before it. */
function resume(story: StoryStanding, by: string): StoryDecided {
  const { id, state, message, tasks, wants } = story
  // It goes on already, or does so with the next Muster: whoever asks may follow it.
  if (message === null && isShipping(state)) return quietly(story)
  if (message !== null && (state === 'SHIPPABLE' || state === 'SHIPPING')) return goOn(story, 'ship-resumed', by)
  if (message !== null && state === 'OPEN' && wants === null && isReady(tasks) && isDeferred(story)) {
    const again: StoryStanding = { ...story, wants: 'deferred', message: null }
    const decided = story.work?.kind === 'deferred' ? dropping(again, story) : moved(story, again)
    return { ...decided, log: [{ type: 'deferred-resumed', data: { by } }, ...decided.log] }
  }
  throw new MusterError('gate_closed', `${id} has nothing to resume: it is ${state}`, {
    hint: state === 'SHIPPABLE' ? `muster ship ${id}` : `muster story show ${id}`,
  })
}

function goOn(story: StoryStanding, type: 'ship' | 'ship-resumed', by: string, commit?: string): StoryDecided {
  const log = { type, data: commit === undefined ? { by } : { by, commit } }
  const wanted = commit ?? null
  const begun: StoryStanding = { ...story, state: 'SHIPPING', shippedBy: by, wanted, message: null }
  // What landed stays landed, and is deployed; one that landed nothing is of the story as it was then.
  const decided: StoryDecided = !isHalfway(story)
    ? moved(story, { ...begun, wants: 'ship' })
    : story.landed === null
      ? dropping({ ...begun, wants: 'ship' }, story)
      : { ...moved(story, begun), also: [{ task: story.work?.id ?? '', event: 'retry' }] }
  return { ...decided, log: [log, ...decided.log] }
}

/** Its own task is no longer needed. */
function dropping(story: StoryStanding, before: StoryStanding): StoryDecided {
  const decided = moved(before, { ...story, work: null })
  return { ...decided, also: story.work === null ? [] : [{ task: story.work.id, event: 'supersede' }] }
}

function cannotShip(story: StoryStanding): MusterError {
  const { id, state, message } = story
  const { open, failed, completed } = story.tasks
  const left = [
    ...(open > 0 ? [open === 1 ? '1 task is still open' : `${open} tasks are still open`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(completed === 0 ? ['no task is completed'] : []),
    ...(open === 0 && isDeferred(story) ? ['deferred criteria are still open'] : []),
  ]
  const why = state === 'OPEN' && left.length > 0 ? `: ${left.join(', ')}` : message === null ? '' : `: ${message}`
  const hint = state === 'SHIPPING' && message !== null ? `muster ship ${id} --resume` : `muster story show ${id}`
  return new MusterError('gate_closed', `story ${id} cannot be shipped: it is ${state}${why}`, { hint })
}

function worked(story: StoryStanding, work: WorkEnd): StoryDecided {
  switch (story.work?.kind) {
    case 'ship':
      return shipped(story, work)
    case 'validation':
      return validated(story, work)
    default:
      return checkedDeferred(story, work)
  }
}

function shipped(story: StoryStanding, work: WorkEnd): StoryDecided {
  const { end, phase, refused, reason, landed, unknownDeploy } = work
  if (story.state !== 'SHIPPING') return quietly(story)
  if (end === 'started') return quietly(story)
  if (end === 'completed') {
    return moved(story, { ...story, state: 'DEPLOYED', wants: 'validation', landed, message: null })
  }
  if (end === 'held' && unknownDeploy) {
    const message = `${reason}. Check it, then: muster ship ${story.id} --deployed -m "what you saw", or --resume to run it again`
    const next = [`muster ship ${story.id} --deployed -m "what you saw"`, `muster ship ${story.id} --resume`]
    return moved(story, { ...story, landed, message }, asks(`story ${story.id}: ${message}`, next))
  }
  if (refused && (phase === 'verify' || phase === 'land')) {
    const message = `it ${phase === 'land' ? 'cannot land on' : 'does not merge cleanly with'} its base: ${reason}`
    const open: StoryStanding = { ...story, state: 'OPEN', wants: 'sync', message }
    // A task brings both together: nobody is asked for anything.
    const notice = {
      ...notShipped(story.id, message),
      kind: 'failed' as const,
      next: [`muster story show ${story.id}`],
    }
    return { ...dropping(open, story), notice }
  }
  const what = landed === null ? 'the base is unchanged' : `${landed.slice(0, 12)} is already on the base`
  const why =
    end === 'cancelled' ? `it was cancelled${phase === null ? '' : ` at ${phase}`}${reason && `: ${reason}`}` : reason
  const message = `${why} (${what}). To continue: muster ship ${story.id} --resume`
  return moved(story, { ...story, state: 'SHIPPABLE', landed, message }, notShipped(story.id, message))
}

function validated(story: StoryStanding, { end, reason, validated: looked }: WorkEnd): StoryDecided {
  // A person may have it run again, or take it over, as long as nothing was added to the story.
  if (story.state !== 'DEPLOYED' && story.state !== 'VALIDATING' && story.state !== 'NEEDS_FIX') return quietly(story)
  if (end === 'started') return moved(story, { ...story, state: 'VALIDATING', message: null })
  if (end === 'completed') {
    const text = `story ${story.id} is deployed and ${looked ? 'validated' : 'not validated'}: it is ready for review`
    const notice = { kind: 'shipped' as const, text, next: [`muster story show ${story.id}`] }
    return moved(
      story,
      { ...story, state: 'REVIEW_READY', validated: looked, message: looked ? null : NOT_VALIDATED },
      notice,
    )
  }
  const message = `its validation failed: ${reason}`
  return moved(story, { ...story, state: 'NEEDS_FIX', message }, needsFix(story.id, message))
}

function checkedDeferred(story: StoryStanding, { end, reason }: WorkEnd): StoryDecided {
  if (story.state !== 'OPEN' || end === 'started') return quietly(story)
  if (end === 'completed') {
    const met = { ...story, deferredMet: true, message: null }
    return settle(met, story)
  }
  const message = `its deferred criteria are not met: ${reason}. Fix it with a new task (muster add --story ${story.id}), or run them again: muster ship ${story.id} --resume`
  const next = [`muster story show ${story.id}`, `muster ship ${story.id} --resume`]
  return moved(story, { ...story, message }, asks(`story ${story.id} cannot be shipped: ${message}`, next))
}

const asks = (text: string, next: readonly string[]): StoryNotice => ({ kind: 'needs-you', text, next })

function notShipped(id: string, message: string): StoryNotice {
  return asks(`story ${id} is not shipped: ${message}`, [`muster story show ${id}`, `muster ship ${id} --resume`])
}

function needsFix(id: string, message: string): StoryNotice {
  return asks(`story ${id} needs a fix: ${message}`, [`muster story show ${id}`, `muster story fix ${id}`])
}

function quietly(standing: StoryStanding): StoryDecided {
  return { standing, log: [], also: [], notice: null }
}

function moved(before: StoryStanding, standing: StoryStanding, notice: StoryNotice | null = null): StoryDecided {
  const changed = before.state !== standing.state || before.message !== standing.message
  const log = changed
    ? [{ type: 'story-moved', data: { from: before.state, to: standing.state, message: standing.message } }]
    : []
  return { standing, log, also: [], notice }
}
