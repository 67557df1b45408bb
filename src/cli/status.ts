/**
 * muster status: stories with their counts, open and failed tasks, and the commands that answer them. Reads one page,
 * however many tasks there are.
 */
import { describeUsd } from '../domain/cost.ts'
import { formatDuration } from '../domain/duration.ts'
import { MusterError } from '../domain/errors.ts'
import type { Stage } from '../domain/task/stage.ts'
import { runningEngine, systemClock } from '../app.ts'
import { describeLimit } from '../domain/task/reasons.ts'
import { findTask } from '../engine/meant.ts'
import { olderLine } from '../engine/views/outdated.ts'
import type { StatusView } from '../engine/views/overview.ts'
import { statusView } from '../engine/views/overview.ts'
import type { Place } from '../project.ts'
import { setupsUnderWay, type SetupUnderWay } from '../run-logs.ts'
import type { Io, Paint } from './io.ts'
import { oneLine, paintWith, printJson } from './io.ts'
import { presentConfig, reading, storyOption } from './session.ts'
import { unpushedText } from '../engine/views/unpushed.ts'
import { unsavedLine } from './unsaved.ts'

const MARK: Record<Stage, [string, keyof Paint]> = {
  pending: ['·', 'dim'],
  blocked: ['◌', 'dim'],
  running: ['▸', 'cyan'],
  checking: ['▸', 'cyan'],
  review: ['?', 'yellow'],
  landing: ['▸', 'cyan'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['–', 'dim'],
}

export async function status(io: Io, _: string[], options: Record<string, unknown>): Promise<void> {
  const limit = limitOf(options['limit'], 'muster status --limit 50')
  await reading(io, async (store, place) => {
    const story = await storyOption(store, options)
    const after = typeof options['after'] === 'string' ? await findTask(store, options['after']) : undefined
    const query = { story, open: options['all'] === true ? undefined : true, after, limit }
    const view = await statusView(store, place.dataDir, query, systemClock.now(), await presentConfig(io, place))
    const setups = await setupsNow(place)
    if (options['json'] === true) return printJson(io, { ...view, setups })
    io.out(render(view, paintWith(io.color)))
    for (const one of setups) io.out(`\n${setupText(one)}\n`)
    for (const limit of view.limited) io.out(`${describeLimit(limit)}\n`)
    for (const one of view.unpushed) io.out(`\n${oneLine(unpushedText(one), 1000)}\n`)
    const line = unsavedLine(view.unsaved)
    if (line !== null) io.out(`\n${line}\n`)
    if (view.older !== null) io.out(`\n${oneLine(olderLine(view.older), 400)}\n`)
  })
}

/** Beside nobody at work there is none. */
export async function setupsNow(place: Place): Promise<SetupUnderWay[]> {
  const setups = await setupsUnderWay(place)
  if (setups.length === 0) return []
  const engine = await runningEngine(place)
  engine?.close()
  return engine === null ? [] : setups
}

export function setupText({ since, line, log }: SetupUnderWay): string {
  const clock = formatDuration(Math.max(0, systemClock.now() - Date.parse(since)))
  return `setup, for ${clock} now: ${oneLine(line, 120) || 'no output yet'}\n    ${log}`
}

export function limitOf(given: unknown, hint: string): number {
  const limit = Number(given)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit
  throw new MusterError('usage', `--limit ${String(given)} is not a number from 1 to 1000`, { hint })
}

function render({ counts, stories, tasks, next, paused }: StatusView, paint: Paint): string {
  const total = Object.entries(counts).filter(([, n]) => n > 0)
  if (total.length === 0) return 'no tasks yet: muster run plan.yaml, muster run "one sentence", or muster add\n'
  const lines = [`${total.map(([name, n]) => `${n} ${name}`).join(', ')}${paused ? '  (paused: muster resume)' : ''}`]
  for (const story of stories.slice(0, 20)) {
    const done = story.tasks.completed
    const all = Object.values(story.tasks).reduce((sum, n) => sum + n, 0)
    const { usd } = story.cost
    const cost = usd === null ? '' : `  ${paint.dim(describeUsd(usd))}`
    lines.push(
      `${paint.bold(story.id)}  ${oneLine(story.name, 60)}  ${story.state}, ${done}/${all} on ${story.branch}${cost}`,
    )
  }
  if (stories.length > 20) lines.push(`… and ${stories.length - 20} more stories`)
  if (tasks.length > 0) lines.push('')
  lines.push(...taskRows(tasks, paint))
  if (next !== null) lines.push(`… more: muster status --after ${next}`)
  return `${lines.join('\n')}\n`
}

export function taskRows(tasks: StatusView['tasks'], paint: Paint): string[] {
  const width = Math.max(0, ...tasks.map(({ id }) => id.length))
  return tasks.flatMap((task) => {
    const plain = task.stage !== 'completed' || task.caveats.length === 0
    const [mark, color]: [string, keyof Paint] = plain ? MARK[task.stage] : ['~', 'yellow']
    const where = task.phase === null ? task.stage : `${task.stage}:${task.phase}`
    const waits = [task.failureReason ?? task.waitingFor ?? '', ...task.caveats].filter(Boolean).join('; ')
    const round = task.round > 0 ? ` r${task.round}` : ''
    const line = `${paint[color](mark)} ${task.id.padEnd(width)}  ${(where + round).padEnd(18)}  ${oneLine(task.title, 50)}  ${paint.dim(oneLine(waits, 80))}`
    return task.next.length > 0 ? [line, `    ${paint.dim(task.next.join('   '))}`] : [line]
  })
}
