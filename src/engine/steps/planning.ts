/** The result of a planner's run, and the plans of a task: each version is stored with the run that wrote it. */
import { createHash } from 'node:crypto'
import type { AgentConfig } from '../../domain/config.ts'
import { MusterError } from '../../domain/errors.ts'
import { findingCharsMax, planCharsMax } from '../../domain/limits.ts'
import { isPlanGate, isPlanning } from '../../domain/task/task-plan.ts'
import type { TaskSpec, TaskState } from '../../domain/task/task.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import type { RunOutcome } from '../../ports/runtime.ts'
import type { RunRecord, Store } from '../../ports/store.ts'

export interface PlanView {
  /** The run that wrote it. */
  run: string
  digest: string
  text: string
  writtenAt: string
  /** Who approved it; null: nobody has, or it is not the newest any more. */
  approvedBy: string | null
}

export const isPlanningRun = ({ does }: RunRecord): boolean => does === 'plan'

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A plan, or what is wrong with it. `changed`: files that are not as they were; they are dropped, and that is said. */
export function planned(
  outcome: RunOutcome,
  agent: AgentConfig | undefined,
  changed: readonly string[] | null,
): RunOutcome & { plan?: string } {
  if (outcome.verdict !== 'PASS' && outcome.verdict !== 'WARN') return outcome
  const { text, charsMax } = said(outcome, agent)
  const plan = text.trim()
  const refused = (detail: string): RunOutcome => ({ ...outcome, verdict: 'FAIL', detail, findings: [] })
  if (plan === '') return refused('the plan is empty: say how to do the task')
  if (plan.length > charsMax) return refused(`the plan is too long: write it in at most ${charsMax} characters`)
  const lines = plan.split('\n').length
  const detail = lines === 1 ? 'a plan of 1 line' : `a plan of ${lines} lines`
  return { ...outcome, detail, plan, findings: [...outcome.findings, ...dropped(changed ?? [])] }
}

/** A program's last answer; what a command printed or, if it printed nothing, the words of its verdict file. */
function said({ answer, output = '', detail }: RunOutcome, agent: AgentConfig | undefined) {
  if (answer !== undefined) return { text: answer, charsMax: planCharsMax }
  const file = agent?.runtime === 'command' && agent.verdict === 'exit' ? '' : detail
  // The words of a verdict are cut there: what fills them may be cut.
  return output.trim() === '' ? { text: file, charsMax: findingCharsMax - 1 } : { text: output, charsMax: planCharsMax }
}

const namedMax = 5

function dropped(changed: readonly string[]): FindingText[] {
  if (changed.length === 0) return []
  const more = changed.length > namedMax ? ` and ${changed.length - namedMax} more` : ''
  const message = `the planner changed files, which Muster does not keep (${changed.slice(0, namedMax).join(', ')}${more}): a plan is only text`
  return [{ severity: 'WARN', message }]
}

/** The plan that a run works by; null if there is none. One that `plans` replaces it, so only others need it untouched. */
export async function planInForce(store: Store, { phases }: TaskSpec, { id, plan }: TaskState, plans: boolean) {
  if (plan === null) return null
  // What nobody approved is for its planner to write anew; where the map asks nobody, it is taken as it is.
  const asksNobody = phases.some(({ step }) => isPlanning(step)) && !phases.some(({ step }) => isPlanGate(step))
  if (plan.approved === null && !plans && !asksNobody) return null
  const run = (await store.runs(id)).find((one) => one.id === plan.run)
  const text = run?.end?.facts.plan
  if (run === undefined || text === undefined || digestOf(text) !== plan.digest) {
    if (plans) return null
    throw new MusterError('failed', `the stored plan of ${id} is not the approved one: it was changed or is gone`, {
      hint: `muster doctor shows what was changed. To plan the task again: muster cancel ${id}, then muster retry ${id}`,
    })
  }
  return { text, round: run.round, approved: plan.approved }
}

/** Every version, the newest last. */
export function plansOf(runs: readonly RunRecord[], { plan }: TaskState): PlanView[] {
  return runs.flatMap(({ id, end }): PlanView[] => {
    const text = end?.facts.plan
    if (end === null || text === undefined) return []
    const approvedBy = plan?.run === id ? (plan.approved?.by ?? null) : null
    return [{ run: id, digest: digestOf(text), text, writtenAt: new Date(end.at).toISOString(), approvedBy }]
  })
}
