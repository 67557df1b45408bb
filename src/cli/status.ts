/** muster status: stories with their counts, and the tasks that are open. Looks at one page, however many there are. */
import { describeUsd } from '../domain/cost.ts'
import { MusterError } from '../domain/errors.ts'
import type { Stage } from '../domain/stage.ts'
import { describeLimit, type Limited } from '../engine/lanes.ts'
import { iso, storyView, taskLines } from '../engine/views.ts'
import type { StoryView, TaskLine } from '../engine/views.ts'
import type { Io, Paint } from './io.ts'
import { oneLine, paintWith, printJson } from './io.ts'
import { limitedNow, reading } from './session.ts'
import { countUnsaved, unsavedLine } from './unsaved.ts'
import { findTask } from '../engine/commands.ts'

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
  const limit = Number(options['limit'])
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new MusterError('usage', `--limit ${String(options['limit'])} is no number from 1 to 1000`, {
      hint: 'muster status --limit 50',
    })
  }
  await reading(io, async (store, place) => {
    const story = typeof options['story'] === 'string' ? options['story'] : undefined
    if (story !== undefined && (await store.story(story)) === null) {
      throw new MusterError('not_found', `there is no story "${story}"`, { hint: 'muster status lists them' })
    }
    const counts = await store.countByStatus(story)
    const stories = await Promise.all(
      (await store.stories())
        .filter(({ id }) => story === undefined || id === story)
        .map((item) => storyView(store, item)),
    )
    const after = typeof options['after'] === 'string' ? await findTask(store, options['after']) : undefined
    const query = { story, open: options['all'] === true ? undefined : true, after }
    const page = await store.listTasks({ ...query, limit: limit + 1 })
    const limited = await limitedNow(store)
    const tasks = await taskLines(store, page.slice(0, limit), limited)
    const next = page.length > limit ? (tasks.at(-1)?.id ?? null) : null
    const paused = (await store.setting('paused')) !== null
    const unsaved = await countUnsaved(store, place)
    if (options['json'] === true)
      return printJson(io, { counts, paused, limited: limited.map(limitView), stories, tasks, next, unsaved })
    io.out(render(counts, stories, tasks, next, paused, paintWith(io.color)))
    for (const limit of limited) io.out(`${describeLimit(limit)}\n`)
    const line = unsavedLine(unsaved)
    if (line !== null) io.out(`\n${line}\n`)
  })
}

const limitView = ({ program, until }: Limited) => ({ program, until: iso(until) })

function render(
  counts: Record<string, number>,
  stories: readonly StoryView[],
  tasks: readonly TaskLine[],
  next: string | null,
  paused: boolean,
  paint: Paint,
): string {
  const total = Object.entries(counts).filter(([, n]) => n > 0)
  if (total.length === 0) return 'no tasks yet: muster run plan.yaml, muster run "one sentence", or muster add\n'
  const lines = [`${total.map(([name, n]) => `${n} ${name}`).join(', ')}${paused ? '  (paused: muster resume)' : ''}`]
  for (const story of stories.slice(0, 20)) {
    const done = story.tasks.completed
    const all = Object.values(story.tasks).reduce((sum, n) => sum + n, 0)
    const { usd } = story.cost
    const cost = usd === null ? '' : `  ${paint.dim(describeUsd(usd))}`
    lines.push(`${paint.bold(story.id)}  ${oneLine(story.name, 60)}  ${done}/${all} on ${story.branch}${cost}`)
  }
  if (stories.length > 20) lines.push(`… and ${stories.length - 20} more stories`)
  if (tasks.length > 0) lines.push('')
  const width = Math.max(0, ...tasks.map(({ id }) => id.length))
  for (const task of tasks) {
    const [mark, color] = MARK[task.stage]
    const where = task.phase === null ? task.stage : `${task.stage}:${task.phase}`
    const waits = task.failureReason ?? task.waitingFor ?? ''
    const round = task.round > 0 ? ` r${task.round}` : ''
    lines.push(
      `${paint[color](mark)} ${task.id.padEnd(width)}  ${(where + round).padEnd(18)}  ${oneLine(task.title, 50)}  ${paint.dim(oneLine(waits, 80))}`,
    )
  }
  if (next !== null) lines.push(`… more: muster status --after ${next}`)
  return `${lines.join('\n')}\n`
}
