/** Stored results of commands. A later result under the same key has seen more runs and replaces the first. */
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'

const storeEvidence = prepare((db, p: { key: string; body: string }) =>
  db
    .insertInto('evidence')
    .values({ key: p.key, body: p.body })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ body: p.body })),
)

const evidenceBody = prepare((db, p: { key: string }) =>
  db.selectFrom('evidence').select('body').where('key', '=', p.key),
)

export async function keepEvidence(db: Db, key: string, body: string): Promise<void> {
  await storeEvidence.run(db, { key, body })
}

export async function findEvidence(db: Db, key: string): Promise<string | null> {
  return (await evidenceBody.first(db, { key }))?.body ?? null
}
