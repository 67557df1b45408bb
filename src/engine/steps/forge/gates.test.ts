/** How the gates of an attempt stand beside its commit, read from the task's history. */
import { expect, test } from 'vitest'
import { buildPhaseMap } from '../../../domain/task/phase-map.ts'
import { PRESETS } from '../../../domain/task/presets.ts'
import type { StoredEvent, TaskSummary } from '../../../ports/store.ts'
import { gatesOf } from './gates.ts'

const known = { agent: ['implementer'], check: ['contract'], action: ['merge'], signal: ['human-approval'] }
const { map: phases } = buildPhaseMap(new Map(Object.entries(PRESETS['reviewed'] ?? {})), known)

const event = (type: string, data: Record<string, unknown>) => ({ type, data }) as unknown as StoredEvent
const began = (attempt: number) => event('run-started', { kind: 'agent', attempt })
const entered = (from: string, to: string) => event('phase-entered', { from, to })
const stand = (events: StoredEvent[], attempt = 1) =>
  gatesOf({ phases } as TaskSummary, events, attempt, 'https://x.invalid/t').map(({ context, state, description }) => {
    return `${context} ${state}: ${description}`
  })

const verified = [began(1), entered('implement', 'verify'), entered('verify', 'review')]

test('a gate is under way, passed or sent back; what is no gate is not shown', () => {
  expect(stand([began(1)])).toEqual([])
  expect(stand(verified.slice(0, 2))).toEqual(['muster/verify pending: under way'])
  expect(stand(verified)).toEqual(['muster/verify success: passed', 'muster/review pending: under way'])
  expect(stand([...verified, entered('review', 'implement')])).toEqual([
    'muster/verify success: passed',
    'muster/review failure: sent back',
  ])
  expect(stand([...verified, entered('review', 'land'), event('task-completed', { from: 'land' })])).toEqual([
    'muster/verify success: passed',
    'muster/review success: passed',
  ])
  expect(stand([...verified, event('task-completed', { from: 'review' })])[1]).toBe('muster/review success: passed')
})

test('what a gate does again, and events that name no phase, send nothing back', () => {
  expect(stand([...verified, entered('review', 'review')])[1]).toBe('muster/review pending: under way')
  expect(stand([...verified, event('task-retried', { from: 'failed' })])).toEqual(stand(verified))
})

test('each attempt has gates of its own, a person’s too', () => {
  const again = [...verified, entered('review', 'implement'), began(2), entered('implement', 'verify')]
  expect(stand(again, 2)).toEqual(['muster/verify pending: under way'])
  expect(stand(again, 1)).toEqual(['muster/verify success: passed', 'muster/review failure: sent back'])
  const submitted = [...again, event('submitted', { attempt: 3 }), entered('implement', 'verify')]
  expect(stand(submitted, 3)).toEqual(['muster/verify pending: under way'])
})
