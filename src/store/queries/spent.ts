/** What agents used of their models, summed by the database. */
import { sql } from 'kysely'
import { dayOf, startOfDay } from '../../domain/cost.ts'
import type { SpentLine, SpentQuery } from '../../ports/store.ts'
import type { Db } from '../schema.ts'

export async function listSpent(db: Db, { story, since }: SpentQuery): Promise<SpentLine[]> {
  const dayMs = startOfDay(1) - startOfDay(0)
  // Whole numbers: the rest of the day falls off.
  const day = sql<number>`runs.ended_at / ${sql.lit(dayMs)}`
  const rows = await db
    .selectFrom('runs')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    // What a checker used was used for the task it checked.
    .innerJoin('tasks as home', (join) => join.on('home.id', '=', sql`coalesce(tasks.checker_for, tasks.id)`))
    .where('runs.program', 'is not', null)
    .where('runs.ended_at', '>=', since ?? 0)
    .$if(story === null, (query) => query.where('home.story_id', 'is', null))
    .$if(typeof story === 'string', (query) =>
      query.where('home.story_id', '=', story ?? null).where('runs.task_id', 'in', tasksOf(db, story ?? '')),
    )
    .groupBy([day, 'home.story_id', 'runs.name', 'runs.program'])
    .orderBy(day)
    .orderBy('home.story_id')
    .orderBy('runs.name')
    .orderBy('runs.program')
    .select(({ fn }) => [
      fn.min<number>('runs.ended_at').as('at'),
      'home.story_id',
      'runs.name',
      'runs.program',
      fn.countAll<number>().as('runs'),
      fn.count<number>('runs.usd').as('priced'),
      fn.sum<number | null>('runs.usd').as('usd'),
      fn.sum<number | null>('runs.input_tokens').as('input_tokens'),
      fn.sum<number | null>('runs.output_tokens').as('output_tokens'),
      sql<number>`sum(runs.ended_at - runs.started_at)`.as('work_ms'),
    ])
    .execute()
  return rows.map((row) => ({
    day: dayOf(row.at),
    story: row.story_id,
    role: row.name,
    program: row.program ?? '',
    runs: row.runs,
    priced: row.priced,
    usd: row.usd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    workMs: row.work_ms,
  }))
}

/** The story's tasks and their checkers: both are found by an index. */
export function tasksOf(db: Db, story: string) {
  const own = db.selectFrom('tasks').select('id').where('story_id', '=', story)
  return own.unionAll(db.selectFrom('tasks').select('id').where('checker_for', 'in', own))
}
