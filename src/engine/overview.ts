/** What Muster shows of a whole project, page by page: its standing and what it has cost. The same for every surface. */
import type { Cost } from '../domain/cost.ts'
import { costOf, startOfDay } from '../domain/cost.ts'
import { MusterError } from '../domain/errors.ts'
import type { Story, TaskStatus } from '../domain/task.ts'
import type { ListQuery, SpentLine, Store } from '../ports/store.ts'
import { unsavedRuns } from './disk.ts'
import type { Limited } from './lanes.ts'
import { limitedPrograms } from './lanes.ts'
import type { StoryView, TaskLine } from './views.ts'
import { iso, storyView, taskLines } from './views.ts'

/** A task in a list, with the version that a decision about it may name. */
export type ListedLine = TaskLine & { version: number }

export interface TaskPage {
  tasks: ListedLine[]
  /** The id behind which the next page starts; null: this is the last. */
  next: string | null
}

export interface StatusView extends TaskPage {
  counts: Record<TaskStatus, number>
  paused: boolean
  limited: { program: string; until: string }[]
  stories: StoryView[]
  /** Workspaces whose work could not be saved. */
  unsaved: number
}

export interface CostView {
  /** `workMs`: how long the runs took together. */
  total: { runs: number; workMs: number } & Cost
  lines: ({ day: string; story: string | null; role: string; program: string; runs: number; workMs: number } & Cost)[]
}

export async function requireStory(store: Store, id: string): Promise<Story> {
  const story = await store.story(id)
  if (story !== null) return story
  throw new MusterError('not_found', `there is no story "${id}"`, { hint: 'muster status lists them' })
}

export async function taskPage(store: Store, query: ListQuery, limited: readonly Limited[]): Promise<TaskPage> {
  if (query.story !== undefined) await requireStory(store, query.story)
  const found = await store.listTasks({ ...query, limit: query.limit + 1 })
  const page = found.slice(0, query.limit)
  const lines = await taskLines(store, page, limited)
  const tasks = lines.map((line, index) => ({ ...line, version: page[index]?.version ?? 0 }))
  return { tasks, next: found.length > query.limit ? (tasks.at(-1)?.id ?? null) : null }
}

/** `dataDir`: where workspaces with unsaved work would be. */
export async function statusView(store: Store, dataDir: string, query: ListQuery, now: number): Promise<StatusView> {
  const { story } = query
  const limited = await limitedPrograms(store, now)
  const page = await taskPage(store, query, limited)
  const stories = story === undefined ? await store.stories() : [await requireStory(store, story)]
  return {
    counts: await store.countByStatus(story),
    paused: (await store.setting('paused')) !== null,
    limited: limited.map(({ program, until }) => ({ program, until: iso(until) })),
    stories: await Promise.all(stories.map((item) => storyView(store, item))),
    ...page,
    unsaved: (await unsavedRuns(dataDir, store)).length,
  }
}

export async function costView(store: Store, story: string | undefined): Promise<CostView> {
  return costOfLines(await spentLines(store, story))
}

export async function spentLines(store: Store, story: string | undefined): Promise<SpentLine[]> {
  if (story !== undefined) await requireStory(store, story)
  return store.spent({ story })
}

export function costOfLines(lines: readonly SpentLine[]): CostView {
  const line = ({ day, story, role, program, runs, workMs, ...spent }: SpentLine) => {
    return { day: dayText(day), story, role, program, runs, workMs, ...costOf([{ runs, ...spent }]) }
  }
  const total = { runs: 0, workMs: 0, ...costOf(lines) }
  for (const { runs, workMs } of lines) {
    total.runs += runs
    total.workMs += workMs
  }
  return { total, lines: lines.map(line) }
}

/** The day of a line: see domain/cost.ts. */
export const dayText = (day: number): string => iso(startOfDay(day)).slice(0, 10)
