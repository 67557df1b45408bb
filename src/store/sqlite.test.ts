/** The SQLite store: the port's contract, and what only a file on a disk can suffer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeConformance } from './conformance.ts'
import { MIGRATIONS } from './migrate.ts'
import { begun, newTask, taskEvent } from './samples.ts'
import { connectSqlite, MEMORY } from './sqlite.ts'
import { openStore, openStoreOn } from './store.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-store-'))
  file = join(folder, 'muster.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

storeConformance('SQLite', async () => {
  const store = await openStore({ file })
  return { store, reopen: () => openStore({ file }), dispose: () => store.close() }
})

const many = (n: number) =>
  Array.from({ length: n }, (_, i) => newTask(`t-${i}`, { instructions: 'long '.repeat(400) }))

it('counts tasks by reading one index in its order', async () => {
  await (await openStore({ file })).close()
  const { raw, close } = connectSqlite({ file, readOnly: true })
  const query = 'select status, count(*) from tasks where checker_for is null and works_for is null group by status'
  const plan = raw.prepare(`explain query plan ${query}`).all()
  expect(plan).toMatchObject([{ detail: 'SCAN tasks USING COVERING INDEX tasks_status' }])
  await close()
})

describe('a locked file', () => {
  /** A real second process that holds the write lock until its input ends. */
  async function lockedByAnother(): Promise<() => Promise<void>> {
    const script = `const { DatabaseSync } = require('node:sqlite')
      const db = new DatabaseSync(process.argv[1])
      db.exec('begin immediate')
      process.stdout.write('locked')
      process.stdin.resume().on('end', () => { db.exec('rollback'); db.close() })`
    const other = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    return async () => {
      other.stdin.end()
      await once(other, 'exit')
    }
  }

  it('is told as locked, writes nothing, and works again once the lock is gone', async () => {
    const store = await openStore({ file, busyMs: 50 })
    const release = await lockedByAnother()
    await expect(store.commit({ at: 1, tasks: [newTask('t-1')] })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('locked'),
      hint: expect.stringContaining('another Muster'),
      cause: { errcode: 5 },
    })
    expect(await store.task('t-1')).toBeNull()
    await release()
    await store.commit({ at: 1, tasks: [newTask('t-1')] })
    await store.close()
  })

  it('can still be read, by this process and by a reader', async () => {
    const store = await openStore({ file })
    await store.commit({ at: 1, tasks: [newTask('t-1')] })
    const release = await lockedByAnother()
    const reader = await openStore({ file, readOnly: true, busyMs: 50 })
    expect(await reader.task('t-1')).not.toBeNull()
    expect(await reader.verifyHistory()).toEqual({ events: 0, sealed: 0, bad: null })
    await expect(reader.commit({ at: 2, tasks: [newTask('t-2')] })).rejects.toMatchObject({ code: 'storage' })
    await release()
    await reader.close()
    await store.close()
  })
})

it('in memory leaves no file', async () => {
  const store = await openStore({ file: MEMORY })
  await store.commit({ at: 1, tasks: [newTask('t-1')] })
  await store.close()
  expect(existsSync(MEMORY)).toBe(false)
})

it('is for its owner alone, whatever the umask', async () => {
  const before = process.umask(0)
  const store = await openStore({ file }).finally(() => process.umask(before))
  await store.commit({ at: 1, tasks: [newTask('t-1')] })
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
  expect(modes.length).toBeGreaterThan(1)
  expect(new Set(modes)).toEqual(new Set([0o600]))
  await store.close()
})

describe('a damaged file', () => {
  it('is told as no database when its header is gone', async () => {
    writeFileSync(file, 'this is not SQLite '.repeat(100))
    await expect(openStore({ file })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('is not a database'),
      cause: { errcode: 26 },
    })
  })

  it('is told as damaged when a page is overwritten', async () => {
    const connection = connectSqlite({ file })
    const store = await openStoreOn(connection)
    await store.commit({ at: 1, tasks: many(200) })
    const root = connection.raw.prepare(`select rootpage from sqlite_master where name = 'tasks'`).get()
    await store.close()
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(root?.['rootpage']) - 1) * 4096)
    closeSync(handle)
    const again = await openStore({ file })
    await expect(Array.fromAsync(again.openTasks())).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('damaged'),
      hint: expect.stringContaining('backup'),
      cause: { errcode: 11 },
    })
    await again.close()
  })
})

describe('a full disk', () => {
  it('L3 is told as full, leaves nothing half-written, and works again once there is room', async () => {
    const connection = connectSqlite({ file })
    const store = await openStoreOn(connection)
    await store.commit({ at: 1, tasks: [newTask('first')], events: [taskEvent('first', 'task-created')] })
    const { page_count: pages } = connection.raw.prepare('pragma page_count').get() as { page_count: number }
    connection.raw.exec(`pragma max_page_count = ${pages + 4}`)
    const change = {
      at: 2,
      updates: [{ state: begun('first'), version: 1 }],
      events: [taskEvent('first', 'task-started')],
      tasks: many(50),
    }
    await expect(store.commit(change)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('disk is full'),
      hint: expect.stringContaining('free some space'),
      cause: { errcode: 13 },
    })
    expect(await store.task('first')).toMatchObject({ version: 1 })
    expect(await store.countByStatus()).toMatchObject({ 'not-started': 1 })
    expect(await store.verifyHistory()).toEqual({ events: 1, sealed: 0, bad: null })
    connection.raw.exec('pragma max_page_count = 100000')
    await store.commit(change)
    expect(await store.countByStatus()).toMatchObject({ 'not-started': 50, 'in-progress': 1 })
    await store.close()
  })
})

describe('opening', () => {
  it('refuses a file of a newer Muster and names both versions', async () => {
    await (await openStore({ file })).close()
    const raw = new DatabaseSync(file)
    raw.exec(`update meta set value = '99' where name = 'schema'`)
    raw.close()
    await expect(openStore({ file })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/version 99.*version \d+/),
      hint: expect.stringContaining('update Muster'),
    })
  })

  it('runs only the migrations a file lacks, all of them or none', async () => {
    await (await openStore({ file })).close()
    const next = MIGRATIONS.length + 1
    const [second, broken] = ['create table more (id text)', 'create tabel more (id text)']
    const migrations = (...statements: string[]) => [
      ...MIGRATIONS.map(({ version }) => ({ version, statements: ['not run again'] })),
      { version: next, statements },
    ]
    await expect(openStoreOn(connectSqlite({ file }), { migrations: migrations(second, broken) })).rejects.toThrow(
      'syntax error',
    )
    await (await openStoreOn(connectSqlite({ file }), { migrations: migrations(second) })).close()
    await expect(openStore({ file })).rejects.toThrow(`version ${next}`)
  })

  it('refuses to read where there is nothing, and makes no file', async () => {
    await expect(openStore({ file, readOnly: true })).rejects.toMatchObject({ code: 'storage', cause: { errcode: 14 } })
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, '')
    await expect(openStore({ file, readOnly: true })).rejects.toThrow('holds no Muster data')
    await expect(openStore({ file: join(folder, 'no', 'such.db') })).rejects.toThrow('cannot be opened')
  })

  it('sets what durability rests on', async () => {
    const connection = connectSqlite({ file })
    const setting = (name: string): unknown => Object.values(connection.raw.prepare(`pragma ${name}`).get() ?? {})[0]
    expect(['journal_mode', 'synchronous', 'foreign_keys'].map(setting)).toEqual(['wal', 2, 1])
    await connection.close()
  })
})

describe('parameters', () => {
  it.each([
    ['an object', { a: 1 }],
    ['a date', new Date(0)],
    ['undefined', undefined],
    ['a boolean', true],
    ['NaN', Number.NaN],
  ])('refuses %s instead of storing NULL', async (_, value) => {
    const connection = connectSqlite({ file })
    await expect(sql`select ${value} as a, ${1} as b`.execute(connection.db)).rejects.toThrow('parameter 1 is')
    await connection.close()
  })
})
