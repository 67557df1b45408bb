/**
 * Makes a plan of one task from a sentence, with the options of the command line: who does it, and how it is judged.
 */
import { hasAcceptance } from '../domain/task/check.ts'
import { knownChecks } from '../tools/checks.ts'
import type { AgentConfig, ProgramAgent, ProjectConfig, RoleConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { agentStallMs, agentTimeoutMs } from '../domain/limits.ts'
import type { Plan } from '../domain/story/plan.ts'
import { unknownWord } from '../domain/problem.ts'
import { doerOf, LEAD } from '../domain/role.ts'
import { Cast } from './resolve-roles.ts'
import { definitionsIn } from './definitions.ts'
import { KINDS } from './kinds.ts'
import { castTask } from './new-task.ts'
import { planFromSentence } from './plan.ts'
import { unknownPrice } from './price.ts'

export interface SentenceOptions {
  /** A role, or a program that Muster knows. */
  agent: string | null
  /** As that program calls it. */
  model: string | null
  checks: readonly string[]
  criteria: readonly string[]
}

/** A program on this machine, with the variables that its account needs. */
export interface Installed {
  runtime: string
  env: readonly string[]
}

const PROGRAM_NAMES = KINDS.programs.map(({ name }) => name)

export function planForSentence(
  sentence: string,
  options: SentenceOptions,
  given: ProjectConfig,
  root: string,
  programs: readonly Installed[],
): { plan: Plan; config: ProjectConfig } {
  const known = knownChecks(given)
  const wrong = options.checks.find((name) => !known.includes(name))
  if (wrong !== undefined)
    throw new MusterError('config', unknownWord('check', wrong, known), { hint: 'checks are defined in muster.yaml' })
  const acceptanceCriteria =
    options.criteria.length > 1 ? options.criteria.map((line) => `- ${line}`).join('\n') : (options.criteria[0] ?? '')
  const { agent: named } = options
  const runtime = PROGRAM_NAMES.find((name) => name === named && !Object.hasOwn(given.agents, name))
  const withProgramRole = runtime === undefined ? given : withProgram(given, root, runtime, programs)
  const role = runtime === undefined ? named : null
  if (role !== null && Cast.of(given, definitionsIn(root)).does(role) === 'judge')
    throw new MusterError('config', `${role} is a judge and writes no code`, {
      hint: 'name the role that does the task',
    })
  const worded = { acceptanceCriteria, agent: role, phases: null, defect: null }
  const { config } = castTask(worded, withProgramRole, root)
  const plan = planFromSentence(sentence)
  const tasks = plan.tasks.map((task) => ({ ...task, acceptanceCriteria, checks: [...options.checks], agent: role }))
  const chosen = withModel(config, doerOf(role), options.model)
  const cast = Cast.of(chosen, definitionsIn(root))
  cast.planAnew()
  return { plan: { ...plan, tasks }, config: cast.joined(chosen) }
}

/** The implementer of this one story is that program: as muster.yaml has it, where it is there already. */
function withProgram(
  config: ProjectConfig,
  root: string,
  runtime: ProgramAgent['runtime'],
  programs: readonly Installed[],
): ProjectConfig {
  if (config.agents[LEAD]?.runtime === runtime) return config
  const found = programs.find((program) => program.runtime === runtime)
  if (found === undefined) {
    throw new MusterError('config', `there is no role "${runtime}", and no such program is installed`, {
      hint: `roles are ${Object.keys(config.agents).join(', ') || 'none'}; muster doctor shows what is missing`,
    })
  }
  const lead: ProgramAgent & RoleConfig = {
    does: 'work',
    runtime,
    args: [],
    env: found.env,
    network: true,
    checks: config.agents[LEAD]?.checks ?? [],
    timeoutMs: agentTimeoutMs,
    stallMs: agentStallMs,
  }
  const cast = Cast.of({ ...config, agents: { ...config.agents, [LEAD]: lead } }, definitionsIn(root))
  if (hasAcceptance(config.phases)) cast.offerChecker()
  return payable(cast.joined(config), LEAD, lead)
}

function withModel(config: ProjectConfig, role: string, model: string | null): ProjectConfig {
  const agent = Object.hasOwn(config.agents, role) ? config.agents[role] : undefined
  if (model === null || agent === undefined) return config
  if (agent.runtime === 'command') {
    throw new MusterError(
      'config',
      `--model ${model}: agents.${role} is a command, and Muster does not know its models`,
      {
        hint: `name the model in agents.${role}.run, or use a program: --agent ${PROGRAM_NAMES.join(' or ')}`,
      },
    )
  }
  const chosen = { ...agent, model }
  return payable({ ...config, agents: { ...config.agents, [role]: chosen } }, role, chosen)
}

/** A budget that nobody could keep is refused here as it is in muster.yaml. */
function payable(config: ProjectConfig, role: string, agent: AgentConfig): ProjectConfig {
  const why = config.limits.budgetUsd === undefined ? null : unknownPrice(role, agent)
  if (why === null) return config
  throw new MusterError('config', `limits.budgetUsd cannot be enforced: ${why}`, {
    hint: 'docs/agents.md says what a budget needs',
  })
}
