/** The event log. Events are added and read; nothing here changes or removes one. */
import { sql, type Selectable } from 'kysely'
import type { ChainId, StoredEvent } from '../../ports/store.ts'
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
