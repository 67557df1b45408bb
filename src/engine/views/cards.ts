/** The cards of the board: a line of the list, with what a person wants to see at a glance. */
import type { Cost } from '../../domain/cost.ts'
import { isAsked } from '../../domain/task/purpose.ts'
import type { CriterionStatus } from '../../domain/verdict/evidence.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import type { RunRecord, Store } from '../../ports/store.ts'
import type { Limited } from '../loop/rate-limits.ts'
import type { ListedLine } from './overview.ts'
import type { CheckerView } from './views.ts'
import { runView } from './run-view.ts'
import { iso, taskLines, taskView } from './views.ts'

interface TaskCard extends ListedLine {
  /** The program or role that worked on it last. */
  by: string | null
  /** When the run that is under way began. */
  since: string | null
  checker: CheckerView['status']
  criteria: { id: string; activity: string; status: CriterionStatus }[]
  cost: Cost
  findings: number
  warnings: number
  /** Why a person took it over what was found. */
  overruled: string | null
  /** What it waits for before it can start; with one that failed or was cancelled, it never will. */
  blockers: { id: string; title: string; status: TaskStatus }[]
}

/** In the order of the ids; what does not exist, or is no task that somebody asked for, is left out. */
export async function taskCards(
  store: Store,
  ids: readonly string[],
  limited: readonly Limited[],
): Promise<TaskCard[]> {
  const cards: TaskCard[] = []
  for (const id of ids) {
    const found = await store.task(id)
    const task = found !== null && isAsked(found.spec) ? found : null
    const [line] = task === null ? [] : await taskLines(store, [task], limited)
    if (task === null || line === undefined) continue
    const view = await taskView(store, task, limited, null)
    const runs = [...(await store.runs(id)), ...(await store.checkRuns(id))]
    const author = runs.findLast(({ kind, taskId }) => kind === 'agent' && taskId === id)
    const running = runs.findLast(({ end }) => end === null)
    const answers = new Map(view.results?.criteria.map((result) => [result.id, result.status]))
    cards.push({
      ...line,
      version: task.version,
      by: author === undefined ? task.spec.agent : workerOf(author),
      since: running === undefined ? null : iso(running.startedAt),
      checker: view.checker.status,
      criteria: (view.contract?.criteria ?? []).map((criterion) => ({
        id: criterion.id,
        activity: criterion.activity,
        status: answers.get(criterion.id) ?? (criterion.skipped === undefined ? 'pending' : 'skipped'),
      })),
      cost: view.cost,
      findings: view.findings.length,
      warnings: view.warnings.length,
      overruled: view.waiver?.reason ?? null,
      blockers: await blockersOf(store, task.spec.dependsOn, task.state.status === 'not-started'),
    })
  }
  return cards
}

/** A program by its name; of a command only the role says anything. */
function workerOf(run: RunRecord): string {
  const { program } = runView(run)
  return program === null || program === 'command' ? run.name : program
}

async function blockersOf(store: Store, ids: readonly string[], waits: boolean): Promise<TaskCard['blockers']> {
  const blockers: TaskCard['blockers'] = []
  for (const id of waits ? ids : []) {
    const task = await store.task(id)
    const status = task?.state.status
    if (task !== null && status !== undefined && status !== 'completed')
      blockers.push({ id, title: task.spec.title, status })
  }
  return blockers
}
