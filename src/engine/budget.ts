/**
 * `limits.budgetUsd`: what the tasks of a story may cost together, and the tasks without a story together on one day. It
 * is the one of muster.yaml as it is now: a person raises it there and goes on.
 */
import { costOf, dayOf, describeUsd, startOfDay } from '../domain/cost.ts'
import type { EngineParts } from './parts.ts'

type Paying = Pick<EngineParts, 'store' | 'config' | 'clock'>

/** What is left of it; null if there is none. What runs did not tell is not in it. */
export async function budgetLeft({ store, config, clock }: Paying, story: string | null): Promise<number | null> {
  const { budgetUsd } = config.limits
  if (budgetUsd === undefined) return null
  const since = story === null ? startOfDay(dayOf(clock.now())) : 0
  return budgetUsd - (costOf(await store.spent({ story, since })).usd ?? 0)
}

/** Why a task may not go on; null if it may. */
export async function overBudget(paying: Paying, task: { id: string; story: string | null }): Promise<string | null> {
  const { budgetUsd = 0 } = paying.config.limits
  const left = await budgetLeft(paying, task.story)
  if (left === null || left > 0) return null
  const whose = task.story === null ? 'today for tasks without a story' : `of story ${task.story}`
  const used = `${describeUsd(budgetUsd - left)} of ${describeUsd(budgetUsd)}`
  return `the budget ${whose} is used up, ${used}: raise limits.budgetUsd, then muster retry ${task.id}`
}
