/** Whether a budget in dollars can be enforced: every agent that may spend it must have a known price. */
import type { AgentConfig } from '../domain/config.ts'
import { keepsBudget, programNamed } from '../domain/program.ts'
import { KINDS } from './kinds.ts'

/**
 * Some programs count dollars themselves; for one that counts tokens, a budget needs a model whose price is known, and of
 * a command nobody knows what it costs. null: the price is known.
 */
export function unknownPrice(role: string, agent: AgentConfig, programs = KINDS.programs): string | null {
  if (agent.runtime === 'command') return `agents.${role} is a command, and Muster cannot know its cost`
  const program = programNamed(programs, agent.runtime)
  if (program === undefined || keepsBudget(program, agent.model)) return null
  const whose = agent.model === undefined ? 'it names no model' : `the price of "${agent.model}" is unknown`
  return `${whose}; use one of these models: ${Object.keys(program.prices).join(', ')}`
}

/** Why a budget for all these agents cannot be kept; null: it can. */
export function unkeptBudget(agents: Readonly<Record<string, AgentConfig>>): string | null {
  return Object.entries(agents).reduce<string | null>((why, [role, agent]) => why ?? unknownPrice(role, agent), null)
}
