/** Whose turn it is to land on a branch. */
import { stop } from '../../domain/fixtures/reason.ts'
import { because } from '../../domain/task/reasons.ts'
import { expect, test } from 'vitest'
import { PRESETS } from '../../domain/task/presets.ts'
import { buildPhaseMap } from '../../domain/task/phase-map.ts'
import { initialState, type TaskState } from '../../domain/task/task.ts'
import { LandingLine } from './landing-line.ts'
import type { Entry } from './task-table.ts'

const { map } = buildPhaseMap(new Map(Object.entries(PRESETS['direct'] ?? {})), {
  agent: ['implementer'],
  check: [],
  action: ['merge'],
  signal: [],
})
const QUEUE = { wait: because('queue', { target: 'main' }) }

class Task {
  readonly entry: Entry
  readonly #line: LandingLine

  constructor(line: LandingLine, id: string, more: Partial<TaskState> = {}, target = 'main') {
    this.#line = line
    const state: TaskState = { ...initialState(id, 50), status: 'in-progress', phase: 'land', commit: 'c', ...more }
    const spec = { id, target, phases: map } as unknown as Entry['spec']
    this.entry = { key: id, spec, state, version: 1, blockedBy: new Set(), moving: false }
    line.update(this.entry)
  }

  /** Returns the id of the task whose turn it is now. */
  is(more: Partial<TaskState>): string | undefined {
    this.entry.state = { ...this.entry.state, ...more }
    return this.#line.update(this.entry)?.spec.id
  }

  takes(): boolean {
    return this.#line.take(this.entry)
  }
}

const running = { run: { id: 'r', kind: 'action' as const, name: 'merge' } }

test('the first that asks has the turn, and the others wait in the order in which they came', () => {
  const line = new LandingLine()
  const [a, b, c] = ['a', 'b', 'c'].map((id) => new Task(line, id)) as [Task, Task, Task]
  expect([a.takes(), b.takes(), c.takes(), a.takes()]).toEqual([true, false, false, true])
  c.is(QUEUE)
  b.is(QUEUE)
  expect(a.is(running)).toBeUndefined()
  expect(a.is({ run: null, verifyThen: 'land', wait: stop('to be verified') })).toBeUndefined()
  // Verified: it stands before the landing again, and keeps its turn.
  expect(a.is({ verifyThen: null, wait: null })).toBeUndefined()
  expect(a.is({ status: 'completed', phase: null })).toBe('c')
  // Nobody who comes now goes before those who wait.
  expect([new Task(line, 'd').takes(), b.takes(), c.takes()]).toEqual([false, false, true])
})

test.each<[string, Partial<TaskState>]>([
  ['is sent back', { phase: 'implement' }],
  ['is held', { held: stop('protected paths') }],
  ['waits for a clean checkout', { wait: stop('a clean checkout') }],
  ['waits for approval', { wait: because('approval', { task: 'a', target: 'main', open: [] }) }],
  ['is cancelled', { status: 'cancelled' }],
])('one that %s gives up its turn', (_, more) => {
  const line = new LandingLine()
  const [a, b] = [new Task(line, 'a'), new Task(line, 'b')]
  a.takes()
  a.is(running)
  b.is(QUEUE)
  expect(a.is({ run: null, ...more })).toBe('b')
  expect(b.takes()).toBe(true)
})

test('one that leaves the line lets the next one go; another branch has a line of its own', () => {
  const line = new LandingLine()
  const [a, b, c] = ['a', 'b', 'c'].map((id) => new Task(line, id)) as [Task, Task, Task]
  a.takes()
  a.is(running)
  b.is(QUEUE)
  c.is(QUEUE)
  expect(new Task(line, 'x', {}, 'other').takes()).toBe(true)
  expect(a.is({ run: null, status: 'completed', phase: null })).toBe('b')
  expect(b.is({ wait: stop('a clean checkout') })).toBe('c')
  expect(c.takes()).toBe(true)
})

test('after a restart, who was landing goes on', () => {
  const line = new LandingLine()
  const waits = new Task(line, 'a', QUEUE)
  const verifies = new Task(line, 'b', { verifyThen: 'land', wait: stop('to be verified') })
  expect([waits.takes(), verifies.takes()]).toEqual([false, true])
})
