/** What a change of tasks means for their stories: pure, so that the same commit can hold both (L3). */
import type { StoryCounts, StoryDecided, StoryEvent, WorkEnd } from '../domain/story.ts'
import { NO_TASKS } from '../domain/story.ts'
import type { TaskState, TaskStatus } from '../domain/task.ts'
import { isOver } from '../domain/task.ts'
import type { NewTask, OpenTask, TaskSummary } from '../ports/store.ts'

/** Only these count for their story: not its subtasks, nor checkers, nor what works for it as a whole. */
export function countsFor(spec: Pick<TaskSummary, 'story' | 'parent' | 'checkerFor' | 'worksFor'>): string | null {
  return spec.parent === null && spec.checkerFor === null && spec.worksFor === null ? spec.story : null
}

function slot(status: TaskStatus): 'open' | 'completed' | 'failed' | 'cancelled' {
  return status === 'not-started' || status === 'in-progress' ? 'open' : status
}

/** `deferred`: the task's contract has criteria that wait for the story's head. */
export function countDelta(before: TaskStatus, after: TaskStatus, deferred: boolean): StoryCounts | null {
  if (slot(before) === slot(after)) return null
  const delta = { ...NO_TASKS }
  delta[slot(before)] -= 1
  delta[slot(after)] += 1
  return { ...delta, deferred: after === 'completed' && deferred ? 1 : 0 }
}

export function addedDelta(tasks: readonly NewTask[], story: string): StoryCounts | null {
  const added = tasks.filter(({ spec }) => countsFor(spec) === story).length
  return added === 0 ? null : { ...NO_TASKS, open: added }
}

/** What the story hears of its own task; null if that changed nothing it cares for. */
export function workEvent({ spec, state: before }: OpenTask, state: TaskState): StoryEvent | null {
  if (spec.worksFor === null) return null
  const end = endOf(before, state)
  if (end === null) return null
  const refused = Object.values(state.retries).some((count) => count > 0)
  const reason = (state.held ?? state.failureReason ?? '').replace(/^phase "[^"]*" used all its 1 attempts: /, '')
  const work: WorkEnd = { id: state.id, end, phase: state.phase, refused, reason, landed: state.landed }
  return { type: 'worked', work }
}

function endOf(before: TaskState, state: TaskState): WorkEnd['end'] | null {
  if (isOver(state.status))
    return before.status === state.status || state.status === 'not-started' ? null : endWord(state.status)
  if (state.held !== null) return before.held === state.held ? null : 'held'
  return before.status === 'not-started' && state.status === 'in-progress' ? 'started' : null
}

function endWord(status: TaskStatus): WorkEnd['end'] {
  return status === 'completed' || status === 'failed' ? status : 'cancelled'
}

export function storyNotice({ standing, notice }: StoryDecided): { key: string; subject: string; text: string } | null {
  if (notice === null) return null
  const { id, state, works, tasks } = standing
  const key = `story:${id}:${state}:${works}:${tasks.completed}`
  return { key, subject: `story ${id}: ${state}`, text: notice }
}
