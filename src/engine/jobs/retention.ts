/**
 * What to keep and what to remove, decided only from what is stored. Unsaved work is never removed automatically, and
 * unknown files are only reported.
 */
import { isOver } from '../../domain/task/task.ts'
import type { RunRecord, RunStanding } from '../../ports/store.ts'

/** `unknown`: the store has no such run. */
export type WorkspaceState = 'in-use' | 'saved' | 'unsaved' | 'unknown'
/** `needed`: its task is open, or it describes a workspace that is still there. `expired`: older than it need be kept. */
export type RunFolderState = 'needed' | 'recent' | 'expired' | 'unknown'

/** An author's result is saved when it is a commit; a judge, planner or check leaves nothing to save. */
export function isSaved(run: RunRecord, commit: string | null): boolean {
  return commit !== null || run.does !== 'work'
}

/** A run that has ended is never started again: what is `saved` stays so, whatever happens beside. */
export function workspaceState(standing: RunStanding | undefined): WorkspaceState {
  if (standing === undefined) return 'unknown'
  const { run } = standing
  if (run.end === null) return 'in-use'
  return isSaved(run, run.end.commit) ? 'saved' : 'unsaved'
}

/** `before`: what ended earlier need not be kept; null keeps all. The time counts from the end of the task. */
export function runFolderState(
  standing: RunStanding | undefined,
  hasWorkspace: boolean,
  before: number | null,
): RunFolderState {
  if (standing === undefined) return 'unknown'
  const { run, task, movedAt } = standing
  if (run.end === null || hasWorkspace || !isOver(task.status)) return 'needed'
  return before !== null && Math.max(run.end.at, movedAt) < before ? 'expired' : 'recent'
}

/**
 * Runs whose snapshot nothing needs any more: the time of their task is over, and a later one took its place. What a
 * retry would go on from stays, and so does the last that an author left, even if it never counted as a result.
 */
export function supersededSnapshots(
  snapshots: ReadonlyMap<string, string>,
  standings: ReadonlyMap<string, RunStanding>,
  before: number | null,
): string[] {
  const known = [...snapshots].flatMap(([run, commit]) => {
    const standing = standings.get(run)
    return standing === undefined ? [] : [{ commit, standing }]
  })
  const last = new Map<string, RunRecord>()
  for (const { run } of known.map(({ standing }) => standing)) {
    if (run.attempt >= (last.get(run.taskId)?.attempt ?? 0)) last.set(run.taskId, run)
  }
  return known
    .filter(({ commit, standing }) => commit !== standing.task.commit && last.get(standing.run.taskId) !== standing.run)
    .filter(({ standing }) => runFolderState(standing, false, before) === 'expired')
    .map(({ standing }) => standing.run.id)
}
