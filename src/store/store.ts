/** The store port over one database. Opening it brings the schema up to date. */
import type { CompiledQuery } from 'kysely'
import type { Store } from '../ports/store.ts'
import { writeChange } from './commit.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations/migration.ts'
import { findConfig } from './queries/config.ts'
import { listContracts } from './queries/contract.ts'
import { lastEvent, lastSeq, listEvents, listEventsSince, listJudgements } from './queries/event.ts'
import { findEvidence, keepEvidence } from './queries/evidence.ts'
import { listFindings } from './queries/finding.ts'
import { isPending, pendingIntents, pinIntent } from './queries/intent.ts'
import { countVerdicts, findRun, listCheckRuns, listRuns, runStandings } from './queries/run.ts'
import { findSetting, storeSetting } from './queries/setting.ts'
import { listSpent } from './queries/spent.ts'
import { findStanding, findStory, listStandings, listStories } from './queries/story.ts'
import {
  countTasks,
  findTask,
  idsEndingWith,
  deadlockedTasks,
  idleTasks,
  listTasks,
  openTasks,
  taskStatuses,
} from './queries/task-list.ts'
import type { Db } from './schema.ts'
import { writing } from './session.ts'
import { BEGIN_WRITE, connectSqlite, damageOf, type SqliteConnection, type SqliteOptions } from './sqlite.ts'
import { verifyHistory } from './verify.ts'

/** Rejects with `storage` when the file cannot be opened, is damaged or locked, or is from a newer Muster. */
export async function openStore(options: SqliteOptions): Promise<Store> {
  return openStoreOn(connectSqlite(options), { key: options.key })
}

/** The same on a connection of the caller's, which the store closes. */
export async function openStoreOn(
  connection: SqliteConnection,
  { migrations, key }: { migrations?: readonly Migration[]; key?: string | undefined } = {},
): Promise<Store> {
  const { db, file, readOnly, hasMeta, close } = connection
  try {
    await migrate(db, { file, readOnly, hasMeta, ...(migrations === undefined ? {} : { migrations }) })
  } catch (error) {
    await close()
    throw error
  }
  return storeOver(db, BEGIN_WRITE, close, key)
}

function storeOver(db: Db, begin: CompiledQuery, close: () => Promise<void>, key: string | undefined): Store {
  return {
    commit: (change) => writing(db, begin, (on) => writeChange(on, change, key)),
    pin: (key, data) => pinIntent(db, key, data),
    pendingIntents: () => pendingIntents(db),
    isPending: (key) => isPending(db, key),

    openTasks: () => openTasks(db),
    task: (id) => findTask(db, id),
    listTasks: (query) => listTasks(db, query),
    idleTasks: (limit, story) => idleTasks(db, limit, story),
    deadlocked: (limit) => deadlockedTasks(db, limit),
    statuses: (ids) => taskStatuses(db, ids),
    countByStatus: (story) => countTasks(db, story),
    taskIdsEndingWith: (suffix, limit) => idsEndingWith(db, suffix, limit),

    story: (id) => findStory(db, id),
    stories: () => listStories(db),
    standing: (id) => findStanding(db, id),
    standings: () => listStandings(db),
    runs: (taskId) => listRuns(db, taskId),
    verdicts: (story) => countVerdicts(db, story),
    judgements: () => listJudgements(db),
    checkRuns: (taskId) => listCheckRuns(db, taskId),
    run: (id) => findRun(db, id),
    runStandings: (ids) => runStandings(db, ids),
    spent: (query) => listSpent(db, query),
    findings: (taskId) => listFindings(db, taskId),
    contracts: (taskId) => listContracts(db, taskId),
    events: (chain) => listEvents(db, chain),
    lastEvent: (chain, type) => lastEvent(db, chain, type),
    eventsSince: (query) => listEventsSince(db, query),
    lastSeq: () => lastSeq(db),
    config: (hash) => findConfig(db, hash),

    evidence: (key) => findEvidence(db, key),
    keepEvidence: (key, body) => keepEvidence(db, key, body),

    setting: (name) => findSetting(db, name),
    setSetting: (name, value) => storeSetting(db, name, value),

    verifyHistory: () => verifyHistory(db, key),
    damage: (whole) => damageOf(db, whole),
    close,
  }
}
