/** The whole project, page by page: its state and its cost. The same for every surface. */
import type { ProjectConfig } from '../../domain/config.ts'
import type { Cost } from '../../domain/cost.ts'
import { costOf, startOfDay } from '../../domain/cost.ts'
import { MusterError } from '../../domain/errors.ts'
import { naturalKey } from '../../domain/ids.ts'
import type { Stage } from '../../domain/task/stage.ts'
import type { Story, TaskStatus } from '../../domain/task/task.ts'
import type { ListedTask, ListQuery, SpentLine, Store } from '../../ports/store.ts'
import { unsavedRuns } from '../jobs/disk.ts'
import type { Limited } from '../loop/rate-limits.ts'
import type { OlderConfig } from './outdated.ts'
import { olderConfig } from './outdated.ts'
import { limitedPrograms } from '../loop/rate-limits.ts'
import { unpushed } from './unpushed.ts'
import type { StoryView, TaskLine } from './views.ts'
import { iso, storyView, taskLines } from './views.ts'
import { listedStories } from './story-lists.ts'

/** A task in a list, with the version that a decision about it may name. */
export type ListedLine = TaskLine & { version: number }

interface TaskPage {
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
  /** What landed and its remote has refused. */
  unpushed: { branch: string; commit: string; why: string; next: string }[]
  /** Open tasks that work under an older muster.yaml; null: none, or it cannot be read. */
  older: OlderConfig | null
}

interface CostView {
  /** `workMs`: how long the runs took together. */
  total: { runs: number; workMs: number } & Cost
  lines: ({ day: string; story: string | null; role: string; program: string; runs: number; workMs: number } & Cost)[]
}

export async function requireStory(store: Store, id: string): Promise<Story> {
  const story = await store.story(id)
  if (story !== null) return story
  throw new MusterError('not_found', `there is no story "${id}"`, { hint: 'muster status lists them' })
}

/** `failed`: with those that are open, also what failed, in one order. */
type PageQuery = ListQuery & { failed?: boolean | undefined }

async function listed(store: Store, { failed = false, ...query }: PageQuery): Promise<ListedTask[]> {
  const limit = query.limit + 1
  const found = await store.listTasks({ ...query, limit })
  if (!failed || query.open !== true) return found
  const lost = await store.listTasks({ ...query, open: undefined, status: 'failed', limit })
  const key = ({ spec }: ListedTask) => naturalKey(spec.id)
  return [...found, ...lost].toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, limit)
}

export async function taskPage(store: Store, query: PageQuery, limited: readonly Limited[]): Promise<TaskPage> {
  if (query.story !== undefined) await requireStory(store, query.story)
  const found = await listed(store, query)
  const page = found.slice(0, query.limit)
  const lines = await taskLines(store, page, limited)
  const tasks = lines.map((line, index) => ({ ...line, version: page[index]?.version ?? 0 }))
  return { tasks, next: found.length > query.limit ? (tasks.at(-1)?.id ?? null) : null }
}

/** The first tasks at one of these stages; null: at any. A stage is stored nowhere, so pages are read until there are enough. */
export async function stagePage(
  store: Store,
  query: ListQuery,
  stages: ReadonlySet<Stage> | null,
  limited: readonly Limited[],
): Promise<TaskPage> {
  const tasks: ListedLine[] = []
  let { after } = query
  for (;;) {
    const page = await taskPage(store, { ...query, after }, limited)
    const fitting = page.tasks.filter(({ stage }) => stages === null || stages.has(stage))
    const room = query.limit - tasks.length
    tasks.push(...fitting.slice(0, room))
    const more = page.next !== null || fitting.length > room
    if (page.next === null || tasks.length === query.limit)
      return { tasks, next: more ? (tasks.at(-1)?.id ?? null) : null }
    after = page.next
  }
}

/** `dataDir`: where workspaces with unsaved work would be. `config`: what muster.yaml says now; null: it cannot be read. */
export async function statusView(
  store: Store,
  dataDir: string,
  query: ListQuery,
  now: number,
  config: ProjectConfig | null,
): Promise<StatusView> {
  const { story } = query
  const limited = await limitedPrograms(store, now)
  const page = await taskPage(store, { ...query, failed: true }, limited)
  const stories =
    story === undefined ? await listedStories(store, query.open !== true) : [await requireStory(store, story)]
  return {
    counts: await store.countByStatus(story),
    paused: (await store.setting('paused')) !== null,
    limited: limited.map(({ program, until }) => ({ program, until: iso(until) })),
    stories: await Promise.all(stories.map((item) => storyView(store, item))),
    ...page,
    unsaved: (await unsavedRuns(dataDir, store)).length,
    unpushed: (await unpushed(store)).map(({ since: _, ...one }) => one),
    older: config === null ? null : await olderConfig(store, config, story),
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
