/** What a change of tasks means for their stories. */
import { expect, test } from 'vitest'
import { NO_TASKS } from '../../domain/story/story.ts'
import { WORK } from '../../domain/task/purpose.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import { addedDeltas, countDelta, countsFor } from './story-moves.ts'

const own = { story: 's', parent: null, purpose: WORK }

test.each<[TaskStatus, TaskStatus, object | null]>([
  ['not-started', 'in-progress', null],
  ['in-progress', 'completed', { open: -1, completed: 1 }],
  ['in-progress', 'failed', { open: -1, failed: 1 }],
  ['not-started', 'cancelled', { open: -1, cancelled: 1 }],
  ['failed', 'not-started', { failed: -1, open: 1 }],
])('a task of a story from %s to %s counts as %j', (before, after, delta) => {
  expect(countDelta(own, before, after, false)).toEqual(delta === null ? null : { ...NO_TASKS, ...delta })
})

test('a completed task may leave criteria to its story, a subtask as well, which counts for nothing else', () => {
  expect(countDelta(own, 'in-progress', 'completed', true)).toMatchObject({ completed: 1, deferred: 1 })
  const subtask = { ...own, parent: 's-1' }
  expect(countDelta(subtask, 'in-progress', 'completed', true)).toEqual({ ...NO_TASKS, deferred: 1 })
  expect(countDelta(subtask, 'in-progress', 'failed', true)).toBeNull()
})

test('checkers, subtasks and what works for a story are no tasks of it', () => {
  const others = [
    { purpose: { is: 'check', of: 's-1' } as const },
    { parent: 's-1' },
    { purpose: { is: 'ship', story: 's' } as const },
  ]
  expect([own, ...others.map((more) => ({ ...own, ...more }))].map(countsFor)).toEqual(['s', null, null, null])
})

test('tasks that take the place of others change nothing', () => {
  const task = { spec: own }
  expect(addedDeltas([task, task], [task])).toEqual(new Map([['s', { ...NO_TASKS, open: 1 }]]))
  expect(addedDeltas([task], [task])).toEqual(new Map())
})
