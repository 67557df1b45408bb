/** The event log: adds and reads events. Nothing here changes or removes one. */
import { sql, type Selectable } from 'kysely'
import type { ChainId, EventQuery, StoredEvent } from '../../ports/store.ts'
import type { EventBody, Link } from '../chain.ts'
import { prepare } from '../prepared.ts'
import type { Db, EventRow } from '../schema.ts'

export type EventLine = Selectable<EventRow>

export const insertEvent = prepare((db, p: Link & { hash: string }) =>
  db
    .insertInto('events')
    .values({ chain: p.chain, n: p.n, type: p.type, actor: p.actor, at: p.at, body: p.body, hash: p.hash })
    .returning('seq'),
)

const eventsOfChain = prepare((db, p: { chain: ChainId }) =>
  db.selectFrom('events').selectAll().where('chain', '=', p.chain).orderBy('n'),
)

/** The next lines of the whole log, chain after chain. */
export const eventsAfter = prepare((db, p: { chain: string; n: number; limit: number }) =>
  db
    .selectFrom('events')
    .selectAll()
    .where((eb) => eb(eb.refTuple('chain', 'n'), '>', eb.tuple(p.chain as ChainId, p.n)))
    .orderBy('chain')
    .orderBy('n')
    .limit(p.limit),
)

export async function listEvents(db: Db, chain: ChainId): Promise<StoredEvent[]> {
  const rows = await eventsOfChain.all(db, { chain })
  return rows.map(storedEvent)
}

const lastOfType = prepare((db, p: { chain: ChainId; type: string }) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('chain', '=', p.chain)
    .where('type', '=', p.type)
    .orderBy('n', 'desc')
    .limit(sql.lit(1)),
)

export async function lastEvent(db: Db, chain: ChainId, type: string): Promise<StoredEvent | null> {
  const row = await lastOfType.first(db, { chain, type })
  return row === undefined ? null : storedEvent(row)
}

export async function listEventsSince(db: Db, { after, upTo, task, story, limit }: EventQuery): Promise<StoredEvent[]> {
  let query = db.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').limit(limit)
  if (upTo !== undefined) query = query.where('seq', '<=', upTo)
  if (task !== undefined) query = query.where('chain', '=', `task:${task}`)
  if (story !== undefined) {
    query = query.where((eb) => {
      const own = eb.selectFrom('tasks').select('id').where('story_id', '=', story)
      const chains = eb
        .selectFrom('tasks')
        .select(sql<ChainId>`'task:' || id`.as('chain'))
        .where((of) => of.or([of('story_id', '=', story), of('checker_for', 'in', own)]))
      return eb.or([eb('chain', '=', `story:${story}`), eb('chain', 'in', chains)])
    })
  }
  return (await query.execute()).map(storedEvent)
}

const greatestSeq = prepare((db) => db.selectFrom('events').select((eb) => eb.fn.max<number | null>('seq').as('seq')))

export async function lastSeq(db: Db): Promise<number> {
  return (await greatestSeq.first(db, {}))?.seq ?? 0
}

function storedEvent({ seq, chain, n, type, actor, at, body, hash }: EventLine): StoredEvent {
  return { seq, chain, n, type, actor, at, data: parseBody(body).data, hash }
}

/** Literals and not parameters: only so is their own index used. */
const judged = prepare((db) =>
  db
    .selectFrom('events')
    .selectAll()
    .where(sql<boolean>`type in ('checked', 'decision')`)
    .orderBy('seq'),
)

export async function listJudgements(db: Db): Promise<StoredEvent[]> {
  return (await judged.all(db, {})).map(storedEvent)
}

export function parseBody(body: string): EventBody {
  return JSON.parse(body) as EventBody
}
