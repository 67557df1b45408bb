/** The heads of chains as the rows of tasks and stories have them, to compare with the log. */
import { sql } from 'kysely'
import type { TaskState } from '../../domain/task/task.ts'
import type { ChainId } from '../../ports/store.ts'
import { type ChainHead, chainOwner } from '../chain.ts'
import type { Db } from '../schema.ts'
import { stateOf } from '../task-row.ts'
import { inChunks } from './in-chunks.ts'

export interface StoredHead extends ChainHead {
  /** null for a story. */
  state: TaskState | null
}

export async function chainHeads(db: Db, chains: Iterable<ChainId>): Promise<Map<ChainId, StoredHead>> {
  const owners = [...new Set(chains)].map(chainOwner)
  const idsOf = (noun: string): string[] => owners.filter((owner) => owner.noun === noun).map(({ id }) => id)
  const tasks = await inChunks(idsOf('task'), (ids) =>
    db.selectFrom('tasks').select(['id', 'status', 'state', 'chain_n', 'chain_hash']).where('id', 'in', ids).execute(),
  )
  const stories = await inChunks(idsOf('story'), (ids) =>
    db.selectFrom('stories').select(['id', 'chain_n', 'chain_hash']).where('id', 'in', ids).execute(),
  )
  const heads = new Map<ChainId, StoredHead>()
  for (const row of tasks) heads.set(`task:${row.id}`, { n: row.chain_n, hash: row.chain_hash, state: stateOf(row) })
  for (const row of stories) heads.set(`story:${row.id}`, { n: row.chain_n, hash: row.chain_hash, state: null })
  return heads
}

/** A task or story that must have a history and has not a single event. */
export async function ownerWithoutEvents(db: Db): Promise<ChainId | null> {
  const task = await db
    .selectFrom('tasks')
    .select('id')
    .where((eb) => eb.or([eb('chain_n', '>', 0), eb('status', '<>', 'not-started')]))
    .where(sql<boolean>`not exists (select 1 from events where events.chain = 'task:' || tasks.id)`)
    .limit(1)
    .executeTakeFirst()
  if (task !== undefined) return `task:${task.id}`
  const story = await db
    .selectFrom('stories')
    .select('id')
    .where('chain_n', '>', 0)
    .where(sql<boolean>`not exists (select 1 from events where events.chain = 'story:' || stories.id)`)
    .limit(1)
    .executeTakeFirst()
  return story === undefined ? null : `story:${story.id}`
}
