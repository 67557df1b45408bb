/** Stories in lists: which of them, and the tasks that block each. */
import { nextCommands } from '../../domain/task/next.ts'
import { wordsOf } from '../../domain/task/reasons.ts'
import { needsPerson, reasonFor, stageOf, waitingFor } from '../../domain/task/stage.ts'
import type { Stage } from '../../domain/task/stage.ts'
import type { Story } from '../../domain/task/task.ts'
import type { OpenTask, Store } from '../../ports/store.ts'

/** Stories in the order they were made; `all`: those that were archived too. */
export async function listedStories(store: Store, all: boolean): Promise<Story[]> {
  const stories = await store.stories()
  if (all) return stories
  const hidden = new Set((await store.standings()).filter(({ archived }) => archived === true).map(({ id }) => id))
  return stories.filter(({ id }) => !hidden.has(id))
}

/** Whether only a person can do something about it. */
export function isStuck({ spec, state }: OpenTask): boolean {
  return state.status === 'failed' || needsPerson(state, spec.phases)
}

/** A task that keeps its story from going on, and what a person can type about it. */
export interface StuckTask {
  id: string
  title: string
  stage: Stage
  reason: string
  next: readonly string[]
}

const stuckMax = 10

/** The failed and held tasks of a story and those at a person's gate, the longest standing first. */
export async function stuckTasks(store: Store, story: string): Promise<StuckTask[]> {
  const stuck = (await store.idleTasks(100, story)).filter(isStuck).slice(0, stuckMax)
  return stuck.map(({ spec, state }) => {
    const why = reasonFor(state, spec.phases, [])
    return {
      id: spec.id,
      title: spec.title,
      stage: stageOf(state, spec.phases, []),
      reason: waitingFor(state, why) ?? (why === null ? '' : wordsOf(why)),
      next: nextCommands(state, spec.phases),
    }
  })
}
