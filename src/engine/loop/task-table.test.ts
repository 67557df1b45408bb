import { expect, test } from 'vitest'
import { buildPhaseMap } from '../../domain/task/phase-map.ts'
import { PRESETS } from '../../domain/task/presets.ts'
import { WORK } from '../../domain/task/purpose.ts'
import { initialState } from '../../domain/task/task.ts'
import type { OpenTask } from '../../ports/store.ts'
import { TaskTable } from './task-table.ts'

const known = { agent: ['implementer'], check: [], action: ['merge'], signal: ['human-approval'] }
const phases = buildPhaseMap(new Map(Object.entries(PRESETS['reviewed'] ?? {})), known).map

function task(id: string, dependsOn: string[] = [], story: string | null = 's'): OpenTask {
  const spec = {
    id,
    title: id,
    story,
    parent: null,
    dependsOn,
    checks: [],
    expectedFiles: [],
    agent: null,
    purpose: WORK,
    defect: null,
    specRef: null,
    maxRounds: null,
    target: 'main',
    phases,
    configHash: 'c',
    createdAt: 0,
  }
  return { spec, state: initialState(id, 50), version: 1 }
}

test('counts what moves without a person, by story and in all', () => {
  const table = new TaskTable()
  const a = table.add(task('a'))
  table.add(task('b', ['a']))
  table.add(task('c', [], null))
  expect([table.moving('s'), table.moving(null), table.moving()]).toEqual([1, 1, 2])
  table.update(a, { ...a.state, status: 'in-progress', phase: 'review' }, 2)
  expect([table.moving('s'), table.moving()]).toEqual([0, 1])
})

test('E-29 names what can never start because of a task once each, nearest first', () => {
  const table = new TaskTable()
  for (const [id, ...after] of ['a', 'ba', 'ca', 'dbc', 'ed']) table.add(task(id ?? '', after))
  expect(table.dependentsOf('a')).toEqual(['b', 'c', 'd', 'e'])
})

test('D-8 a completed task frees its dependents, a failed one does not', () => {
  const table = new TaskTable()
  const [a, b] = [table.add(task('a')), table.add(task('b'))]
  table.add(task('c', ['a', 'b']))
  table.add(task('d', ['c']))
  expect(table.update(a, { ...a.state, status: 'completed' }, 2)).toEqual([])
  expect(table.update(b, { ...b.state, status: 'failed' }, 2)).toEqual([])
  expect(table.dependentsOf('b')).toEqual(['c', 'd'])
  expect(table.outsideDependencies()).toEqual(['b'])
  expect(table.release('b').map((entry) => entry.spec.id)).toEqual(['c'])
})

test('a dependent that was cancelled meanwhile is not freed', () => {
  const table = new TaskTable()
  const a = table.add(task('a'))
  const b = table.add(task('b', ['a']))
  table.add(task('c', ['a']))
  table.update(b, { ...b.state, status: 'cancelled' }, 2)
  expect(table.update(a, { ...a.state, status: 'completed' }, 2).map(({ spec }) => spec.id)).toEqual(['c'])
})

test('a task that waits for nothing shares no memory of waiting with others', () => {
  const table = new TaskTable()
  const a = table.add(task('a'))
  const b = table.add(task('b', ['x']))
  expect([a.blockedBy.size, b.blockedBy.size]).toEqual([0, 1])
  table.release('x')
  expect([a.blockedBy.size, b.blockedBy.size]).toEqual([0, 0])
})
