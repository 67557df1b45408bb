/**
 * The seal of the whole history: every event's hash, in the order of the log, under a key that is not in the database.
 * Whoever edits the database can recompute every hash, but not the seal. A history that is only damaged fails its
 * hashes too.
 */
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { BadEvent, StoredEvent } from '../ports/store.ts'
import { findSetting, storeSetting } from './queries/setting.ts'
import type { Db } from './schema.ts'
import type { Session } from './session.ts'

export const SEAL = 'seal'
const pageEvents = 5000

interface Seal {
  /** It is about the events after this one: those before it are older than the key. */
  after: number
  last: number
  mac: string
}

const sign = (key: string, words: string): string => createHmac('sha256', key).update(words).digest('hex')

const grown = (key: string, mac: string, hashes: readonly string[]): string =>
  hashes.reduce((before, hash) => sign(key, `${before} ${hash}`), mac)

/** In the transaction that adds the events. */
export async function extendSeal(on: Session, key: string, events: readonly StoredEvent[]): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const stored = await findSetting(on, SEAL)
  const after = first.seq - 1
  const seal = stored === null ? { after, last: after, mac: sign(key, String(after)) } : (JSON.parse(stored) as Seal)
  const hashes = events.map(({ hash }) => hash)
  const next: Seal = { after: seal.after, last: events.at(-1)?.seq ?? after, mac: grown(key, seal.mac, hashes) }
  await storeSetting(on, SEAL, JSON.stringify(next))
}

/** How many events are sealed, and what does not fit the seal although each link fits the one before. */
export async function lookAtSeal(db: Db, key: string): Promise<{ sealed: number; bad: BadEvent | null }> {
  const { stored, newest } = await db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => ({ stored: await findSetting(trx, SEAL), newest: await newestEvent(trx) }))
  if (stored === null || newest === undefined) return { sealed: 0, bad: null }
  const { after, last, mac } = JSON.parse(stored) as Seal
  let [at, found, sealed] = [after, sign(key, String(after)), 0]
  for (;;) {
    const page = await db
      .selectFrom('events')
      .select(['seq', 'hash'])
      .where('seq', '>', at)
      .where('seq', '<=', last)
      .orderBy('seq')
      .limit(pageEvents)
      .execute()
    found = grown(
      key,
      found,
      page.map(({ hash }) => hash),
    )
    at = page.at(-1)?.seq ?? at
    sealed += page.length
    if (page.length < pageEvents) break
  }
  if (newest.seq === last && found === mac) return { sealed, bad: null }
  const what =
    'it fits the event before it, but the history does not fit its seal: somebody edited it and recomputed the hashes'
  return { sealed: 0, bad: { chain: newest.chain, n: newest.n, what } }
}

function newestEvent(db: Db) {
  return db
    .selectFrom('events')
    .select(['seq', 'chain', 'n'])
    .orderBy('seq', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
}
