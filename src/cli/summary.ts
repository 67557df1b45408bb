/**
 * The end of `muster run`: its report, its exit code, and the lines that name the branch, the diff and the next
 * command.
 */
import { ERROR_CODES } from '../domain/errors.ts'
import { describeLimit } from '../domain/task/reasons.ts'
import { shownLimit, type Limited } from '../engine/loop/rate-limits.ts'
import type { SubmitResult } from '../engine/loop/submit.ts'
import type { StoryView, TaskView } from '../engine/views/views.ts'
import type { ReasonView } from '../engine/views/why.ts'
import { eachTask, storyTaskViews, storyView, taskViews } from '../engine/views/views.ts'
import type { Store } from '../ports/store.ts'
import type { Place } from '../project.ts'
import { oneLine } from './io.ts'
import { limitedNow } from './session.ts'
import { countUnsaved, unsavedLine } from './unsaved.ts'

export interface RunReport {
  story: StoryView | null
  tasks: TaskView[]
  interrupted: boolean
  /** After Ctrl-C: what was begun, what was stopped, and what comes next. */
  interruption?: readonly string[]
  paused: boolean
  /** The plan had nothing left to do. */
  nothingToDo: boolean
  /** Workspaces whose work could not be saved. */
  unsaved: number
  /** Agent programs that start nothing now. */
  limited: Limited[]
  /** Stories that a person can ship, where the run was about everything. */
  ready: string[]
}

/** What is open: without a plan, the report is about what was open before the run and whatever was added since. */
export async function openBefore(store: Store): Promise<string[]> {
  const ids: string[] = []
  for await (const { spec } of eachTask(store, { open: true })) ids.push(spec.id)
  return ids
}

export async function reportOn(
  store: Store,
  place: Place,
  run: { submitted: SubmitResult | null; before: ReadonlySet<string>; interrupted: boolean },
): Promise<RunReport> {
  const { submitted, interrupted } = run
  const paused = (await store.setting('paused')) !== null
  const unsaved = await countUnsaved(store, place)
  const limited = await limitedNow(store)
  if (submitted !== null) {
    const story = await store.story(submitted.story)
    return {
      story: story === null ? null : await storyView(store, story),
      tasks: await storyTaskViews(store, submitted.story, limited),
      interrupted,
      paused,
      nothingToDo: submitted.over && submitted.added.length === 0,
      unsaved,
      limited,
      ready: [],
    }
  }
  const ids = new Set([...run.before, ...(await openBefore(store))])
  const tasks = await taskViews(store, ids, limited)
  const ready = await readyStories(store)
  return { story: null, tasks, interrupted, paused, nothingToDo: tasks.length === 0, unsaved, limited, ready }
}

async function readyStories(store: Store): Promise<string[]> {
  const ready = (await store.standings()).filter(({ state, archived }) => state === 'SHIPPABLE' && archived !== true)
  return ready.map(({ id }) => id)
}

/** First that applies: interrupted, a task failed, somebody is waited for, all is well. */
export function exitCodeOf({ tasks, interrupted }: RunReport): number {
  if (interrupted) return ERROR_CODES.interrupted.exit
  if (tasks.some(({ status }) => status === 'failed')) return ERROR_CODES.failed.exit
  const open = tasks.some(({ status }) => status === 'not-started' || status === 'in-progress')
  return open ? ERROR_CODES.waiting.exit : 0
}

const STATUSES = ['completed', 'in-progress', 'not-started', 'failed', 'cancelled'] as const

/** One part after the other, each as long as it has something to say. */
export function summaryText(report: RunReport): string {
  const { story, tasks } = report
  const counts = STATUSES.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length
    return count === 0 ? [] : [`${count} ${status}`]
  })
  const unsaved = unsavedLine(report.unsaved)
  const lines = [
    `${story === null ? 'open tasks' : `story ${story.id}`}: ${counts.join(', ') || 'nothing to do'}`,
    ...attentionLines(report),
    ...(report.interruption ?? []),
    ...limitLines(report),
    ...(report.paused ? ['  paused: muster resume, then muster run'] : []),
    ...(story === null ? doneLines(tasks) : branchLines(story, report)),
    ...report.ready.slice(0, 10).map((id) => `  story ${id} is ready: muster ship ${id}`),
    ...(unsaved === null ? [] : [`  ${unsaved}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** What went wrong, what somebody is waited for, what waits for something else, and what holds only with caveats. */
function attentionLines({ tasks, interrupted }: RunReport): string[] {
  const failed = tasks.filter(({ status }) => status === 'failed')
  const asking = tasks.filter(({ stage }) => stage === 'review')
  const blocked = tasks.filter(({ stage }) => stage === 'blocked' && !interrupted)
  const doubtful = tasks.filter(({ caveats }) => caveats.length > 0)
  return [
    ...failed.flatMap(({ id, failureReason }) => [
      `  ✗ ${id} failed: ${oneLine(failureReason ?? '', 200)}`,
      `      muster explain ${id}   muster retry ${id}`,
    ]),
    ...asking.flatMap(({ id, waitingFor, next }) => [
      `  ? ${id} is waiting: ${oneLine(waitingFor ?? 'a person must decide', 500)}`,
      `      ${next.join('   ')}`,
    ]),
    ...blocked.map(({ id, waitingFor, reason }) => {
      const waits = reason?.code === 'deadlock' ? reason.text : `${id}: ${waitingFor ?? ''}`
      return `  ◌ ${oneLine(waits, 200)}`
    }),
    ...doubtful.map(({ id, caveats }) => `  ~ ${id}: ${oneLine(caveats.join('; '), 200)}`),
  ]
}

function limitLines({ limited, tasks }: RunReport): string[] {
  return limited.flatMap((limit) => {
    const waits = tasks.filter(({ reason }) => isForLimit(reason, limit.program)).length
    return waits === 0
      ? []
      : [`  ${describeLimit(shownLimit(limit))}; after that, muster run continues ${waits} of these`]
  })
}

const isForLimit = (reason: ReasonView | null, program: string): boolean =>
  reason?.code === 'program-limit' && reason.params.program === program

/** Of a story with completed tasks: where they are, what they changed, and what comes next. */
function branchLines({ id, branch, base }: StoryView, { tasks, interrupted }: RunReport): string[] {
  if (!tasks.some(({ status }) => status === 'completed')) return []
  const over = tasks.every(({ status }) => status === 'completed' || status === 'cancelled')
  return [
    `  branch  ${branch}`,
    `  diff    git diff ${base}...${branch}`,
    ...(interrupted ? [] : [`  next    ${over ? `muster ship ${id}` : 'answer the questions above, then muster run'}`]),
  ]
}

/** Of tasks without a story, each is on its branch, or is an answer. */
function doneLines(tasks: readonly TaskView[]): string[] {
  return tasks
    .filter(({ status }) => status === 'completed')
    .map(({ id, target, contract, caveats }) =>
      contract?.type === 'advisory'
        ? `  ✓ ${id} is answered: muster show ${id}`
        : `  ${caveats.length === 0 ? '✓' : '~'} ${id} is on ${target}: muster diff ${id}`,
    )
}
