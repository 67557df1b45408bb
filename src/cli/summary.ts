/** How a run ended: its report, its exit code, and the words that name the branch, the diff and the next command. */
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

const isForLimit = (reason: ReasonView | null, program: string): boolean =>
  reason?.code === 'program-limit' && reason.params.program === program

export function summaryText(report: RunReport): string {
  const { story, tasks, interrupted, paused } = report
  const count = (status: string) => tasks.filter((task) => task.status === status).length
  const counts = ['completed', 'in-progress', 'not-started', 'failed', 'cancelled']
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`)
  const lines = [`${story === null ? 'open tasks' : `story ${story.id}`}: ${counts.join(', ') || 'nothing to do'}`]
  for (const task of tasks.filter(({ status }) => status === 'failed')) {
    lines.push(
      `  ✗ ${task.id} failed: ${oneLine(task.failureReason ?? '', 200)}`,
      `      muster explain ${task.id}   muster retry ${task.id}`,
    )
  }
  for (const task of tasks.filter(({ stage }) => stage === 'review')) {
    lines.push(
      `  ? ${task.id} waits for ${oneLine(task.waitingFor ?? 'a person', 500)}`,
      `      ${task.next.join('   ')}`,
    )
  }
  for (const task of tasks.filter(({ stage }) => stage === 'blocked' && !interrupted)) {
    lines.push(`  ◌ ${oneLine(task.waitingFor ?? task.id, 200)}`)
  }
  for (const { id, caveats } of tasks.filter((task) => task.caveats.length > 0)) {
    lines.push(`  ~ ${id}: ${oneLine(caveats.join('; '), 200)}`)
  }
  lines.push(...(report.interruption ?? []))
  for (const limit of report.limited) {
    const waits = tasks.filter(({ reason }) => isForLimit(reason, limit.program)).length
    if (waits > 0) lines.push(`  ${describeLimit(shownLimit(limit))}: then muster run goes on with ${waits} of these`)
  }
  if (paused) lines.push('  paused: muster resume, then muster run')
  if (story !== null && count('completed') > 0) {
    const over = tasks.every(({ status }) => status === 'completed' || status === 'cancelled')
    lines.push(
      `  branch  ${story.branch}`,
      `  diff    git diff ${story.base}...${story.branch}`,
      ...(interrupted ? [] : [`  next    ${over ? `muster ship ${story.id}` : 'answer the above, then muster run'}`]),
    )
  }
  if (story === null) {
    for (const { id, target, contract, caveats } of tasks.filter(({ status }) => status === 'completed'))
      lines.push(
        contract?.type === 'advisory'
          ? `  ✓ ${id} is answered: muster show ${id}`
          : `  ${caveats.length === 0 ? '✓' : '~'} ${id} is on ${target}: muster diff ${id}`,
      )
  }
  for (const id of report.ready.slice(0, 10)) lines.push(`  story ${id} is ready: muster ship ${id}`)
  const left = unsavedLine(report.unsaved)
  if (left !== null) lines.push(`  ${left}`)
  return `${lines.join('\n')}\n`
}
