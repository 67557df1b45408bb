/**
 * Why a task is where it is, as every surface shows it: the reason and its sentence, with what only the store knows.
 */
import { findDeadlocks } from '../../domain/task/deadlock.ts'
import { because, wordsOf, type Deadlock, type Reason } from '../../domain/task/reasons.ts'
import { asksPerson, reasonFor, stageOf, waitingFor, type Stage } from '../../domain/task/stage.ts'
import type { TaskState, TaskStatus } from '../../domain/task/task.ts'
import type { OpenTask, Store } from '../../ports/store.ts'
import { limitOf, type Limited } from '../loop/rate-limits.ts'

/** The value, for programs, and its sentence. `toPerson`: it is a person who is asked. */
export type ReasonView = Reason & { text: string; toPerson: boolean }

interface Why {
  reason: ReasonView | null
  waitingFor: string | null
}

/** `known`: why it can never start, where somebody has found that out already; undefined: to be found out. */
export async function standingOf(
  store: Store,
  task: OpenTask,
  limited: readonly Limited[],
  known?: Deadlock | null,
): Promise<Why & { stage: Stage }> {
  const { spec, state } = task
  const statuses = await store.statuses(spec.dependsOn)
  const blockedBy = spec.dependsOn.filter((id) => statuses.get(id) !== 'completed')
  const stage = stageOf(state, spec.phases, blockedBy)
  const reason = reasonFor(state, spec.phases, blockedBy)
  if (stage !== 'blocked') return { stage, ...whyView(task, await turnOf(store, task, limited, reason)) }
  const deadlock = known === undefined ? await deadlockOf(store, spec.id) : known
  return { stage, ...whyView(task, deadlock === null ? reason : because('deadlock', deadlock)) }
}

export const failureOf = ({ failure }: TaskState): string | null => (failure === null ? null : wordsOf(failure))

export function whyView({ spec, state }: OpenTask, reason: Reason | null): Why {
  const toPerson = asksPerson(state, spec.phases, reason)
  return {
    reason: reason === null ? null : { ...reason, text: wordsOf(reason), toPerson },
    waitingFor: waitingFor(state, reason),
  }
}

/** A task that waits for nothing but its turn, or its checker's, may not get it before a program's limit is over. */
export async function turnOf(
  store: Store,
  task: OpenTask,
  limited: readonly Limited[],
  reason: Reason | null,
): Promise<Reason | null> {
  if (limited.length === 0) return reason
  if (reason?.code === 'its-turn') {
    const limit = await limitOf(store, task, limited)
    return limit === null ? reason : because('program-limit', limit)
  }
  if (reason?.code !== 'checker-at-work') return reason
  const checker = await store.task(reason.params.check)
  const limit = checker?.state.run === null ? await limitOf(store, checker, limited) : null
  return because('checker-at-work', { ...reason.params, limit })
}

/** Why the task can never start as things stand, or null: its dependencies are followed as far as needed. */
export async function deadlockOf(store: Store, id: string): Promise<Deadlock | null> {
  const nodes = new Map<string, { id: string; status: TaskStatus; dependsOn: readonly string[] }>()
  const queue = [id]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const task = nodes.has(next) ? null : await store.task(next)
    if (task === null) continue
    nodes.set(next, { id: next, status: task.state.status, dependsOn: task.spec.dependsOn })
    if (task.state.status === 'not-started') queue.push(...task.spec.dependsOn)
  }
  return findDeadlocks([...nodes.values()]).find((deadlock) => deadlock.task === id) ?? null
}
