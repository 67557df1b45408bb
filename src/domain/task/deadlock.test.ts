import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DependencyNode } from './deadlock.ts'
import { findDeadlocks } from './deadlock.ts'
import { because, wordsOf } from './reasons.ts'
import type { TaskStatus } from './task.ts'

const open = (id: string, ...dependsOn: string[]): DependencyNode => ({ id, status: 'not-started', dependsOn })
const at = (status: TaskStatus, id: string): DependencyNode => ({ id, status, dependsOn: [] })
const told = (...nodes: DependencyNode[]) =>
  findDeadlocks(nodes).map((deadlock) => wordsOf(because('deadlock', deadlock)))

describe('a task that can start some day', () => {
  test.each(['completed', 'in-progress', 'not-started'] as const)('S2.24 with a dependency that is %s', (status) => {
    expect(findDeadlocks([at(status, 'a'), open('b', 'a')])).toEqual([])
  })

  test('a diamond is no cycle', () => {
    expect(findDeadlocks([open('a'), open('b', 'a'), open('c', 'a'), open('d', 'b', 'c', 'b')])).toEqual([])
  })

  test('a task under way is not stuck, whatever became of what it depended on', () => {
    const running: DependencyNode = { id: 'b', status: 'in-progress', dependsOn: ['a', 'gone'] }
    expect(findDeadlocks([at('failed', 'a'), running, open('c', 'b')])).toEqual([])
  })
})

describe('S2.25 E-29 a task that can never start', () => {
  test('because a dependency failed', () => {
    expect(told(at('failed', 'a'), open('b', 'a'))).toEqual(['b cannot start: it depends on a, and a failed'])
  })

  test('because a dependency was cancelled', () => {
    expect(told(open('b', 'a'), at('cancelled', 'a'))).toEqual(['b cannot start: it depends on a, and a was cancelled'])
  })

  test('because a dependency does not exist', () => {
    expect(told(open('b', 'ghost'))).toEqual(['b cannot start: it depends on ghost, and there is no task ghost'])
  })

  test('because it depends on itself', () => {
    expect(told(open('a', 'a'))).toEqual(['a cannot start: it depends on a, and a depends on itself'])
  })

  test('because it is on a cycle', () => {
    expect(findDeadlocks([open('a', 'b'), open('b', 'c'), open('c', 'a')])).toEqual([
      { task: 'a', reason: 'cycle', via: 'b', root: 'a' },
      { task: 'b', reason: 'cycle', via: 'c', root: 'b' },
      { task: 'c', reason: 'cycle', via: 'a', root: 'c' },
    ])
  })

  test('because what it depends on is stuck: told to the end of the chain, in natural order', () => {
    const nodes = [open('t-10', 't-9'), open('t-9', 't-2'), open('t-2', 't-1'), at('failed', 't-1'), open('t-3')]
    expect(told(...nodes)).toEqual([
      't-2 cannot start: it depends on t-1, and t-1 failed',
      't-9 cannot start: it depends on t-2, which waits for t-1, and t-1 failed',
      't-10 cannot start: it depends on t-9, which waits for t-1, and t-1 failed',
    ])
  })

  test('because it waits for a cycle it is not part of', () => {
    expect(told(open('c', 'a'), open('a', 'b'), open('b', 'a'))).toContain(
      'c cannot start: it depends on a, and a depends on itself',
    )
  })

  test('because one of many dependencies is stuck', () => {
    const nodes = [at('completed', 'a'), open('b'), at('failed', 'x'), open('c', 'a', 'b', 'x')]
    expect(findDeadlocks(nodes)).toEqual([{ task: 'c', reason: 'failed', via: 'x', root: 'x' }])
  })
})

test('agrees with a plain search for a task that can complete last, on random graphs', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const status = fc.constantFrom<TaskStatus>(
    'not-started',
    'not-started',
    'not-started',
    'in-progress',
    'completed',
    'failed',
    'cancelled',
  )
  const graph = fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(id),
        status,
        dependsOn: fc.array(fc.constantFrom(...ids, 'missing'), { maxLength: 2 }),
      }),
    ),
  )
  fc.assert(
    fc.property(graph, (nodes) => {
      expect(findDeadlocks(nodes).map((deadlock) => deadlock.task)).toEqual(stuckIn(nodes))
    }),
    { numRuns: 500 },
  )
})

/** Lets everything complete that can; what is left can never start. */
function stuckIn(nodes: readonly DependencyNode[]): string[] {
  const fine = new Set(
    nodes.filter(({ status }) => status === 'completed' || status === 'in-progress').map(({ id }) => id),
  )
  for (let size = -1; size !== fine.size;) {
    size = fine.size
    for (const { id, status, dependsOn } of nodes) {
      if (status === 'not-started' && dependsOn.every((dependency) => fine.has(dependency))) fine.add(id)
    }
  }
  return nodes.filter(({ id, status }) => status === 'not-started' && !fine.has(id)).map(({ id }) => id)
}

describe('fifty thousand tasks', () => {
  const count = 50_000
  const chain = (first: DependencyNode) => [
    first,
    ...Array.from({ length: count - 1 }, (_, index) => open(`t-${index + 2}`, `t-${index + 1}`)),
  ]

  test.each([
    ['a chain whose end failed', chain(at('failed', 't-1')), count - 1],
    ['the same, told from the other end', chain(at('failed', 't-1')).toReversed(), count - 1],
    ['a chain that is fine', chain(open('t-1')), 0],
    ['one cycle of all', chain(open('t-1', `t-${count}`)), count],
  ])('%s: no recursion', (_, nodes, stuck) => {
    expect(findDeadlocks(nodes)).toHaveLength(stuck)
  })
})
