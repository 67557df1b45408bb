/**
 * Which agent plays each role: the agents of muster.yaml, what their definitions add, and who plays a role that
 * muster.yaml does not name. Reads only definitions of roles that are named or needed, so that no other definition
 * stops a run.
 */
import type { z } from 'zod'
import { CHECKER } from '../domain/task/check.ts'
import type { AgentDefinition, ProgramAgent, ProjectConfig, RoleConfig } from '../domain/config.ts'
import { agentStallMs, agentTimeoutMs, checkerBudgetUsd, checkerTimeoutMs, judgeTimeoutMs } from '../domain/limits.ts'
import { keepsBudget, programNamed, type Program } from '../domain/program.ts'
import { unknownWord } from '../domain/problem.ts'
import { LEAD, type Duty, type Player } from '../domain/role.ts'
import { MusterError } from '../domain/errors.ts'
import { definitionsIn, type Definitions } from './definitions.ts'
import { EXAMPLE_AGENT, KINDS } from './kinds.ts'
import type { configSchema } from './schema.ts'

type AgentText = z.infer<typeof configSchema>['agents'][string]
type ProgramRole = ProgramAgent & { does: Duty }

export class Cast {
  readonly agents: Record<string, RoleConfig> = {}
  readonly definitions: Record<string, AgentDefinition> = {}
  readonly #written: Definitions
  readonly #programs: readonly Program[]

  constructor(written: Definitions, programs = KINDS.programs) {
    this.#written = written
    this.#programs = programs
  }

  /** The cast of a configuration that was read before, for a plan or task that may need more of it. */
  static of(config: ProjectConfig, written: Definitions): Cast {
    const cast = new Cast(written)
    Object.assign(cast.agents, config.agents)
    Object.assign(cast.definitions, config.definitions)
    return cast
  }

  /** A role as muster.yaml has it. */
  name(role: string, text: AgentText): void {
    const does = text.does ?? this.#written.does(role)
    this.agents[role] = agentOf(role, { ...text, does }, this.#define(role), this.#programs)
  }

  /** Makes sure that somebody plays the role; otherwise says why nobody does. */
  need(role: string): string | null {
    if (Object.hasOwn(this.agents, role)) return null
    // Who does the work may plan it, a command too; whether it is good is for somebody else to say.
    const does = this.does(role)
    const lead = does === 'plan' ? (this.agents[LEAD] ?? null) : this.#lead()
    const isKnown = role !== LEAD && this.#written.names().includes(role)
    if (!isKnown) return unknownWord('role', role, this.roles())
    if (lead === null) {
      const why = Object.hasOwn(this.agents, LEAD) ? `agents.${LEAD} is a command` : `there is no agents.${LEAD}`
      return `no agent plays the role "${role}": ${why}. Add agents.${role}, for example ${EXAMPLE_AGENT}`
    }
    const definition = this.#define(role)
    this.agents[role] = { ...standIn({ role, does }, lead, definition, this.#programs), like: LEAD }
    return null
  }

  /** The same for one who is to do a task's work. */
  needWorker(role: string): string | null {
    return this.does(role) === 'plan'
      ? `${role} writes plans and changes no files: name the role that does the task`
      : this.need(role)
  }

  /** The same for one whose role must be to judge. */
  needJudge(role: string): string | null {
    const judges = this.roles().filter((name) => this.#judges(name))
    if (this.does(role) !== 'judge') return `"${role}" is not a judge (known: ${judges.join(', ') || 'none'})`
    const isKnown = Object.hasOwn(this.agents, role) || this.#written.names().includes(role)
    return isKnown ? this.need(role) : unknownWord('judge', role, judges)
  }

  /** What a role does, whether somebody plays it or not. */
  does(role: string): Duty {
    const agent = Object.hasOwn(this.agents, role) ? this.agents[role] : undefined
    return agent?.does ?? this.#written.does(role)
  }

  /** Whom somebody plays, or could. */
  roles(): string[] {
    const fillable = this.#lead() === null ? [] : this.#written.names()
    return [...new Set([...Object.keys(this.agents), ...fillable])]
  }

  /** The checker, where somebody can play it; otherwise a person accepts. */
  offerChecker(): void {
    if (this.#lead() !== null) this.need(CHECKER)
  }

  /** Whoever plans like the implementer does so like the one that there is now. */
  planAnew(): void {
    for (const [role, { does, like }] of Object.entries(this.agents)) {
      if (does !== 'plan' || like !== LEAD) continue
      delete this.agents[role]
      this.need(role)
    }
  }

  /** The configuration with all who joined. */
  joined(config: ProjectConfig): ProjectConfig {
    return { ...config, agents: this.agents, definitions: this.definitions }
  }

  /** For a list of them: one whose definition cannot be read is not in it. */
  #judges(role: string): boolean {
    try {
      return this.does(role) === 'judge'
    } catch {
      return false
    }
  }

  #lead(): ProgramRole | null {
    const lead = Object.hasOwn(this.agents, LEAD) ? this.agents[LEAD] : undefined
    return lead === undefined || lead.runtime === 'command' ? null : lead
  }

  #define(role: string): AgentDefinition | null {
    const definition = this.#written.of(role)
    if (definition !== null) this.definitions[role] = definition
    return definition
  }
}

function agentOf(
  role: string,
  text: AgentText & { does: Duty },
  definition: AgentDefinition | null,
  programs: readonly Program[],
): RoleConfig {
  const { timeout, ...agent } = text
  const timeoutMs = timeout ?? timeoutOf({ role, does: text.does })
  if (agent.runtime === 'command') return { ...agent, timeoutMs }
  const { stall, ...given } = agent
  const program = programNamed(programs, given.runtime)
  const [model, tools] = [given.model ?? modelFor(program, definition), toolsFor(program, definition)]
  return withLimits(role, program, { ...given, model, tools, timeoutMs, stallMs: stall ?? agentStallMs })
}

/** Its program and account in a session of its own. What the author was given beyond that is no judge's. */
function standIn(
  player: Player,
  lead: RoleConfig,
  definition: AgentDefinition | null,
  programs: readonly Program[],
): RoleConfig {
  const { role, does } = player
  if (lead.runtime === 'command') return { ...lead, does }
  const { runtime, env, network, stallMs } = lead
  const program = programNamed(programs, runtime)
  const model = modelFor(program, definition) ?? lead.model
  const tools = toolsFor(program, definition)
  if (does !== 'judge') return { ...lead, does, model, tools }
  return withLimits(role, program, {
    does,
    runtime,
    env,
    network,
    stallMs,
    model,
    tools,
    args: [],
    checks: [],
    timeoutMs: timeoutOf(player),
  })
}

function timeoutOf({ role, does }: Player): number {
  if (role === CHECKER) return checkerTimeoutMs
  return does === 'judge' ? judgeTimeoutMs : agentTimeoutMs
}

/** A checker has a budget wherever somebody can keep it. */
function withLimits(role: string, program: Program | undefined, agent: ProgramRole): ProgramRole {
  const keeps = program !== undefined && keepsBudget(program, agent.model)
  if (role !== CHECKER || agent.maxBudgetUsd !== undefined || !keeps) return agent
  return { ...agent, maxBudgetUsd: checkerBudgetUsd }
}

/** A definition's model, if the program has one of that name. */
export function modelFor(
  program: Program | undefined,
  definition: Pick<AgentDefinition, 'model'> | null,
): string | undefined {
  const model = definition?.model ?? undefined
  return model !== undefined && program?.hasModel(model) === true ? model : undefined
}

function toolsFor(program: Program | undefined, definition: AgentDefinition | null): readonly string[] | undefined {
  return program?.takesTools === true ? (definition?.tools ?? undefined) : undefined
}

/** The configuration with somebody who plays the role; rejects if nobody can. */
export function withRole(config: ProjectConfig, root: string, role: string): ProjectConfig {
  const cast = Cast.of(config, definitionsIn(root))
  const problem = cast.need(role)
  if (problem !== null) throw new MusterError('config', problem, { hint: `add agents.${role} to muster.yaml` })
  return cast.joined(config)
}
