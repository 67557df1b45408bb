/** Reading tasks: one, a page, the open ones, and their counts. */
import { sql } from 'kysely'
import { naturalKey } from '../../domain/ids.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import type { ListedTask, ListQuery, OpenTask, StoredTask } from '../../ports/store.ts'
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'
import type { ListedRow } from '../task-row.ts'
import { LISTED_COLUMNS, TaskReader } from '../task-row.ts'
import { inChunks } from './in-chunks.ts'
import { parsePhaseMap, PhaseMaps } from './phase-map.ts'

const openPageTasks = 500

const taskRow = prepare((db, p: { id: string }) =>
  db
    .selectFrom('tasks')
    .innerJoin('task_texts', 'task_texts.task_id', 'tasks.id')
    .innerJoin('phase_maps', 'phase_maps.hash', 'tasks.phases_hash')
    .select(LISTED_COLUMNS)
    .select(['definition_hash', 'instructions', 'acceptance_criteria', 'phase_maps.body as phases'])
    .where('tasks.id', '=', p.id),
)

export async function findTask(db: Db, id: string): Promise<StoredTask | null> {
  const row = await taskRow.first(db, { id })
  if (row === undefined) return null
  const { spec, ...rest } = new TaskReader().task(row, parsePhaseMap(row.phases))
  const texts = { instructions: row.instructions, acceptanceCriteria: row.acceptance_criteria }
  return { ...rest, spec: { ...spec, ...texts }, definitionHash: row.definition_hash }
}

export async function listTasks(db: Db, query: ListQuery): Promise<ListedTask[]> {
  return page(db, query, new PhaseMaps(), new TaskReader())
}

/** All of them, page by page. Only the engine asks, and it is the only writer: the pages belong together. */
export async function* openTasks(db: Db): AsyncGenerator<OpenTask[]> {
  const maps = new PhaseMaps()
  const reader = new TaskReader()
  for (let after: string | undefined; ;) {
    const rows = await page(db, { open: true, checkers: true, after, limit: openPageTasks }, maps, reader)
    yield rows
    if (rows.length < openPageTasks) return
    after = rows.at(-1)?.spec.id
  }
}

async function page(
  db: Db,
  { story, open, status, after, limit, checkers = false }: ListQuery & { checkers?: boolean },
  maps: PhaseMaps,
  reader: TaskReader,
): Promise<ListedTask[]> {
  let query = db.selectFrom('tasks').select(LISTED_COLUMNS).orderBy('sort_key').limit(limit)
  if (story !== undefined) query = query.where('story_id', '=', story)
  if (!checkers) query = query.where('checker_for', 'is', null).where('works_for', 'is', null)
  if (open === true) query = query.where('open', '=', 1)
  if (status !== undefined) query = query.where('status', '=', status)
  if (after !== undefined) query = query.where('sort_key', '>', naturalKey(after))
  return tasksOf(db, await query.execute(), maps, reader)
}

export async function idleTasks(db: Db, limit: number, story?: string): Promise<ListedTask[]> {
  let query = db
    .selectFrom('tasks')
    .select(LISTED_COLUMNS)
    .where(sql.lit(1), '=', sql.ref<number>('idle'))
    .where('checker_for', 'is', null)
    .where('works_for', 'is', null)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit)
  if (story !== undefined) query = query.where('story_id', '=', story)
  return tasksOf(db, await query.execute(), new PhaseMaps(), new TaskReader())
}

export async function deadlockedTasks(db: Db, limit: number) {
  return db
    .selectFrom('tasks as over')
    .innerJoin('dependencies', 'dependencies.depends_on', 'over.id')
    .innerJoin('tasks', 'tasks.id', 'dependencies.task_id')
    .select(['tasks.id', 'tasks.title', 'over.id as behind'])
    .where('over.status', 'in', ['failed', 'cancelled'])
    .where('over.checker_for', 'is', null)
    .where('over.works_for', 'is', null)
    .where('tasks.status', '=', 'not-started')
    .orderBy('over.updated_at')
    .orderBy('over.id')
    .orderBy('tasks.sort_key')
    .limit(limit)
    .execute()
}

async function tasksOf(
  db: Db,
  rows: readonly (ListedRow & { phases_hash: string })[],
  maps: PhaseMaps,
  reader: TaskReader,
): Promise<ListedTask[]> {
  const found = await maps.load(
    db,
    rows.map((row) => row.phases_hash),
  )
  return rows.map((row) => reader.task(row, found(row.phases_hash)))
}

export async function taskStatuses(db: Db, ids: readonly string[]): Promise<Map<string, TaskStatus>> {
  const rows = await inChunks(ids, (some) =>
    db.selectFrom('tasks').select(['id', 'status']).where('id', 'in', some).execute(),
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}

export async function countTasks(db: Db, story: string | undefined): Promise<Record<TaskStatus, number>> {
  let query = db
    .selectFrom('tasks')
    .select((eb) => ['status', eb.fn.countAll<number | string>().as('tasks')])
    .where('checker_for', 'is', null)
    .where('works_for', 'is', null)
    .groupBy('status')
  if (story !== undefined) query = query.where('story_id', '=', story)
  const counts = { 'not-started': 0, 'in-progress': 0, completed: 0, failed: 0, cancelled: 0 }
  for (const { status, tasks } of await query.execute()) counts[status] = Number(tasks)
  return counts
}

/** Not LIKE: databases disagree about upper and lower case there, and ids may hold its wildcards. */
export async function idsEndingWith(db: Db, suffix: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('checker_for', 'is', null)
    .where('works_for', 'is', null)
    .where(sql`substr(id, length(id) - ${sql.lit(suffix.length)} + 1)`, '=', suffix)
    .orderBy('sort_key')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
