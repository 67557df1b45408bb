/**
 * What a plan may cost, before it starts: who works in each phase, what a round may cost, and what limits the total.
 */
import { CHECKER } from '../domain/task/check.ts'
import type { AgentConfig, ProjectConfig } from '../domain/config.ts'
import { describeUsd } from '../domain/cost.ts'
import type { Phase, PhaseMap } from '../domain/task/phase-map.ts'
import type { Plan, PlannedTask } from '../domain/story/plan.ts'
import { roleOf } from '../domain/role.ts'
import { panelOf } from '../domain/validation.ts'

/** Somebody who works in a phase. */
interface Player {
  phase: string
  role: string
  /** `claude`, `codex` or `command`. */
  program: string
  /** Null: the program's own choice, or a command. */
  model: string | null
  /** The command, where it is one. */
  run: string | null
  /** What one run may cost; null: nothing bounds it. */
  maxBudgetUsd: number | null
}

/** Who works on the task, phase by phase. A subtask has no checker: its parent's covers it. */
export function playersOf(task: PlannedTask, phases: PhaseMap, { agents }: ProjectConfig): Player[] {
  return phases.flatMap((phase) =>
    rolesOf(phase, task).flatMap((role) => {
      const agent = Object.hasOwn(agents, role) ? agents[role] : undefined
      return agent === undefined ? [] : [playerOf(phase.name, role, agent)]
    }),
  )
}

function rolesOf(phase: Phase, { agent, parent }: PlannedTask): string[] {
  if (phase.step.type === 'agent') return panelOf(phase).map((role) => roleOf(role, agent))
  const isAcceptance = phase.step.type === 'signal' && phase.step.name === 'acceptance'
  return isAcceptance && parent === null ? [CHECKER] : []
}

function playerOf(phase: string, role: string, agent: AgentConfig): Player {
  const known = agent.runtime !== 'command'
  return {
    phase,
    role,
    program: agent.runtime,
    model: known ? (agent.model ?? null) : null,
    run: known ? null : agent.run,
    maxBudgetUsd: known ? (agent.maxBudgetUsd ?? null) : null,
  }
}

/** `implementer: claude, opus`, or `implementer: ./agent.sh`. */
export function playerText({ role, program, model, run }: Player): string {
  return `${role}: ${run ?? [program, model ?? 'its own model'].join(', ')}`
}

interface Stake {
  /** What the story may cost at the most; null: nothing bounds it. */
  limitUsd: number | null
  /** Where that is written. */
  limitFrom: 'meta.budget_limit_usd' | 'limits.budgetUsd' | null
  /** What its tasks could cost together, if each used every round; null: nothing bounds that. */
  tasksUsd: number | null
  /** Roles without a bound of their own. */
  unbounded: string[]
}

interface Priced {
  maxRounds: number
  budgetUsd: number | null
  agents: readonly Player[]
}

export function stakeOf(plan: Plan, config: ProjectConfig, tasks: readonly Priced[]): Stake {
  const each = tasks.map(({ maxRounds, budgetUsd, agents }) => {
    const round = agents.reduce((sum, { maxBudgetUsd }) => sum + (maxBudgetUsd ?? Number.POSITIVE_INFINITY), 0)
    return Math.min(budgetUsd ?? Number.POSITIVE_INFINITY, round * maxRounds)
  })
  const together = each.reduce((sum, usd) => sum + usd, 0)
  const free = tasks.filter(({ budgetUsd }) => budgetUsd === null).flatMap(({ agents }) => agents)
  const limit = plan.budgetUsd ?? config.limits.budgetUsd ?? null
  const from = plan.budgetUsd === undefined ? 'limits.budgetUsd' : 'meta.budget_limit_usd'
  return {
    limitUsd: limit,
    limitFrom: limit === null ? null : from,
    tasksUsd: Number.isFinite(together) ? together : null,
    unbounded: [...new Set(free.filter(({ maxBudgetUsd }) => maxBudgetUsd === null).map(({ role }) => role))],
  }
}

/** One sentence for people. An attempt that ended in an error is paid for too, and is in no bound but the story's and the task's. */
export function stakeText({ limitUsd, limitFrom, tasksUsd, unbounded }: Stake): string {
  const sum = tasksUsd === null ? null : `its tasks could use ${describeUsd(tasksUsd)} if each needs all its rounds`
  const open = `no limit on what ${unbounded.join(' and ')} may use`
  if (limitUsd !== null) {
    const least = tasksUsd === null || tasksUsd > limitUsd
    const rest = least ? 'then its tasks wait for you' : sum
    return `budget at stake: at most ${describeUsd(limitUsd)} (${limitFrom}); ${rest}`
  }
  return sum === null
    ? `budget at stake: ${open}; limits.budgetUsd bounds a story (docs/agents.md)`
    : `budget at stake: ${sum}; no limit for the story`
}
