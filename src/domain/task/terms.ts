/**
 * The terms of a task: its configuration and its contract. A person's retry can bring new ones; this file says what the
 * history records about that, and what happened to the criteria. Pure.
 */
import type { Contract, Criterion } from '../contract/contract.ts'

/** From one hash to another. */
interface Replaced {
  from: string
  to: string
}

/** What the history keeps of terms that took the place of others. */
export interface NewTerms {
  config: Replaced
  /** What is otherwise in the configuration: see config-changes.ts. */
  changes: readonly string[]
  /** Null: the task has no contract of its own to seal anew. */
  contract: Replaced | null
  criteria: CriteriaChanges
}

interface CriteriaChanges {
  added: readonly string[]
  changed: readonly string[]
  dropped: readonly string[]
}

export const NO_CRITERIA: CriteriaChanges = { added: [], changed: [], dropped: [] }

/** What makes a criterion the same one under other terms, however it is answered there. */
export function sameCriterion({ activity, description, pattern, origin }: Omit<Criterion, 'id'>): string {
  return JSON.stringify([activity, description.toLowerCase(), pattern ?? null, origin ?? null])
}

export function criteriaChanges(before: Contract, now: Contract): CriteriaChanges {
  const known = new Map(before.criteria.map((one) => [sameCriterion(one), one]))
  const kept = new Set(now.criteria.map(sameCriterion))
  const pairs = now.criteria.map((is) => ({ is, was: known.get(sameCriterion(is)) }))
  return {
    added: pairs.filter(({ was }) => was === undefined).map(({ is }) => named(is)),
    changed: pairs.flatMap(({ is, was }) => (was === undefined || answer(was) === answer(is) ? [] : [change(was, is)])),
    dropped: before.criteria.filter((one) => !kept.has(sameCriterion(one))).map(named),
  }
}

const named = ({ id, description }: Criterion): string => `${id} ${description}`

/** How it is answered: everything but its words. */
function answer({ command, expect, kind, judge, skipped, timing, assertion }: Criterion): string {
  return JSON.stringify([command, expect, kind, judge, skipped, timing, assertion])
}

function change(was: Criterion, is: Criterion): string {
  const how = (one: Criterion) => (one.skipped === undefined ? (one.command ?? one.judge) : 'skipped')
  return how(was) === how(is) ? named(is) : `${named(is)}: ${how(was)} → ${how(is)}`
}
