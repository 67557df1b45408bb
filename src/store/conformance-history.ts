/** The store's contract about intents and the event log, as tests. */
import { describe, expect, it } from 'vitest'
import type { Store } from '../ports/store.ts'
import { begun, FAILED, newRun, newStory, newTask, PASSED, runEnded, taskEvent } from './samples.ts'

export function historyContract(under: () => { store: Store; reopen: () => Promise<Store> }): void {
  const store = (): Store => under().store
  const create = (id: string): Promise<unknown> =>
    store().commit({ at: 1, tasks: [newTask(id)], events: [taskEvent(id, 'task-created')] })

  describe('intents', () => {
    const intent = (key: string) => ({ key, kind: 'stop', taskId: null, data: { runId: key } }) as const

    it('queues a key once, even after it is settled', async () => {
      await store().commit({ at: 1, intents: [intent('b'), intent('a'), intent('b')] })
      await store().commit({ at: 2, intents: [intent('c')], settled: ['b', 'c', 'unknown'] })
      await store().commit({ at: 3, intents: [intent('b'), intent('a')] })
      expect(await store().pendingIntents()).toEqual([{ ...intent('a'), pinned: null }])
      expect([await store().isPending('a'), await store().isPending('b'), await store().isPending('d')]).toEqual([
        true,
        false,
        false,
      ])
    })

    it('keeps what was pinned over a restart', async () => {
      await store().commit({ at: 1, intents: [intent('a')] })
      await store().pin('a', { commit: 'abc' })
      const again = await under().reopen()
      expect(await again.pendingIntents()).toEqual([{ ...intent('a'), pinned: { commit: 'abc' } }])
      await again.close()
      await expect(store().pin('b', {})).rejects.toThrow('not pending')
    })
  })

  describe('history', () => {
    it('F-2 numbers events over the store and in their chains, and hashes each over the one before', async () => {
      await store().commit({ at: 1, stories: [newStory('s')], tasks: [newTask('t-1'), newTask('t-2')] })
      const stored = await store().commit({
        at: 5,
        updates: [{ state: begun('t-1'), version: 1 }],
        events: [
          taskEvent('t-1', 'task-started', { phase: 'implement' }),
          taskEvent('t-2', 'noted'),
          { chain: 'story:s', type: 'begun', actor: 'ann', data: { deep: { list: [1, null] } } },
          taskEvent('t-1', 'run-started'),
        ],
      })
      expect(stored.map(({ chain, n, at }) => [chain, n, at])).toEqual([
        ['task:t-1', 1, 5],
        ['task:t-2', 1, 5],
        ['story:s', 1, 5],
        ['task:t-1', 2, 5],
      ])
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map(({ seq }) => seq).sort((a, b) => a - b))
      expect(new Set(stored.map(({ hash }) => hash)).size).toBe(4)
      expect(await store().events('task:t-1')).toEqual([stored[0], stored[3]])
      expect(await store().events('story:s')).toEqual([stored[2]])
      expect(await store().lastEvent('task:t-1', 'task-started')).toEqual(stored[0])
      expect(await store().lastEvent('task:t-2', 'task-started')).toBeNull()
      expect(await store().verifyHistory()).toEqual({ events: 4, sealed: 0, bad: null })
    })

    it('gives events in the order of the whole store, from any place on, also of one task or story alone', async () => {
      expect(await store().lastSeq()).toBe(0)
      const checker = newTask('s-1.check.1', { purpose: { is: 'check', of: 's-1' } }, { attempt: 1 })
      const tasks = [newTask('s-1', { story: 's' }), newTask('t-1'), checker]
      const stored = await store().commit({
        at: 5,
        stories: [newStory('s')],
        tasks,
        events: [
          taskEvent('t-1', 'a', { deep: [1] }),
          taskEvent('s-1', 'b'),
          { chain: 'story:s', type: 'c', actor: 'ann', data: {} },
          taskEvent('s-1.check.1', 'd'),
          taskEvent('t-1', 'e'),
        ],
      })
      const types = async (query: Partial<Parameters<Store['eventsSince']>[0]>): Promise<string> =>
        (await store().eventsSince({ after: 0, limit: 9, ...query })).map(({ type }) => type).join('')
      expect(await store().eventsSince({ after: 0, limit: 9 })).toEqual(stored)
      const [first, , third, , last] = stored.map(({ seq }) => seq)
      expect(await store().lastSeq()).toBe(last)
      expect(await types({ after: first ?? 0, limit: 2 })).toBe('bc')
      expect(await types({ upTo: third })).toBe('abc')
      expect(await types({ task: 't-1' })).toBe('ae')
      expect(await types({ story: 's' })).toBe('bcd')
      expect(await types({ story: 's', after: third ?? 0 })).toBe('d')
      expect(await types({ story: 'x' })).toBe('')
      expect(await types({ after: last ?? 0 })).toBe('')
    })

    it('proves a long history whole, also after a restart', async () => {
      const tasks = Array.from({ length: 40 }, (_, i) => newTask(`t-${i}`))
      await store().commit({ at: 1, tasks, events: tasks.map(({ spec }) => taskEvent(spec.id, 'task-created')) })
      for (let version = 1; version <= 15; version += 1) {
        const updates = tasks.map(({ spec }) => ({ state: begun(spec.id, { round: version }), version }))
        const events = tasks.flatMap(({ spec }) => [taskEvent(spec.id, 'a'), taskEvent(spec.id, 'b')])
        await store().commit({ at: version, updates, events })
      }
      const again = await under().reopen()
      expect(await again.verifyHistory()).toEqual({ events: 40 * 31, sealed: 0, bad: null })
      await again.close()
    })

    it('refuses an event about a run that contradicts the run', async () => {
      await create('t-1')
      await store().commit({ at: 2, runs: [newRun('t-1', 1)] })
      const events = [runEnded('t-1', 1, PASSED)]
      await expect(store().commit({ at: 3, ended: [{ id: 't-1.r1', end: FAILED }], events })).rejects.toThrow(
        'assertion',
      )
      await store().commit({ at: 3, ended: [{ id: 't-1.r1', end: PASSED }], events })
      expect(await store().verifyHistory()).toEqual({ events: 2, sealed: 0, bad: null })
    })

    it('shows a second store what the first has committed', async () => {
      const again = await under().reopen()
      await create('t-1')
      expect(await again.task('t-1')).toMatchObject({ version: 1 })
      await again.close()
    })
  })
}
