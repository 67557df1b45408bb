/** The store port's contract as a test suite. Every database that claims to be a store runs it. */
import { because } from '../domain/task/reasons.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import type { Change, RunEnd, RunRecord, Store } from '../ports/store.ts'
import { historyContract } from './conformance-history.ts'
import { begun, FAILED, newRun, newStory, newTask, PASSED, PHASES, taskEvent } from './samples.ts'

export interface StoreUnderTest {
  store: Store
  /** A second store on the same data, as after a restart. The suite closes it. */
  reopen: () => Promise<Store>
  /** Closes the store and removes its data. */
  dispose: () => Promise<void>
}

export function storeConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} is a store`, () => {
    let under: StoreUnderTest
    let store: Store

    beforeEach(async () => {
      under = await open()
      store = under.store
    })
    afterEach(() => under.dispose())

    const create = (id: string): Promise<unknown> =>
      store.commit({ at: 1, tasks: [newTask(id)], events: [taskEvent(id, 'task-created')] })
    const start = (id: string, version = 1): Promise<unknown> =>
      store.commit({ at: 2, updates: [{ state: begun(id), version }], events: [taskEvent(id, 'task-started')] })

    describe('tasks', () => {
      it('gives a task back as it was stored', async () => {
        const task = newTask('t-1', {
          dependsOn: ['t-0'],
          parent: 't-0',
          agent: 'designer',
          title: 'Ünïcödé \u0000 😀',
        })
        await store.commit({ at: 7, tasks: [task] })
        expect(await store.task('t-1')).toEqual({ ...task, version: 1, updatedAt: 7 })
        expect(await store.task('t-2')).toBeNull()
      })

      it('F-11 takes an update only at the version it was made from', async () => {
        await create('t-1')
        await start('t-1')
        const late = store.commit({
          at: 3,
          updates: [{ state: begun('t-1', { round: 9 }), version: 1 }],
          events: [taskEvent('t-1', 'late')],
        })
        await expect(late).rejects.toMatchObject({ code: 'conflict' })
        expect(await store.task('t-1')).toMatchObject({ version: 2, updatedAt: 2, state: begun('t-1') })
        expect((await store.events('task:t-1')).map((event) => event.type)).toEqual(['task-created', 'task-started'])
      })

      it('F-11 lets one of two simultaneous updates win', async () => {
        await create('t-1')
        const results = await Promise.allSettled([start('t-1'), start('t-1')])
        expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
        expect(await store.task('t-1')).toMatchObject({ version: 2 })
      })

      it('L3, L5 writes all of a change, texts included, or nothing of it', async () => {
        await create('t-1')
        const change: Change = {
          at: 3,
          configs: [{ hash: 'c2', body: 'x' }],
          stories: [newStory('s')],
          tasks: [newTask('t-2')],
          updates: [{ state: begun('t-1'), version: 1 }],
          runs: [newRun('t-1', 1)],
          findings: [{ taskId: 't-1', finding: { severity: 'FAIL', message: 'm', round: 0, source: 'unit' } }],
          events: [taskEvent('t-1', 'task-started'), { chain: 'story:s', type: 'begun', actor: 'ann', data: {} }],
          intents: [{ key: 'k', kind: 'start', taskId: 't-1', data: { runId: 't-1.r1', worker: true } }],
          ended: [{ id: 'no-such-run', end: PASSED }],
        }
        await expect(store.commit(change)).rejects.toMatchObject({ code: 'conflict' })
        expect(await store.task('t-1')).toMatchObject({ version: 1, state: { status: 'not-started' } })
        expect(await store.task('t-2')).toBeNull()
        expect([await store.stories(), await store.runs('t-1'), await store.findings('t-1')]).toEqual([[], [], []])
        expect([await store.pendingIntents(), await store.config('c2')]).toEqual([[], null])
        expect(await store.events('task:t-1')).toHaveLength(1)
        await expect(store.commit({ ...change, ended: [] })).resolves.toHaveLength(2)
      })

      it('refuses an id that is taken', async () => {
        await store.commit({ at: 1, stories: [newStory('s')], tasks: [newTask('t-1')], runs: [newRun('t-1', 1)] })
        for (const change of [
          { tasks: [newTask('t-1')] },
          { stories: [newStory('s')] },
          { runs: [newRun('t-1', 1)] },
        ] satisfies Omit<Change, 'at'>[]) {
          await expect(store.commit({ at: 2, ...change })).rejects.toThrow(MusterError)
          await expect(store.commit({ at: 2, ...change })).rejects.toMatchObject({ code: 'conflict' })
        }
      })

      it('gives a task another configuration and map with a move, whatever its status, and leaves its texts', async () => {
        await create('t-1')
        await start('t-1')
        const before = await store.task('t-1')
        const { instructions: _i, acceptanceCriteria: _a, ...spec } = newTask('t-1').spec
        const again = { ...spec, configHash: 'c2', checks: [], phases: PHASES.slice(0, 1) }
        const change: Change = {
          at: 4,
          updates: [{ state: begun('t-1'), version: 2, spec: again }],
          events: [taskEvent('t-1', 'task-retried')],
        }
        await store.commit(change)
        expect(await store.task('t-1')).toEqual({
          ...before,
          spec: { ...before?.spec, configHash: 'c2', checks: [], phases: again.phases },
          version: 3,
          updatedAt: 4,
        })
        await expect(store.commit(change)).rejects.toMatchObject({ code: 'conflict' })
      })

      it('writes a task anew from a changed plan only while it has not started', async () => {
        await create('t-1')
        const again = newTask('t-1', { title: 'New', instructions: 'New.', phases: PHASES.slice(0, 1) })
        const events = [taskEvent('t-1', 'task-redefined')]
        await store.commit({ at: 2, redefined: [{ ...again, version: 1 }], events })
        expect(await store.task('t-1')).toEqual({ ...again, version: 2, updatedAt: 2 })
        await start('t-1', 2)
        const late = store.commit({ at: 4, redefined: [{ ...again, version: 3 }], events })
        await expect(late).rejects.toMatchObject({ code: 'conflict' })
      })

      it('F-2 refuses a change of state that no event tells', async () => {
        await create('t-1')
        await expect(store.commit({ at: 2, updates: [{ state: begun('t-1'), version: 1 }] })).rejects.toThrow(
          'assertion failed: task t-1 changes without an event',
        )
        await expect(store.commit({ at: 2, events: [taskEvent('t-9', 'lost')] })).rejects.toThrow('does not exist')
      })
    })

    describe('lists', () => {
      beforeEach(async () => {
        const tasks = Array.from({ length: 12 }, (_, i) => {
          const story = i % 2 === 0 ? 'even' : null
          return newTask(`t-${i}`, { story, phases: [...PHASES] }, i < 3 ? { status: 'completed' } : {})
        })
        await store.commit({ at: 1, stories: [newStory('even')], tasks })
      })
      const ids = async (query: Parameters<Store['listTasks']>[0]): Promise<string[]> =>
        (await store.listTasks(query)).map(({ spec }) => spec.id)

      it('pages in natural order', async () => {
        expect(await ids({ limit: 4 })).toEqual(['t-0', 't-1', 't-2', 't-3'])
        expect(await ids({ limit: 4, after: 't-8' })).toEqual(['t-9', 't-10', 't-11'])
        expect(await ids({ limit: 9, story: 'even', after: 't-4' })).toEqual(['t-6', 't-8', 't-10'])
        expect(await ids({ limit: 2, open: true })).toEqual(['t-3', 't-4'])
        expect(await ids({ limit: 2, open: true, story: 'even' })).toEqual(['t-4', 't-6'])
      })

      it('lists open tasks without their texts and with one phase map for all that have the same', async () => {
        const open = (await Array.fromAsync(store.openTasks())).flat()
        expect(open.map(({ spec }) => spec.id)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `t-${n}`))
        expect(new Set(open.map(({ spec }) => spec.phases)).size).toBe(1)
        const { instructions: _, acceptanceCriteria: __, ...summary } = newTask('t-3').spec
        expect(open[0]).toMatchObject({ spec: summary, state: newTask('t-3').state, version: 1 })
        expect(open[0]?.spec).not.toHaveProperty('instructions')
      })

      it('finds what nobody works on, the longest standing first', async () => {
        const run = { id: 'r', kind: 'agent' as const, name: 'implementer' }
        const begun = { status: 'in-progress' as const, phase: PHASES[0]?.name ?? null }
        const tasks = [
          newTask('i-held', {}, { held: because('unclear', { said: 'too dear' }) }),
          newTask('i-gate', {}, begun),
          newTask('i-busy', {}, { ...begun, run }),
          newTask('i-failed', { story: 'even' }, { status: 'failed' }),
          newTask('i-alone', {}, { status: 'failed' }),
        ]
        for (const [at, task] of tasks.entries()) await store.commit({ at: 9 - at, tasks: [task] })
        const found = async (limit: number) => (await store.idleTasks(limit)).map(({ spec }) => spec.id)
        expect(await found(10)).toEqual(['i-failed', 'i-gate', 'i-held'])
        expect(await found(1)).toEqual(['i-failed'])
      })

      it('finds what waits for what failed or was cancelled, also after it was written anew', async () => {
        const over = (id: string, status: 'failed' | 'cancelled' | 'completed') => newTask(id, {}, { status })
        const [first, second] = [over('d-1', 'cancelled'), over('d-2', 'failed')]
        await store.commit({ at: 2, tasks: [second] })
        await store.commit({
          at: 3,
          tasks: [
            first,
            over('d-3', 'completed'),
            newTask('d-4', { dependsOn: ['d-1', 'd-2', 'd-3'] }),
            newTask('d-5', { dependsOn: ['d-3', 'd-4'] }),
            newTask('d-6', { dependsOn: ['d-1'] }, { status: 'cancelled' }),
          ],
        })
        const found = async (limit = 10) => (await store.deadlocked(limit)).map(({ id, behind }) => [id, behind])
        expect(await store.deadlocked(1)).toEqual([{ id: 'd-4', title: 'Title of d-4', behind: 'd-2' }])
        expect(await found()).toEqual([
          ['d-4', 'd-2'],
          ['d-4', 'd-1'],
        ])
        const anew = { ...newTask('d-4', { dependsOn: ['d-2'] }), version: 1 }
        await store.commit({ at: 4, redefined: [anew], events: [taskEvent('d-4', 'task-redefined')] })
        expect(await found()).toEqual([['d-4', 'd-2']])
      })

      it('counts by status and finds by id', async () => {
        const none = { 'in-progress': 0, failed: 0, cancelled: 0 }
        expect(await store.countByStatus()).toEqual({ ...none, 'not-started': 9, completed: 3 })
        expect(await store.countByStatus('even')).toEqual({ ...none, 'not-started': 4, completed: 2 })
        expect(await store.statuses(['t-1', 't-9', 'x'])).toEqual(
          new Map([
            ['t-1', 'completed'],
            ['t-9', 'not-started'],
          ]),
        )
        expect(await store.taskIdsEndingWith('1', 5)).toEqual(['t-1', 't-11'])
        expect(await store.taskIdsEndingWith('1', 1)).toEqual(['t-1'])
        expect(await store.taskIdsEndingWith('T-1', 5)).toEqual([])
        expect(await store.taskIdsEndingWith('%', 5)).toEqual([])
        expect(await store.taskIdsEndingWith('much-longer-than-any-id', 5)).toEqual([])
      })
    })

    describe('runs, findings, stories, configuration and settings', () => {
      it('keeps runs in the order they started and ends each once', async () => {
        await create('t-1')
        await store.commit({ at: 2, runs: [newRun('t-1', 10), newRun('t-1', 9)] })
        await store.commit({ at: 3, ended: [{ id: 't-1.r9', end: FAILED }] })
        const again = store.commit({ at: 4, ended: [{ id: 't-1.r9', end: PASSED }] })
        await expect(again).rejects.toMatchObject({ code: 'conflict' })
        expect(await store.runs('t-1')).toEqual([newRun('t-1', 10), newRun('t-1', 9, { end: FAILED })])
        expect(await store.run('t-1.r9')).toEqual(newRun('t-1', 9, { end: FAILED }))
        expect(await store.run('t-1.r1')).toBeNull()
      })

      it('gives runs beside where their tasks stand now, however many are asked for', async () => {
        for (const id of ['t-1', 't-2']) await create(id)
        await store.commit({ at: 2, runs: [newRun('t-1', 1), newRun('t-2', 1)] })
        await start('t-1')
        await store.commit({ at: 3, ended: [{ id: 't-1.r1', end: FAILED }] })
        const many = Array.from({ length: 1200 }, (_, i) => `x.r${i}`)
        expect(await store.runStandings(['t-1.r1', ...many, 't-2.r1'])).toEqual(
          new Map([
            ['t-1.r1', { run: newRun('t-1', 1, { end: FAILED }), task: begun('t-1'), movedAt: 2 }],
            ['t-2.r1', { run: newRun('t-2', 1), task: newTask('t-2').state, movedAt: 1 }],
          ]),
        )
        expect(await store.runStandings([])).toEqual(new Map())
      })

      it('keeps findings in order', async () => {
        await create('t-1')
        const first = { severity: 'FAIL', message: 'one', file: 'a.ts', line: 3, round: 0, source: 'unit' } as const
        const second = { severity: 'WARN', message: 'two', round: 1, source: 'checker' } as const
        const events = [taskEvent('t-1', 'noted')]
        await store.commit({ at: 2, events, findings: [{ taskId: 't-1', finding: first }] })
        await store.commit({
          at: 3,
          events,
          findings: [
            { taskId: 't-1', finding: second },
            { taskId: 't-1', finding: first },
          ],
        })
        expect(await store.findings('t-1')).toEqual([first, second, first])
      })

      it('a run is read with what its role did; one that an older Muster wrote, with what its name says', async () => {
        const named = (n: number, name: string, does: RunRecord['does']) =>
          newRun('t-1', n, { name, does, end: PASSED })
        const runs = [named(1, 'checker', 'work'), named(2, 'gatekeeper', 'judge'), named(3, 'checker', null)]
        const check = newRun('t-1', 4, { kind: 'check', name: 'verifier', does: null, end: PASSED })
        await store.commit({ at: 1, tasks: [newTask('t-1')], runs: [...runs, check] })
        expect((await store.runs('t-1')).map(({ does }) => does)).toEqual(['work', 'judge', 'judge', null])
        const told = (await store.verdicts()).map(({ role, does }) => `${role} ${does}`)
        expect(told.toSorted()).toEqual(['checker judge', 'checker work', 'gatekeeper judge', 'verifier null'])
      })

      it('F-3 adds up what agents used, by day, story, role and program; what is not known stays so', async () => {
        const day = 24 * 60 * 60 * 1000
        const used = (at: number, program: string, usd?: number): RunEnd => {
          const usage = { inputTokens: 10, cachedTokens: 0, outputTokens: 1, ...(usd === undefined ? {} : { usd }) }
          return { ...PASSED, at, facts: { program, usage } }
        }
        await store.commit({ at: 1, stories: [newStory('s')], tasks: [newTask('s-1', { story: 's' }), newTask('t-1')] })
        const untold: RunEnd = { ...PASSED, at: day, facts: { program: 'claude' } }
        const ends = [used(day - 1, 'claude', 0.5), used(day, 'claude', 0.25), used(day + 5, 'codex'), untold]
        const runs = ends.map((end, n) => newRun('s-1', n + 1, { end }))
        await store.commit({ at: 2, runs: [...runs, newRun('t-1', 1, { end: PASSED }), newRun('t-1', 2)] })
        await store.commit({ at: 3, ended: [{ id: 't-1.r2', end: used(2 * day, 'claude', 1) }] })
        const base = { story: 's', role: 'implementer' }
        const began = runs[0]?.startedAt ?? 0
        const told = { inputTokens: 10, outputTokens: 1 }
        const lines = [
          { ...base, day: 0, program: 'claude', runs: 1, priced: 1, usd: 0.5, ...told, workMs: day - 1 - began },
          { ...base, day: 1, program: 'claude', runs: 2, priced: 1, usd: 0.25, ...told, workMs: 2 * (day - began) },
          { ...base, day: 1, program: 'codex', runs: 1, priced: 0, usd: null, ...told, workMs: day + 5 - began },
        ]
        const alone = { ...lines[0], story: null, day: 2, usd: 1, workMs: 2 * day - began }
        expect(await store.spent({})).toEqual([...lines, alone])
        expect(await store.spent({ story: 's', since: day })).toEqual(lines.slice(1))
        expect(await store.spent({ story: null })).toEqual([alone])
        expect(await store.spent({ story: 'x' })).toEqual([])
        const passed = { kind: 'agent', role: 'implementer', does: 'work', verdict: 'PASS' } as const
        expect(await store.verdicts('s')).toEqual([
          { ...passed, program: 'claude', runs: 3 },
          { ...passed, program: 'codex', runs: 1 },
        ])
        expect((await store.verdicts()).map(({ program, runs: count }) => [program, count])).toEqual([
          [null, 1],
          ['claude', 4],
          ['codex', 1],
        ])
      })

      it('keeps stories, configurations and settings', async () => {
        const [old, young] = [newStory('b', 1), newStory('a', 2)]
        await store.commit({ at: 1, stories: [young, old], configs: [{ hash: 'c1', body: 'text' }] })
        await store.commit({ at: 2, configs: [{ hash: 'c1', body: 'text' }] })
        expect([await store.stories(), await store.story('a'), await store.story('x')]).toEqual([
          [old, young],
          young,
          null,
        ])
        expect([await store.config('c1'), await store.config('c2')]).toEqual(['text', null])
        await store.setSetting('paused', 'yes')
        await store.setSetting('paused', 'no')
        expect(await store.setting('paused')).toBe('no')
        await store.setSetting('paused', null)
        expect(await store.setting('paused')).toBeNull()
      })
    })

    historyContract(() => under)
  })
}
