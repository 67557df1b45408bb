/** Somebody edits the database and makes every link fit again: only the seal, whose key is elsewhere, tells. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linkHash, type Link } from './chain.ts'
import { newTask, taskEvent } from './samples.ts'
import { openStore } from './store.ts'

const key = 'k'.repeat(64)
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-seal-'))
  file = join(folder, 'muster.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function add(id: string, sealed: boolean): Promise<void> {
  const store = await openStore({ file, ...(sealed ? { key } : {}) })
  const events = [taskEvent(id, 'task-created'), taskEvent(id, 'noted')]
  await store.commit({ at: 1, tasks: [newTask(id)], events })
  await store.close()
}

async function history(withKey: string | null = key) {
  const store = await openStore({ file, key: withKey ?? undefined })
  try {
    return await store.verifyHistory()
  } finally {
    await store.close()
  }
}

/** The second event of a task says something else; its hash and the task's row fit that. */
function forge(id: string, change: (raw: DatabaseSync, first: Row, second: Row) => void): void {
  const raw = new DatabaseSync(file)
  const rows = raw.prepare(`select * from events where chain = 'task:${id}' order by n`).all() as unknown as Row[]
  const [first, second] = rows as [Row, Row]
  change(raw, first, second)
  raw.close()
}
type Row = Link & { hash: string; seq: number }

const edited = (raw: DatabaseSync, first: Row, second: Row): void => {
  const body = second.body.replace('{}', '{"forged":true}')
  const hash = linkHash(first.hash, { ...second, body })
  raw.prepare('update events set body = ?, hash = ? where seq = ?').run(body, hash, second.seq)
  raw.prepare('update tasks set chain_hash = ? where id = ?').run(hash, second.chain.slice('task:'.length))
}

const removed = (raw: DatabaseSync, first: Row, second: Row): void => {
  raw.prepare('delete from events where seq = ?').run(second.seq)
  raw.prepare('update tasks set chain_n = 1, chain_hash = ? where id = ?').run(first.hash, 't-2')
}

test('F-2 a history that nobody touched fits its seal, over several openings', async () => {
  for (const id of ['t-1', 't-2']) await add(id, true)
  expect(await history()).toEqual({ events: 4, sealed: 4, bad: null })
  expect(await history(null)).toEqual({ events: 4, sealed: 0, bad: null })
})

test.each([
  ['edited in the middle', 't-1', edited],
  ['edited at its end', 't-2', edited],
  ['cut short', 't-2', removed],
])('F-2 one that was %s, and made to fit, does not', async (_, id, change) => {
  for (const task of ['t-1', 't-2']) await add(task, true)
  forge(id, change)
  expect((await history(null)).bad).toBeNull()
  expect((await history()).bad?.what).toContain('does not fit its seal')
})

test('F-2 one that was written to without the key, or sealed with another, does not either', async () => {
  await add('t-1', true)
  expect((await history('x'.repeat(64))).bad?.what).toContain('does not fit its seal')
  await add('t-2', false)
  expect((await history()).bad?.what).toContain('does not fit its seal')
})

test('what is older than the key is not sealed', async () => {
  await add('t-1', false)
  expect(await history()).toEqual({ events: 2, sealed: 0, bad: null })
  await add('t-2', true)
  expect(await history()).toEqual({ events: 4, sealed: 2, bad: null })
})
