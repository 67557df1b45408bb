/** Brings a database to the schema this program knows, one numbered migration after the other, or refuses. */
import { sql } from 'kysely'
import { MusterError } from '../domain/errors.ts'
import { start } from './migrations/001-start.ts'
import { runFacts } from './migrations/002-run-facts.ts'
import { contracts } from './migrations/003-contracts.ts'
import { evidence } from './migrations/004-evidence.ts'
import { spent } from './migrations/005-spent.ts'
import { checks } from './migrations/006-checks.ts'
import { stories } from './migrations/007-stories.ts'
import { counts } from './migrations/008-counts.ts'
import { idle } from './migrations/009-idle.ts'
import { dependencies } from './migrations/010-dependencies.ts'
import { seal } from './migrations/011-seal.ts'
import { duties } from './migrations/012-duties.ts'
import type { Migration } from './migrations/migration.ts'
import type { Db } from './schema.ts'

/** In order, without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  start,
  runFacts,
  contracts,
  evidence,
  spent,
  checks,
  stories,
  counts,
  idle,
  dependencies,
  seal,
  duties,
]

interface MigrateOptions {
  /** Named in messages. */
  file: string
  readOnly: boolean
  /** Whether the database has a `meta` table yet; how to find out differs between databases. */
  hasMeta: boolean
  migrations?: readonly Migration[]
}

export async function migrate(db: Db, options: MigrateOptions): Promise<void> {
  const { file, readOnly, hasMeta, migrations = MIGRATIONS } = options
  const known = migrations.at(-1)?.version ?? 0
  const stored = hasMeta ? await schemaVersion(db) : 0
  refuseNewer(stored, known, file)
  if (stored === known) return
  if (readOnly) throw cannotMigrate(stored, known, file)
  await db.transaction().execute(async (trx) => {
    await sql`create table if not exists meta (name text primary key, value text not null)`.execute(trx)
    // Asked again: another process may have been faster between the first look and the lock.
    const from = await schemaVersion(trx)
    refuseNewer(from, known, file)
    for (const migration of migrations.filter(({ version }) => version > from)) {
      for (const statement of migration.statements) await sql.raw(statement).execute(trx)
    }
    await trx
      .insertInto('meta')
      .values({ name: 'schema', value: String(known) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(known) }))
      .execute()
  })
}

async function schemaVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', 'schema').executeTakeFirst()
  return row === undefined ? 0 : Number(row.value)
}

function refuseNewer(stored: number, known: number, file: string): void {
  if (stored <= known) return
  throw new MusterError(
    'storage',
    `${file} was written by a newer Muster: its schema has version ${stored}, this Muster knows only version ${known}`,
    { hint: 'update Muster, or use the newer one that wrote the file' },
  )
}

function cannotMigrate(stored: number, known: number, file: string): MusterError {
  const what = stored === 0 ? 'holds no Muster data yet' : `has schema version ${stored}, this Muster needs ${known}`
  return new MusterError('storage', `${file} ${what}, and this command only reads`, {
    hint: 'run muster run once in this project, which updates the file',
  })
}
