import { expect, test } from 'vitest'
import { sampleContract } from '../fixtures/samples.ts'
import { Walk } from '../fixtures/walk.ts'
import { initialState, type TaskState } from './task.ts'
import { decide } from './transition.ts'

const contract = { ...sampleContract, type: 'verifiable' as const, criteria: [] }
const { rules } = new Walk(undefined, { contract })
const verified = { tree: 'tree', contract: contract.hash }
const known: TaskState = { ...initialState('t', 50), status: 'in-progress', commit: 'a', runs: 4, attempt: 2, verified }
const found = { type: 'landing-found', target: 'main', to: 'merged', known } as const

test('a task whose work is on its branch is completed with what was verified then', () => {
  const { state, log } = decide(initialState('t', 50), found, rules)
  expect(state).toMatchObject({ status: 'completed', landed: 'merged', commit: 'a', runs: 4, attempt: 2, verified })
  expect(log.map(({ type }) => type)).toEqual(['landing-found', 'task-completed'])
})

test('what is at work on it is stopped, its checker too, and its numbers are not used again', () => {
  const run = { id: 't.r9', kind: 'agent' as const, name: 'implementer' }
  const check = { id: 't.check.3', attempt: 3, commit: 'b', verdict: null, report: '' }
  const { state, commands } = decide({ ...known, runs: 9, attempt: 3, run, check }, found, rules)
  expect(state).toMatchObject({ status: 'completed', runs: 9, attempt: 3, run: null })
  expect(commands).toContainEqual({ type: 'stop', runId: 't.r9' })
  expect(commands).toContainEqual(expect.objectContaining({ type: 'also', task: 't.check.3' }))
})

test('H-1 under another contract than that, it is verified before it is done', () => {
  const other = { ...rules, contract: { ...contract, hash: 'another' } }
  expect(decide(initialState('t', 50), found, other).state).toMatchObject({
    status: 'in-progress',
    verifyThen: 'done',
    landed: 'merged',
  })
})

test('one that is completed stays what it is', () => {
  const done: TaskState = { ...known, status: 'completed' }
  expect(decide(done, found, rules)).toMatchObject({ state: done, log: [] })
})
