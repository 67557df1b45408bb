/** Stories and the heads of their chains. */
import type { Story } from '../../domain/task.ts'
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'

const COLUMNS = ['id', 'name', 'branch', 'base', 'created_at'] as const

interface Head {
  chain_n: number
  chain_hash: string
}

/** Changes no row when the id is taken. */
export const insertStory = prepare((db, p: Story & Head) =>
  db
    .insertInto('stories')
    .values({
      id: p.id,
      name: p.name,
      branch: p.branch,
      base: p.base,
      chain_n: p.chain_n,
      chain_hash: p.chain_hash,
      created_at: p.createdAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export const storyHead = prepare((db, p: { id: string }) =>
  db.selectFrom('stories').select(['id', 'chain_n', 'chain_hash']).where('id', '=', p.id),
)

/** Changes no row when the chain has grown meanwhile. */
export const extendStory = prepare((db, p: Head & { id: string; previous: number }) =>
  db
    .updateTable('stories')
    .set({ chain_n: p.chain_n, chain_hash: p.chain_hash })
    .where('id', '=', p.id)
    .where('chain_n', '=', p.previous),
)

const storyRow = prepare((db, p: { id: string }) => db.selectFrom('stories').select(COLUMNS).where('id', '=', p.id))

export async function findStory(db: Db, id: string): Promise<Story | null> {
  const row = await storyRow.first(db, { id })
  return row === undefined ? null : storyOf(row)
}

/** Oldest first. */
export async function listStories(db: Db): Promise<Story[]> {
  const rows = await db.selectFrom('stories').select(COLUMNS).orderBy('created_at').orderBy('id').execute()
  return rows.map(storyOf)
}

function storyOf({ created_at, ...row }: Omit<Story, 'createdAt'> & { created_at: number }): Story {
  return { ...row, createdAt: created_at }
}
