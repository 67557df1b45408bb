/** What a durable transition costs over bare SQL that does the same writes on the same schema, in turns of one run. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TaskState } from '../src/domain/task/task.ts'
import { initialState } from '../src/domain/task/task.ts'
import { openStore } from '../src/store/store.ts'
import type { Row } from './main.ts'
import { inTemp, round } from './measure.ts'
import { sampleTask } from './sample.ts'

const tasks = 200
const turns = 300
const perTurn = 20
const data = { run: 'x.r1', kind: 'agent', name: 'implementer', attempt: 1, round: 0 }

export function transition(): Promise<Row[]> {
  return inTemp(async (dir) => {
    for (const name of ['ours.db', 'bare.db']) await seed(join(dir, name))
    const store = await openStore({ file: join(dir, 'ours.db') })
    const bare = bareStore(join(dir, 'bare.db'))
    const versions = new Map<string, number>()
    const ours = async (n: number) => {
      const id = idOf(n)
      const version = versions.get(id) ?? 1
      versions.set(id, version + 1)
      await store.commit({
        at: n,
        updates: [{ state: stateOf(id, n), version }],
        events: [{ chain: `task:${id}`, type: 'run-started', actor: 'muster', data }],
        intents: [{ key: `start:${id}:${n}`, kind: 'start', taskId: id, data: { worker: true, runId: 'x' } }],
      })
    }
    let [oursMs, bareMs] = [0, 0]
    for (let turn = -10; turn < turns; turn++) {
      const first = (turn + 10) * perTurn
      const a = performance.now()
      for (let n = 0; n < perTurn; n++) bare(first + n)
      const b = performance.now()
      for (let n = 0; n < perTurn; n++) await ours(first + n)
      const c = performance.now()
      if (turn < 0) continue
      bareMs += b - a
      oursMs += c - b
    }
    await store.close()
    const ratio = bareMs / oursMs
    const perSecond = (ms: number) => Math.round((turns * perTurn * 1000) / ms)
    return [
      {
        what: 'durable transition, share of bare SQL',
        measured: `${ratio.toFixed(2)} (${perSecond(oursMs)}/s of ${perSecond(bareMs)}/s)`,
        aim: '≥ 0.70',
        met: ratio >= 0.7,
        figures: { ratio: round(ratio), oursPerSecond: perSecond(oursMs), barePerSecond: perSecond(bareMs) },
      },
    ]
  })
}

const idOf = (n: number) => `task-${n % tasks}`
const stateOf = (id: string, n: number): TaskState => ({
  ...initialState(id, 50),
  status: 'in-progress',
  phase: 'implement',
  attempt: n,
  runs: n,
})

async function seed(file: string): Promise<void> {
  const store = await openStore({ file })
  const all = Array.from({ length: tasks }, (_, n) => sampleTask(idOf(n)))
  const begun = all.map((task) => ({ ...task, state: stateOf(task.spec.id, 0) }))
  const events = all.map(({ spec }) => ({
    chain: `task:${spec.id}` as const,
    type: 'task-created',
    actor: 'muster',
    data: {},
  }))
  await store.commit({ at: 1, tasks: begun, events })
  await store.close()
}

/** The same reads and writes by hand: head, guarded update, event with its hash, intent. */
function bareStore(file: string): (n: number) => void {
  const db = new DatabaseSync(file, { timeout: 4000 })
  db.exec('pragma journal_mode=wal; pragma synchronous=full')
  const begin = db.prepare('begin immediate')
  const head = db.prepare('select version, chain_n, chain_hash from tasks where id = ?')
  const update = db.prepare(
    'update tasks set state = ?, version = version + 1, chain_n = ?, chain_hash = ?, updated_at = ? where id = ? and version = ?',
  )
  const event = db.prepare('insert into events (chain, n, type, actor, at, body, hash) values (?, ?, ?, ?, ?, ?, ?)')
  const intent = db.prepare(
    'insert into intents (key, kind, task_id, data, settled) values (?, ?, ?, ?, 0) on conflict (key) do nothing',
  )
  const commit = db.prepare('commit')
  return (n) => {
    const id = idOf(n)
    const state = stateOf(id, n)
    begin.run()
    const row = head.get(id) as { version: number; chain_n: number; chain_hash: string }
    const { status, phase, round, attempt } = state
    const body = JSON.stringify({ data, state: { status, phase, round, attempt } })
    const at = row.chain_n + 1
    const link = hash(
      'sha256',
      JSON.stringify([row.chain_hash, `task:${id}`, at, 'run-started', n, 'muster', body]),
      'hex',
    )
    if (update.run(JSON.stringify(state), at, link, n, id, row.version).changes !== 1) throw new Error('lost an update')
    event.run(`task:${id}`, at, 'run-started', 'muster', n, body, link)
    intent.run(`start:${id}:${n}`, 'start', id, JSON.stringify({ runId: 'x' }))
    commit.run()
  }
}
