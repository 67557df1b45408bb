/** The agent of a run under the task's configuration, how it must report that it is done, and what it used. Pure. */
import type { AgentConfig, ProjectConfig } from '../../domain/config.ts'
import { MusterError } from '../../domain/errors.ts'
import { phaseNamed } from '../../domain/task/phase-map.ts'
import type { RunFacts } from '../../domain/run.ts'
import type { RunOutcome, RunRequest } from '../../ports/runtime.ts'
import { verdictFileOf } from '../../ports/runtime.ts'
import type { RunRecord, StoredTask } from '../../ports/store.ts'
import type { Finish } from '../prompts/prompt.ts'

export function agentOf(run: RunRecord, { spec }: StoredTask, config: ProjectConfig): AgentConfig {
  const agent = config.agents[run.name]
  if (agent === undefined) {
    throw new MusterError('config', `the configuration of ${spec.id} has no ${run.kind} "${run.name}"`, {
      hint: `muster cancel ${spec.id}, then add it again under the current muster.yaml`,
    })
  }
  const timeoutMs = phaseNamed(spec.phases, run.phase)?.timeoutMs ?? agent.timeoutMs
  return { ...agent, timeoutMs }
}

/** What is left of the story's budget is the run's, unless its own is smaller. */
export function withBudget(agent: AgentConfig, left: number | undefined): AgentConfig {
  if (agent.runtime === 'command' || left === undefined) return agent
  return { ...agent, maxBudgetUsd: Math.min(left, agent.maxBudgetUsd ?? left) }
}

/** How the agent is to say that it is done. */
export function finishOf({ agent, dir }: RunRequest): Finish {
  if (agent.runtime !== 'command') return 'words'
  return agent.verdict === 'exit' ? 'exit' : { file: verdictFileOf(dir) }
}

/** What is known of a run even if its result cannot be saved. A run that never ran used nothing. */
export function usedBy(run: RunRecord, { sandbox, usage, session }: RunOutcome, config: ProjectConfig): RunFacts {
  const program = config.agents[run.name]?.runtime
  if (run.kind !== 'agent' || program === undefined || sandbox === undefined) return {}
  return { program, ...(usage === undefined ? {} : { usage }), ...(session === undefined ? {} : { session }) }
}
