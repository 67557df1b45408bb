/** What a change of tasks means for their stories: pure, so that the same commit can hold both (L3). */
import type { NoticeText } from '../../domain/notice.ts'
import { codeOf, isSame, wordsOf } from '../../domain/task/reasons.ts'
import type { StoryCounts, StoryDecided, StoryEvent, WorkEnd } from '../../domain/story/story.ts'
import { NO_TASKS } from '../../domain/story/story.ts'
import { isAsked, servedStory } from '../../domain/task/purpose.ts'
import type { TaskState, TaskStatus } from '../../domain/task/task.ts'
import { isOver } from '../../domain/task/task.ts'
import type { OpenTask, TaskSummary } from '../../ports/store.ts'

type Belonging = Pick<TaskSummary, 'story' | 'parent' | 'purpose'>

/** Only these count for their story: not its subtasks, nor checkers, nor what works for it as a whole. */
export function countsFor(spec: Belonging): string | null {
  return spec.parent === null ? asksOf(spec) : null
}

/** Whose contract can leave criteria to the story as a whole: subtasks as well. */
export function asksOf(spec: Belonging): string | null {
  return isAsked(spec) ? spec.story : null
}

function slot(status: TaskStatus): 'open' | 'completed' | 'failed' | 'cancelled' {
  return status === 'not-started' || status === 'in-progress' ? 'open' : status
}

/** `deferred`: the task's contract has criteria that wait for the story's head. */
export function countDelta(
  spec: Belonging,
  before: TaskStatus,
  after: TaskStatus,
  deferred: boolean,
): StoryCounts | null {
  const delta = { ...NO_TASKS, deferred: after === 'completed' && deferred ? 1 : 0 }
  if (slot(before) === slot(after)) return null
  if (countsFor(spec) === null) return delta.deferred === 0 ? null : delta
  delta[slot(before)] -= 1
  delta[slot(after)] += 1
  return delta
}

/** Of tasks that begin now, and of those that were something else before: how many more each story has open. */
export function addedDeltas(
  tasks: readonly { spec: Belonging }[],
  instead: readonly { spec: Belonging }[],
): Map<string, StoryCounts> {
  const deltas = new Map<string, StoryCounts>()
  const count = ({ spec }: { spec: Belonging }, by: number): void => {
    const story = countsFor(spec)
    if (story !== null) deltas.set(story, { ...NO_TASKS, open: (deltas.get(story)?.open ?? 0) + by })
  }
  for (const task of tasks) count(task, 1)
  for (const task of instead) count(task, -1)
  return new Map([...deltas].filter(([, { open }]) => open !== 0))
}

/** What the story hears of its own task; null if that changed nothing it cares for. */
export function workEvent(
  { spec, state: before }: OpenTask,
  state: TaskState,
): { story: string; event: StoryEvent } | null {
  const story = servedStory(spec)
  if (story === null) return null
  const end = endOf(before, state)
  if (end === null) return null
  const refused = Object.values(state.retries).some((count) => count > 0)
  const why = state.held ?? state.failure
  // Each of its phases is tried once: what that came to is the reason.
  const reason = why === null ? '' : why.code === 'attempts' && why.params.max === 1 ? why.params.said : wordsOf(why)
  const { phase, landed } = state
  const unknownDeploy = codeOf(state.held) === 'deploy-unknown'
  const work: WorkEnd = { id: state.id, end, phase, refused, reason, landed, unknownDeploy, validated: state.validated }
  return { story, event: { type: 'worked', work } }
}

function endOf(before: TaskState, state: TaskState): WorkEnd['end'] | null {
  if (isOver(state.status))
    return before.status === state.status || state.status === 'not-started' ? null : endWord(state.status)
  if (state.held !== null) return isSame(before.held, state.held) ? null : 'held'
  return before.status === 'not-started' && state.status === 'in-progress' ? 'started' : null
}

function endWord(status: TaskStatus): WorkEnd['end'] {
  return status === 'completed' || status === 'failed' ? status : 'cancelled'
}

export function storyNotice({ standing, notice }: StoryDecided): NoticeText | null {
  if (notice === null) return null
  const { id, state, works, tasks } = standing
  const key = `story:${id}:${state}:${works}:${tasks.completed}`
  return { ...notice, key, subject: `story ${id}: ${state}` }
}
