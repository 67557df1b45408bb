/** Stories and the heads of their chains. */
import { decideStory, initialStory, type StoryCounts, type StoryStanding } from '../../domain/story/story.ts'
import type { Story } from '../../domain/task/task.ts'
import type { StoredStanding } from '../../ports/store.ts'
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'

const COLUMNS = ['id', 'name', 'branch', 'base', 'created_at'] as const

interface Head {
  chain_n: number
  chain_hash: string
}

/** Changes no row when the id is taken. */
export const insertStory = prepare((db, p: Story & Head & { state: string }) =>
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
      state: p.state,
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

/** Changes no row when the version has moved on. */
export const moveStory = prepare((db, p: Head & { id: string; version: number; state: string }) =>
  db
    .updateTable('stories')
    .set((eb) => ({ state: p.state, version: eb('version', '+', 1), chain_n: p.chain_n, chain_hash: p.chain_hash }))
    .where('id', '=', p.id)
    .where('version', '=', p.version),
)

const standingRow = prepare((db, p: { id: string }) =>
  db.selectFrom('stories').select(['state', 'version']).where('id', '=', p.id),
)

/** Null if there is no such story. One that an older Muster stored stands as its tasks do. */
export async function findStanding(db: Db, id: string): Promise<StoredStanding | null> {
  const row = await standingRow.first(db, { id })
  if (row === undefined) return null
  const standing =
    row.state === null
      ? decideStory(initialStory(id), { type: 'counted', delta: await countTopLevel(db, id) }).standing
      : (JSON.parse(row.state) as StoryStanding)
  return { standing, version: row.version }
}

export async function listStandings(db: Db): Promise<StoryStanding[]> {
  const rows = await db.selectFrom('stories').select(['id', 'state']).orderBy('created_at').orderBy('id').execute()
  const all: StoryStanding[] = []
  for (const { id, state } of rows) {
    const found = state === null ? (await findStanding(db, id))?.standing : (JSON.parse(state) as StoryStanding)
    if (found !== undefined) all.push(found)
  }
  return all
}

async function countTopLevel(db: Db, story: string): Promise<StoryCounts> {
  const rows = await db
    .selectFrom('tasks')
    .select(['status', 'spec'])
    .where('story_id', '=', story)
    .where('checker_for', 'is', null)
    .execute()
  const top = rows.filter(({ spec }) => (JSON.parse(spec) as { parent: string | null }).parent === null)
  const count = (...statuses: string[]) => top.filter(({ status }) => statuses.includes(status)).length
  return {
    open: count('not-started', 'in-progress'),
    completed: count('completed'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    deferred: 0,
  }
}
