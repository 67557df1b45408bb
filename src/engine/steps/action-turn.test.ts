/** What keeps an action from beginning. */
import { because, type Reason } from '../../domain/task/reasons.ts'
import { expect, test } from 'vitest'
import { MusterError } from '../../domain/errors.ts'
import type { Phase } from '../../domain/task/phase-map.ts'
import { PRESETS } from '../../domain/task/presets.ts'
import { buildPhaseMap } from '../../domain/task/phase-map.ts'
import { initialState } from '../../domain/task/task.ts'
import { actionTurn } from './action-turn.ts'
import type { Engine } from '../loop/engine.ts'
import { LandingLine } from '../loop/landing-line.ts'
import type { Entry } from '../loop/task-table.ts'

const known = { agent: ['implementer'], check: [], action: ['merge'], signal: [] }
const phases = buildPhaseMap(new Map(Object.entries(PRESETS['direct'] ?? {})), known).map
const land = phases.find(({ name }) => name === 'land') as Phase

function engine(notYet: () => Promise<Reason | null> = async () => null): Engine {
  const config = { protected: [] }
  const parts = { actions: { merge: { notYet } }, config }
  return { parts, table: { line: new LandingLine() }, transactor: { config: async () => config } } as unknown as Engine
}

function entry(id: string, target = 'main'): Entry {
  const state = { ...initialState(id, 50), status: 'in-progress' as const, phase: 'land', commit: 'c' }
  const spec = { id, target, phases } as unknown as Entry['spec']
  return { key: id, spec, state, version: 1, blockedBy: new Set(), moving: false }
}

test('one task at a time lands on a branch, the next waits for its turn by itself', async () => {
  const here = engine()
  const turnOf = async (one: Entry) => (await actionTurn(here, one, land)).event
  const first = entry('a')
  expect(await turnOf(first)).toEqual({ type: 'step', phase: 'land' })
  expect(await turnOf(entry('b'))).toMatchObject({ type: 'waited', reason: { code: 'queue' } })
  expect(await turnOf(entry('c', 'other'))).toMatchObject({ type: 'step' })
  expect(await turnOf(first)).toMatchObject({ type: 'step' })
})

test('who stands in the line is not looked at again before its turn', async () => {
  let looks = 0
  const here = engine(async () => {
    looks += 1
    return null
  })
  await actionTurn(here, entry('a'), land)
  const next = entry('b')
  next.state = { ...next.state, wait: because('queue', { target: 'main' }) }
  expect((await actionTurn(here, next, land)).event).toMatchObject({ reason: { code: 'queue' } })
  expect(looks).toBe(1)
})

test('what git cannot do keeps one task waiting; what nobody expected stops the engine', async () => {
  const failing = (thrown: Error) =>
    actionTurn(
      engine(() => Promise.reject(thrown)),
      entry('a'),
      land,
    )
  expect((await failing(new MusterError('git', 'no such ref'))).event).toMatchObject({
    type: 'waited',
    reason: { code: 'git', params: { said: 'no such ref' } },
  })
  for (const error of [new MusterError('busy', 'x'), new Error('x')]) await expect(failing(error)).rejects.toBe(error)
})
