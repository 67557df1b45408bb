/**
 * Budgets: `budget_limit_usd` of a plan for its story and for single tasks, otherwise `limits.budgetUsd` for each
 * story, and for each day of tasks without a story. The current values count, not those of the task's snapshot: a
 * person raises one and continues.
 */
import { costOf, dayOf, spentBy, startOfDay } from '../../domain/cost.ts'
import type { Plan } from '../../domain/story/plan.ts'
import { homeStory } from '../../domain/task/purpose.ts'
import { because, type Reason } from '../../domain/task/reasons.ts'
import type { TaskSummary } from '../../ports/store.ts'
import type { EngineParts } from './parts.ts'

type Paying = Pick<EngineParts, 'store' | 'config' | 'clock'>

/** For whom a run spends: the task itself or the one it checks, and its story. */
interface Payer {
  id: string
  story: string | null
}

export function payerOf(spec: Pick<TaskSummary, 'id' | 'story' | 'purpose'>): Payer {
  return { id: spec.id, story: homeStory(spec) }
}

/** The budgets of a story's plan. */
interface Planned {
  usd?: number
  tasks?: Record<string, number>
}

const settingOf = (story: string): string => `budget:${story}`

/** Before its tasks are stored, so that none of them starts without. */
export async function keepBudgets({ store }: Pick<Paying, 'store'>, { key, budgetUsd, tasks }: Plan): Promise<void> {
  const own = tasks.flatMap((task) => (task.budgetUsd === undefined ? [] : [[`${key}-${task.id}`, task.budgetUsd]]))
  const planned: Planned = {
    ...(budgetUsd === undefined ? {} : { usd: budgetUsd }),
    ...(own.length === 0 ? {} : { tasks: Object.fromEntries(own) as Record<string, number> }),
  }
  const text = Object.keys(planned).length === 0 ? null : JSON.stringify(planned)
  if (text !== (await store.setting(settingOf(key)))) await store.setSetting(settingOf(key), text)
}

interface Limit {
  usd: number
  whose: string
  raise: string
  spent(): Promise<number>
}

async function limitsOf({ store, config, clock }: Paying, { id, story }: Payer): Promise<Limit[]> {
  const text = story === null ? null : await store.setting(settingOf(story))
  const planned = text === null ? {} : (JSON.parse(text) as Planned)
  const own = planned.tasks?.[id]
  const shared = planned.usd ?? config.limits.budgetUsd
  const since = story === null ? startOfDay(dayOf(clock.now())) : 0
  const inPlan = (key: string) => `raise ${key} in the plan, muster run the plan`
  return [
    ...(own === undefined
      ? []
      : [{ usd: own, whose: `of ${id}`, raise: inPlan('its budget_limit_usd'), spent: () => spentOn(store, id) }]),
    ...(shared === undefined
      ? []
      : [
          {
            usd: shared,
            whose: story === null ? 'today for tasks without a story' : `of story ${story}`,
            raise: planned.usd === undefined ? 'raise limits.budgetUsd' : inPlan('meta.budget_limit_usd'),
            spent: async () => costOf(await store.spent({ story, since })).usd ?? 0,
          },
        ]),
  ]
}

async function spentOn(store: Paying['store'], id: string): Promise<number> {
  const runs = [...(await store.runs(id)), ...(await store.checkRuns(id))]
  return costOf(runs.map(({ end }) => spentBy(end?.facts ?? {}))).usd ?? 0
}

/** Whether others may spend what this one could. */
export async function hasBudget(paying: Paying, payer: Payer): Promise<boolean> {
  return (await limitsOf(paying, payer)).length > 0
}

/** What is left of the smallest; null if there is none. What runs did not tell is not in it. */
export async function budgetLeft(paying: Paying, payer: Payer): Promise<number | null> {
  const limits = await limitsOf(paying, payer)
  const left = await Promise.all(limits.map(async ({ usd, spent }) => usd - (await spent())))
  return left.length === 0 ? null : Math.min(...left)
}

/** Why a task may not go on; null if it may. */
export async function overBudget(paying: Paying, payer: Payer, task: string): Promise<Reason | null> {
  for (const { usd, whose, raise, spent } of await limitsOf(paying, payer)) {
    const used = await spent()
    if (used < usd) continue
    return because('budget', { whose, usedUsd: used, limitUsd: usd, raise, task })
  }
  return null
}
