/** The results of each criterion of a task: what the machine found, and what judges and people answered since. */
import type { Contract } from '../../domain/contract/contract.ts'
import type { CriterionResult, Results, Tally } from '../../domain/verdict/evidence.ts'
import { tallyOf } from '../../domain/verdict/evidence.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'

/** Results as they are shown: with what judges and people said since, counted. */
export type ShownResults = Results & { tally: Tally }

/**
 * The results of the machine together with what judges and people said since. A criterion counts as passed by them only
 * where the task's state says so, as the gate does; what a person took over is shown as waived, never as passed.
 */
export function answered(
  { spec, state }: StoredTask,
  results: Results | null,
  contract: Contract | null,
  runs: readonly RunRecord[],
): ShownResults | null {
  if (results === null) return null
  const said = runs.flatMap(({ end }) => end?.facts.criteria ?? [])
  const { answers, waiver, commit } = state
  const waived = waiver?.commit === commit ? waiver : null
  const by = answers?.commit === commit && answers.contract === results.contract ? answers.by : {}
  const criteria = whole(results, contract).map((result): CriterionResult => {
    const { id, status } = result
    if (!['pending', 'fail', 'error', 'waived'].includes(status)) return result
    if (waived?.criteria.includes(id) === true) {
      return { ...result, status: 'waived', note: `waived by ${waived.by}: ${waived.reason}` }
    }
    if (status !== 'pending') return result
    const answer = said.findLast((one) => one.id === id)
    if (Object.hasOwn(by, id)) return { ...result, status: 'pass', note: answer?.note || `answered by ${by[id]}` }
    if (answer !== undefined && !answer.met) return { ...result, status: 'fail', error: answer.note, note: answer.note }
    if (spec.parent !== null && state.status === 'completed') {
      return { ...result, status: 'deferred', note: `left to ${spec.parent}` }
    }
    return result
  })
  return { ...results, criteria, tally: tallyOf(criteria) }
}

/** The whole contract: a verification of one check, or from before criteria were added, leaves the others unanswered. */
function whole({ criteria }: Results, contract: Contract | null): CriterionResult[] {
  const found = new Set(criteria.map(({ id }) => id))
  const others = (contract?.criteria ?? []).filter(({ id }) => !found.has(id))
  return [
    ...criteria,
    ...others.map(({ id, activity, skipped }): CriterionResult => {
      const status = skipped === undefined ? 'pending' : 'skipped'
      return { id, activity, status, error: skipped ?? null, attempts: 0, evidence: null }
    }),
  ]
}

export function lastResults(runs: readonly RunRecord[], attempt: number): Results | null {
  const last = runs.findLast((run) => run.attempt === attempt && run.end?.facts.results !== undefined)
  return last?.end?.facts.results ?? null
}
