/**
 * Queries that are built and compiled once and then only get their values. Building a query costs several times as much
 * as running it, and every step of a task uses a handful of them.
 */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema.ts'
import { Session } from './session.ts'

interface Prepared<Params, Row> {
  all: (on: Db | Session, params: Params) => Promise<Row[]>
  first: (on: Db | Session, params: Params) => Promise<Row | undefined>
  /** Resolves with the number of rows it changed. */
  run: (on: Db | Session, params: Params) => Promise<number>
}

/** Stands for a value while the query is built; never reaches a database. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** `build` sees a slot for every property it reads from `p`, so it may pass them on but must not look at them. */
export function prepare<Params extends object, Row>(
  build: (db: Db, p: Params) => Compilable<Row>,
): Prepared<Params, Row> {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as Params
  // By the adapter, which a database shares with its transactions: another database may speak another dialect.
  const compiled = new WeakMap<object, CompiledQuery<Row>>()

  const bind = (on: Db | Session, params: Params): CompiledQuery<Row> => {
    const db = on instanceof Session ? on.db : on
    const { adapter } = db.getExecutor()
    let query = compiled.get(adapter)
    if (query === undefined) {
      query = build(db, slots).compile()
      compiled.set(adapter, query)
    }
    const values = params as Record<string, unknown>
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.name] : value))
    return { sql: query.sql, query: query.query, queryId: query.queryId, parameters }
  }

  return {
    all: async (on, params) => (await on.executeQuery(bind(on, params))).rows,
    first: async (on, params) => (await on.executeQuery(bind(on, params))).rows[0],
    run: async (on, params) => Number((await on.executeQuery(bind(on, params))).numAffectedRows ?? 0n),
  }
}
