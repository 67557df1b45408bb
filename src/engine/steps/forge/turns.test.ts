/** How often a forge is asked about a task that waits. */
import { stop } from '../../../domain/fixtures/reason.ts'
import { expect, test } from 'vitest'
import { forgePollMsMax } from '../../../domain/limits.ts'
import type { Phase } from '../../../domain/task/phase-map.ts'
import { WORK } from '../../../domain/task/purpose.ts'
import { initialState } from '../../../domain/task/task.ts'
import type { Engine } from '../../loop/engine.ts'
import type { Entry } from '../../loop/task-table.ts'
import { ForgeTurns } from './turns.ts'

test('SPEC Forge 6: a review is asked about every two minutes, though the step before it was one that is begun', async () => {
  let now = 0
  const reason = stop('a review')
  const turns = new ForgeTurns({
    parts: {
      clock: { now: () => now, steady: () => now },
      random: { nonce: () => 'ffff' },
      forge: { lands: 'there', place: 'there' },
      actions: { 'open-pr': { notYet: async () => null } },
      signals: { 'pr-review': { read: async () => ({ status: 'pending', reason }) } },
    },
    transactor: { config: async () => ({}) },
  } as unknown as Engine)
  const spec = { id: 's-1', parent: null, purpose: WORK, phases: [] }
  const state = { ...initialState('s-1', 3), status: 'in-progress' as const }
  const entry = { spec, state, version: 1 } as unknown as Entry
  const at = (type: 'action' | 'signal', name: string) =>
    turns.turn(entry, { name, step: { type, name } } as unknown as Phase)
  expect((await at('action', 'open-pr')).event.type).toBe('step')
  const asked: number[] = []
  await at('signal', 'pr-review')
  entry.state = { ...state, wait: reason }
  for (; asked.length < 12; now += 1000) {
    if (!turns.isDue(entry)) continue
    asked.push(now)
    await at('signal', 'pr-review')
  }
  const gaps = asked.slice(1).map((time, index) => time - (asked[index] ?? 0))
  expect(Math.min(...gaps.slice(6))).toBeGreaterThanOrEqual(forgePollMsMax * 0.75)
  // Each is a quarter longer or shorter.
  expect(Math.max(...gaps)).toBeLessThanOrEqual(forgePollMsMax * 1.25 + 1000)
})

test('a head that the pull request was given is nobody else’s: git of the forge is not asked about it', async () => {
  const asked: string[] = []
  const engineAt = (head: string) =>
    ({
      parts: {
        forge: {
          place: 'there',
          read: async () => ({ head, state: 'open' }),
          foreignHead: async (_: string, commit: string) => {
            asked.push(commit)
            return null
          },
        },
        actions: { 'open-pr': { notYet: async () => stop('busy') } },
      },
      transactor: { config: async () => ({}) },
    }) as unknown as Engine
  const phase = { name: 'review', step: { type: 'signal', name: 'pr-review' } } as unknown as Phase
  const pr = { id: '1', url: '', head: 'given', place: 'there' }
  const state = { ...initialState('s-1', 3), status: 'in-progress' as const, commit: 'newer', pr }
  const spec = { id: 's-1', parent: null, purpose: WORK, phases: [phase] }
  const entry = { spec, state, version: 1 } as unknown as Entry
  for (const head of ['given', 'newer', 'theirs']) await new ForgeTurns(engineAt(head)).turn(entry, phase)
  expect(asked).toEqual(['theirs'])
})
