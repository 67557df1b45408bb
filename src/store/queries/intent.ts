/** Intents: what to carry out after a commit. Each key is queued only once, ever. */
import { sql } from 'kysely'
import { assert } from '../../domain/errors.ts'
import type { Intent, IntentData, IntentKind, NewIntent } from '../../ports/intent.ts'
import { prepare } from '../prepared.ts'
import type { Session } from '../session.ts'
import type { Db } from '../schema.ts'

/** A literal and not a parameter: only so may the index over the pending ones be used. */
const PENDING = sql.lit(0)

/** Changes no row when the key was queued before, settled or not. */
const insertIntent = prepare((db, p: { key: string; kind: IntentKind; taskId: string | null; data: string }) =>
  db
    .insertInto('intents')
    .values({ key: p.key, kind: p.kind, task_id: p.taskId, data: p.data, settled: PENDING })
    .onConflict((conflict) => conflict.column('key').doNothing()),
)

/** Only the key is needed from here on. */
const settleRow = prepare((db, p: { key: string }) =>
  db
    .updateTable('intents')
    .set({ settled: sql.lit(1), data: '{}', pinned: null })
    .where('key', '=', p.key),
)

const pinRow = prepare((db, p: { key: string; pinned: string }) =>
  db.updateTable('intents').set({ pinned: p.pinned }).where('key', '=', p.key).where('settled', '=', PENDING),
)

const pending = prepare((db) =>
  db
    .selectFrom('intents')
    .select(['key', 'kind', 'task_id', 'data', 'pinned'])
    .where('settled', '=', PENDING)
    .orderBy('seq'),
)

const pendingRow = prepare((db, p: { key: string }) =>
  db.selectFrom('intents').select('key').where('key', '=', p.key).where('settled', '=', PENDING),
)

export async function isPending(db: Db, key: string): Promise<boolean> {
  return (await pendingRow.first(db, { key })) !== undefined
}

export async function queueIntent(on: Session, { key, kind, taskId, data }: NewIntent): Promise<void> {
  await insertIntent.run(on, { key, kind, taskId, data: JSON.stringify(data) })
}

/** Settling again is no error: recovery may have done it already. */
export async function settleIntent(on: Session, key: string): Promise<void> {
  await settleRow.run(on, { key })
}

export async function pinIntent(db: Db, key: string, data: Record<string, unknown>): Promise<void> {
  const changed = await pinRow.run(db, { key, pinned: JSON.stringify(data) })
  assert(changed === 1, `the intent ${key} to pin is not pending`)
}

/** In the order they were queued. */
export async function pendingIntents(db: Db): Promise<Intent[]> {
  return (await pending.all(db, {})).map(({ key, kind, task_id, data, pinned }) =>
    intentOf(key, kind, task_id, JSON.parse(data) as Raw, pinned === null ? null : (JSON.parse(pinned) as Raw)),
  )
}

type Raw = Record<string, unknown>

/** Text and numbers that an intent cannot do without. */
function field(raw: Raw, name: string): string {
  const value = raw[name]
  assert(typeof value === 'string', `a stored intent has ${name}`)
  return value
}

const READ: { [K in IntentKind]: (raw: Raw) => IntentData[K] } = {
  start: (raw) => ({ runId: field(raw, 'runId'), worker: raw['worker'] === true }),
  stop: (raw) => ({ runId: field(raw, 'runId') }),
  // What an older Muster left pending knows no kinds.
  notify: (raw) => ({ kind: 'needs-you', next: [], ...raw }) as unknown as IntentData['notify'],
  publish: (raw) => ({ branch: field(raw, 'branch'), commit: field(raw, 'commit') }),
  retire: (raw) => ({ branch: field(raw, 'branch'), landed: field(raw, 'landed') }),
  push: (raw) => ({ branch: field(raw, 'branch'), commit: field(raw, 'commit') }),
  status: (raw) => ({
    id: field(raw, 'id'),
    url: field(raw, 'url'),
    commit: field(raw, 'commit'),
    attempt: Number(raw['attempt']),
  }),
}

function intentOf(key: string, kind: IntentKind, taskId: string | null, raw: Raw, pinned: Raw | null): Intent {
  return { key, kind, taskId, data: READ[kind](raw), pinned } as Intent
}
