/** Somebody edits the database behind Muster's back: the history must notice and name the event. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assert } from '../domain/errors.ts'
import { linkHash } from './chain.ts'
import { begun, FAILED, newRun, newStory, newTask, runEnded, taskEvent } from './samples.ts'
import { openStore } from './store.ts'

let folder: string
let file: string

/** Two tasks; t-1 has four events, the third of which says that its run failed. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-verify-'))
  file = join(folder, 'muster.db')
  const store = await openStore({ file })
  await store.commit({
    at: 1,
    stories: [newStory('s')],
    tasks: [newTask('t-1'), newTask('t-2')],
    events: [
      taskEvent('t-1', 'task-created'),
      taskEvent('t-2', 'task-created'),
      { chain: 'story:s', type: 'story-created', actor: 'ann', data: {} },
    ],
  })
  await store.commit({
    at: 2,
    updates: [{ state: begun('t-1'), version: 1 }],
    runs: [newRun('t-1', 1)],
    events: [taskEvent('t-1', 'run-started')],
  })
  await store.commit({
    at: 3,
    updates: [{ state: begun('t-1', { round: 1 }), version: 2 }],
    ended: [{ id: 't-1.r1', end: FAILED }],
    findings: [
      {
        taskId: 't-1',
        finding: { round: 0, source: 'verifier', severity: 'FAIL', message: 'half \ud800', file: 'a.ts' },
      },
      { taskId: 't-1', finding: { round: 0, source: 'verifier', severity: 'WARN', message: 'slow', criterion: 'c1' } },
    ],
    events: [runEnded('t-1', 1, FAILED), taskEvent('t-1', 'phase-entered')],
  })
  await store.close()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function badAfter(...edits: string[]) {
  const raw = new DatabaseSync(file)
  for (const edit of edits) raw.exec(edit)
  raw.close()
  const store = await openStore({ file })
  const { bad } = await store.verifyHistory()
  await store.close()
  return bad
}

describe('F-2 the history notices', () => {
  const inTask = (n: number) => `chain = 'task:t-1' and n = ${n}`

  it('nothing when nothing was touched', async () => {
    expect(await badAfter()).toBeNull()
  })

  it.each(['body', 'type', 'actor'])("an event's edited %s", async (column) => {
    const edit = `update events set ${column} = replace(${column}, 'e', 'o') where ${inTask(2)}`
    expect(await badAfter(edit)).toEqual({ chain: 'task:t-1', n: 2, what: expect.stringContaining('was changed') })
  })

  it("an event's moved time", async () => {
    expect(await badAfter(`update events set at = 9 where ${inTask(1)}`)).toMatchObject({ chain: 'task:t-1', n: 1 })
  })

  it('an edited event with a new hash that fits it, at the event after it', async () => {
    const store = await openStore({ file })
    const [first] = await store.events('task:t-1')
    await store.close()
    assert(first !== undefined, 't-1 has events')
    const body = JSON.stringify({ data: { forged: true } })
    const hash = linkHash('', { ...first, body })
    expect(await badAfter(`update events set body = '${body}', hash = '${hash}' where ${inTask(1)}`)).toMatchObject({
      chain: 'task:t-1',
      n: 2,
    })
  })

  it('a removed event in the middle', async () => {
    const middle = await badAfter(`delete from events where ${inTask(2)}`)
    expect(middle).toEqual({ chain: 'task:t-1', n: 2, what: 'it is missing: event 3 follows event 1' })
  })

  it('a removed last event', async () => {
    const bad = await badAfter(`delete from events where ${inTask(4)}`)
    expect(bad).toEqual({
      chain: 'task:t-1',
      n: 4,
      what: 'it is missing: Muster wrote 4 events, but the last one found is 3',
    })
  })

  it('a removed history of a task, even with its head set back', async () => {
    expect(await badAfter(`delete from events where chain = 'task:t-1'`)).toMatchObject({ chain: 'task:t-1', n: 1 })
    expect(await badAfter(`update tasks set chain_n = 0, chain_hash = ''`)).toMatchObject({ chain: 'task:t-2', n: 1 })
    expect(await badAfter(`delete from events`)).toMatchObject({ n: 1, what: expect.stringContaining('whole history') })
  })

  it('an added event', async () => {
    const add = `insert into events (chain, n, type, actor, at, body, hash) values ('task:t-2', 2, 'x', 'y', 1, '{}', 'z')`
    expect(await badAfter(add)).toMatchObject({ chain: 'task:t-2', n: 2 })
  })

  it('a removed task, and a removed history of a story', async () => {
    const bad = await badAfter(`delete from task_texts where task_id = 't-2'`, `delete from tasks where id = 't-2'`)
    expect(bad).toMatchObject({ chain: 'task:t-2', what: expect.stringContaining('row was removed') })
    expect(await badAfter(`delete from events where chain = 'story:s'`)).not.toBeNull()
  })

  it("a task's edited status", async () => {
    expect(await badAfter(`update tasks set status = 'completed' where id = 't-1'`)).toEqual({
      chain: 'task:t-1',
      n: 4,
      what: "it says the task's status was in-progress, the task's row says completed",
    })
  })

  it.each(['phase', 'round', 'attempt'])("a task's edited %s", async (field) => {
    const edit = `update tasks set state = json_set(state, '$.${field}', 7) where id = 't-1'`
    const bad = await badAfter(edit)
    expect(bad).toMatchObject({ chain: 'task:t-1', n: 4, what: expect.stringContaining(`the task's ${field}`) })
  })

  it.each([
    ['edited', `update findings set message = 'all is well' where n = 2`],
    ['softened', `update findings set severity = 'WARN' where n = 1`],
    ['moved', `update findings set file = 'b.ts' where n = 1`],
    ['removed', `delete from findings where n = 2`],
  ])('a finding that was %s', async (_how, edit) => {
    const what = 'its findings are not those that Muster stored with it'
    expect(await badAfter(edit)).toEqual({ chain: 'task:t-1', n: 4, what })
  })

  it('a finding that nobody found', async () => {
    const add = `insert into findings (task_id, n, round, source, severity, message) values ('t-1', 3, 0, 'x', 'FAIL', 'y')`
    expect(await badAfter(add)).toMatchObject({ chain: 'task:t-1', what: expect.stringContaining('no event') })
  })

  it('a FAIL edited to PASS in the table of runs', async () => {
    expect(await badAfter(`update runs set verdict = 'PASS' where id = 't-1.r1'`)).toEqual({
      chain: 'task:t-1',
      n: 3,
      what: "it says the verdict of run t-1.r1 was FAIL, the run's row says PASS",
    })
    expect(await badAfter(`update runs set verdict = 'FAIL', outcome = 'ADVANCE'`)).toMatchObject({ n: 3 })
    expect(await badAfter(`update runs set ended_at = null`)).toMatchObject({ n: 3 })
    expect(await badAfter(`delete from runs`)).toMatchObject({ n: 3, what: expect.stringContaining('no such run') })
  })
})
