/** Small facts about the project itself. */
import { prepare } from '../prepared.ts'
import type { Db } from '../schema.ts'
import type { Session } from '../session.ts'

const value = prepare((db, p: { name: string }) => db.selectFrom('settings').select('value').where('name', '=', p.name))

const upsert = prepare((db, p: { name: string; value: string }) =>
  db
    .insertInto('settings')
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.value })),
)

const remove = prepare((db, p: { name: string }) => db.deleteFrom('settings').where('name', '=', p.name))

export async function findSetting(db: Db | Session, name: string): Promise<string | null> {
  return (await value.first(db, { name }))?.value ?? null
}

export async function storeSetting(db: Db | Session, name: string, value: string | null): Promise<void> {
  await (value === null ? remove.run(db, { name }) : upsert.run(db, { name, value }))
}
