/**
 * A write transaction directly on its connection. Kysely's own transactions wait for the connection at every query,
 * which costs more than the query; a commit has the connection to itself from begin to end.
 */
import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { Db } from './schema.ts'

const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')

export class Session {
  /** Only for building queries: one that runs on it would wait for this session to end. */
  readonly db: Db
  readonly #connection: DatabaseConnection

  constructor(db: Db, connection: DatabaseConnection) {
    this.db = db
    this.#connection = connection
  }

  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
    return this.#connection.executeQuery(query)
  }
}

/** All of `work` or nothing. `begin` is the database's own way to start a transaction that will write. */
export function writing<T>(db: Db, begin: CompiledQuery, work: (on: Session) => Promise<T>): Promise<T> {
  return db.getExecutor().provideConnection(async (connection) => {
    await connection.executeQuery(begin)
    try {
      const result = await work(new Session(db, connection))
      await connection.executeQuery(COMMIT)
      return result
    } catch (error) {
      // Fails when the database has rolled back by itself (a full disk); the first error is the one to tell.
      await connection.executeQuery(ROLLBACK).catch(() => undefined)
      throw error
    }
  })
}
