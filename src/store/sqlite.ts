/**
 * Everything specific to SQLite: opening a file, its settings, and `node:sqlite` in the shape that Kysely's SQLite
 * dialect expects. Only this file and the migrations know which database it is.
 */
import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
  type TransactionSettings,
} from 'kysely'
import { sha256 } from './chain.ts'
import { storageError } from './errors.ts'
import type { Db, Schema } from './schema.ts'

/** How long a statement waits for another process's lock. It blocks this process, so it is short. */
const busyTimeoutMs = 4000
const cachedStatementsMax = 200
/** No file at all, to SQLite. */
export const MEMORY = ':memory:'

export interface SqliteOptions {
  file: string
  readOnly?: boolean | undefined
  busyMs?: number | undefined
  /** What seals the history; without it nothing is sealed, and no seal looked at. */
  key?: string | undefined
}

export interface SqliteConnection {
  file: string
  readOnly: boolean
  db: Db
  raw: DatabaseSync
  /** Whether the file had any Muster data when it was opened. */
  hasMeta: boolean
  close: () => Promise<void>
}

export function connectSqlite({ file, readOnly = false, busyMs = busyTimeoutMs }: SqliteOptions): SqliteConnection {
  const { raw, hasMeta } = openFile(file, readOnly, busyMs)
  const db = new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw, file) })
  return {
    file,
    readOnly,
    db,
    raw,
    hasMeta,
    close: async () => {
      await db.destroy()
      // Kysely closes only what it has used.
      if (raw.isOpen) raw.close()
    },
  }
}

function openFile(file: string, readOnly: boolean, busyMs: number): { raw: DatabaseSync; hasMeta: boolean } {
  let raw: DatabaseSync | undefined
  try {
    if (!readOnly && file !== MEMORY) makeOwn(file)
    raw = new DatabaseSync(file, { readOnly, timeout: busyMs, enableForeignKeyConstraints: true })
    // FULL: a commit that was answered survives a power cut. WAL: readers do not wait for the writer.
    if (!readOnly) raw.exec('pragma journal_mode = wal')
    raw.exec('pragma synchronous = full')
    // Opening reads nothing yet: a file that is no database fails at this question and not at a later one.
    const tables = raw.prepare(`select name from sqlite_master where type = 'table' and name = 'meta'`).all()
    return { raw, hasMeta: tables.length > 0 }
  } catch (error) {
    if (raw?.isOpen) raw.close()
    throw storageError(error, file)
  }
}

/** For its owner alone, whatever the umask: what SQLite puts beside it gets the same mode. What keeps it from that, it says. */
function makeOwn(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
  } catch {
    // Opening it as a database tells.
  }
}

/** A copy of the database as it is at this moment, whoever writes to it meanwhile. */
export function copyDatabase(file: string, to: string): void {
  let raw: DatabaseSync | undefined
  try {
    raw = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
    raw.prepare('vacuum into ?').run(to)
  } catch (error) {
    throw storageError(error, file)
  } finally {
    if (raw?.isOpen) raw.close()
  }
}

/** The first thing that SQLite itself finds wrong. */
export async function damageOf(db: Db, whole: boolean): Promise<string | null> {
  const pragma = whole ? 'integrity_check' : 'quick_check'
  const { rows } = await sql<Record<string, string>>`pragma ${sql.raw(pragma)}(1)`.execute(db)
  const said = rows[0]?.[pragma] ?? 'it has no details'
  if (said !== 'ok') return said
  return whole ? alteredConfig(db) : null
}

/** A task runs under a configuration by its hash: one whose text is another now is no configuration of anybody's. */
async function alteredConfig(db: Db): Promise<string | null> {
  for (const { hash, body } of await db.selectFrom('configs').select(['hash', 'body']).execute()) {
    if (sha256(body) !== hash)
      return `the stored configuration ${hash.slice(0, 12)} is not what Muster stored: its text was changed`
  }
  return null
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #raw: DatabaseSync
  readonly #database: SqliteDatabase

  constructor(raw: DatabaseSync, file: string) {
    const database = adapt(raw, file)
    super({ database })
    this.#raw = raw
    this.#database = database
  }

  override createDriver(): SqliteDriver {
    return new NodeSqliteDriver(this.#raw, this.#database)
  }
}

const BEGIN_READ = CompiledQuery.raw('begin')
/** A deferred transaction that reads first and writes later fails at once when somebody wrote in between: lock first. */
export const BEGIN_WRITE = CompiledQuery.raw('begin immediate')

class NodeSqliteDriver extends SqliteDriver {
  readonly #raw: DatabaseSync

  constructor(raw: DatabaseSync, database: SqliteDatabase) {
    super({ database })
    this.#raw = raw
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    await connection.executeQuery(settings?.accessMode === 'read only' ? BEGIN_READ : BEGIN_WRITE)
  }

  /** SQLite rolls some failures back by itself (a full disk); a second rollback would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#raw.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** `node:sqlite` as Kysely wants it, with statements prepared once per text and errors in a person's words. */
function adapt(raw: DatabaseSync, file: string): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>()
  const explained = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw storageError(error, file)
    }
  }
  const wrap = (sql: string, statement: StatementSync): SqliteStatement => ({
    reader: statement.columns().length > 0,
    all: (parameters) => explained(() => statement.all(...primitives(parameters, sql))),
    run: (parameters) => explained(() => statement.run(...primitives(parameters, sql))),
    // A statement of its own: the cached one may be asked again before the iteration ends.
    iterate: (parameters) => explained(() => raw.prepare(sql).iterate(...primitives(parameters, sql))),
  })
  return {
    close: () => raw.close(),
    prepare: (sql) => {
      const cached = cache.get(sql)
      if (cached !== undefined) return cached
      const statement = explained(() => wrap(sql, raw.prepare(sql)))
      const oldest = cache.size >= cachedStatementsMax ? cache.keys().next().value : undefined
      if (oldest !== undefined) cache.delete(oldest)
      cache.set(sql, statement)
      return statement
    },
  }
}

/**
 * `node:sqlite` takes an object in the first place for named parameters, shifts the others and stores NULL without a
 * word; NaN becomes NULL as well. Both are mistakes of ours and stop here.
 */
function primitives(parameters: readonly unknown[], sql: string): SQLInputValue[] {
  for (let i = 0; i < parameters.length; i += 1) {
    const value = parameters[i]
    const fits = typeof value === 'string' || value === null || typeof value === 'bigint' || Number.isFinite(value)
    if (!fits) throw new TypeError(`parameter ${i + 1} is ${describe(value)}, which SQLite cannot store: ${sql}`)
  }
  return parameters as SQLInputValue[]
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return `an object (${value.constructor?.name ?? 'without a class'})`
}
