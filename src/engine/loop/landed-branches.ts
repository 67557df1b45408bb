/** Muster's own branches whose work has landed and that nothing needs. Decided only from what is stored. */
import type { ProjectConfig } from '../../domain/config.ts'
import { isOwnBranch } from '../../domain/forge.ts'
import type { StoryStanding } from '../../domain/story/story.ts'
import { storyBranch, taskBranch, type TaskState } from '../../domain/task/task.ts'
import type { Store, TaskSummary } from '../../ports/store.ts'
import type { NewIntent } from '../../ports/intent.ts'
import type { Decided } from '../../domain/task/event.ts'
import { isAsked } from '../../domain/task/purpose.ts'
import type { Entry } from './task-table.ts'

/** It may go if it is part of `landed`, which is on its target or was squashed there. */
export interface LandedBranch {
  branch: string
  landed: string
}

type BranchIntent = NewIntent

type Wish = Pick<ProjectConfig, 'keepBranches' | 'push'>

/** The task has just landed on a branch of the user's: that is pushed. It has just been completed: its branch goes. */
export function branchIntents(
  { keepBranches = false, push = false }: Wish,
  entry: Entry,
  decided: Decided,
): BranchIntent[] {
  const { spec, state } = entry
  const { landed } = decided.state
  const found = keepBranches || state.status === 'completed' ? null : ofTask(spec, decided.state)
  const news = push && landed !== null && landed !== state.landed && !isOwnBranch(spec.target)
  return [...(news ? [pushing(spec, landed)] : []), ...(found === null ? [] : [retiring(found, spec.id)])]
}

/** The same of stories that have just become ready to be reviewed. */
export function storyIntentsOf(
  { keepBranches = false }: Wish,
  moved: Iterable<{ standing: StoryStanding }>,
  before: ReadonlyMap<string, { standing: StoryStanding }>,
): { story: string; intent: BranchIntent }[] {
  return [...moved].flatMap(({ standing }) => {
    const same = before.get(standing.id)?.standing.state === standing.state
    const found = keepBranches || same ? null : ofStory(standing)
    return found === null ? [] : [{ story: standing.id, intent: retiring(found, null) }]
  })
}

/** How a repository's branches are looked at. */
export interface BranchLook {
  ownBranches(): Promise<string[]>
  whyKept(branch: string, landed: string): Promise<string | null>
}

/** The branches in the user's repository whose work has landed, with why they stay, or null if they may go. */
export async function oldBranches(store: Store, look: BranchLook): Promise<(LandedBranch & { why: string | null })[]> {
  const found = []
  for (const one of await landedBranches(store, await look.ownBranches()))
    found.push({ ...one, why: await look.whyKept(one.branch, one.landed) })
  return found
}

/** Of these branches, those that may go; others are left out, and so are those of tasks that nobody knows. */
export async function landedBranches(store: Store, branches: readonly string[]): Promise<LandedBranch[]> {
  const found: LandedBranch[] = []
  for (const branch of branches) {
    const id = branch.split('/').slice(2).join('/')
    const task = branch === taskBranch(id) ? await store.task(id) : null
    const story = branch === storyBranch(id) ? await store.standing(id) : null
    const one = task !== null ? ofTask(task.spec, task.state) : story !== null ? ofStory(story.standing) : null
    if (one !== null) found.push(one)
  }
  return found
}

function ofTask(spec: Pick<TaskSummary, 'id' | 'purpose'>, { status, landed, commit }: TaskState): LandedBranch | null {
  if (!isAsked(spec)) return null
  return status === 'completed' && landed !== null && commit !== null
    ? { branch: taskBranch(spec.id), landed: commit }
    : null
}

function ofStory({ id, state, landed }: StoryStanding): LandedBranch | null {
  return state === 'REVIEW_READY' && landed !== null ? { branch: storyBranch(id), landed } : null
}

function retiring(found: LandedBranch, taskId: string | null): BranchIntent {
  return { key: `retire:${found.branch}:${found.landed}`, kind: 'retire', taskId, data: { ...found } }
}

function pushing({ id, target: branch }: Pick<TaskSummary, 'id' | 'target'>, commit: string): BranchIntent {
  return { key: `push:${branch}:${commit}`, kind: 'push', taskId: id, data: { branch, commit } }
}
