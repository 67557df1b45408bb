/** Configuration snapshots by hash. */
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'

/** The hash says it is the same text, so storing one again changes nothing. */
export const insertConfig = prepare((db, p: { hash: string; body: string }) =>
  db
    .insertInto('configs')
    .values({ hash: p.hash, body: p.body })
    .onConflict((conflict) => conflict.doNothing()),
)

const configBody = prepare((db, p: { hash: string }) =>
  db.selectFrom('configs').select('body').where('hash', '=', p.hash),
)

export async function findConfig(db: Db, hash: string): Promise<string | null> {
  return (await configBody.first(db, { hash }))?.body ?? null
}
