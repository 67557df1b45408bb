/** The agent programs that Muster knows, all together: how each is run, whether it is there, and how its log is read. */
import { COMMAND, type AgentConfig, type ProgramName, type ProjectConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import { programNamed } from '../domain/program.ts'
import { isManager } from '../tools/packages.ts'
import { firstWords } from '../tools/words.ts'
import type { Runtime } from '../ports/runtime.ts'
import { findCommandProblem } from '../process/command.ts'
import { commandRuntime } from './command/command.ts'
import { findLogin, findProgram } from './program/find.ts'
import { programRuntime } from './program/program.ts'
import { programTimeline, type Timeline } from './program/timeline.ts'
import { PROGRAMS } from './registry.ts'
import type { AgentAdapter } from './stream/adapter.ts'
import type { WorkerOptions } from './worker/worker.ts'

/** Each agent by its own runtime. */
export function agentRuntime(options: WorkerOptions, programs = PROGRAMS): Runtime {
  const command = commandRuntime(options)
  const runtimes = new Map(programs.map((adapter) => [adapter.name, programRuntime(adapter, options)]))
  const runtimeOf = ({ runtime }: AgentConfig): Runtime =>
    runtime === COMMAND ? command : (runtimes.get(runtime) ?? unknown(runtime))
  return {
    start: async (request, onLine, onEvent) => runtimeOf(request.agent).start(request, onLine, onEvent),
    recover: async (request) => runtimeOf(request.agent).recover(request),
  }
}

/** A task may have been made by a Muster that knew more of them. */
function unknown(runtime: ProgramName): never {
  throw new MusterError('config', `this Muster does not know the program "${runtime}"`, {
    hint: `name another under agents in muster.yaml: ${PROGRAMS.map(({ name }) => name).join(', ')}`,
  })
}

/** Null: it is a command of the user's own. */
function adapterOf({ runtime }: AgentConfig, programs: readonly AgentAdapter[]): AgentAdapter | null {
  return runtime === COMMAND ? null : (programNamed(programs, runtime) ?? unknown(runtime))
}

/** How the log of an agent's run is read; null for one that prints whatever it likes. */
export function timelineOf(agent: AgentConfig | undefined, programs = PROGRAMS): Timeline | null {
  if (agent === undefined || agent.runtime === COMMAND) return null
  const adapter = programNamed(programs, agent.runtime)
  return adapter === undefined ? null : programTimeline(adapter, agent.model)
}

/** The programs that are installed. `key`: the variable that stands for the login they lack, if it is set. */
export async function installedPrograms(env: Readonly<Record<string, string | undefined>>, programs = PROGRAMS) {
  const found = await Promise.all(
    programs.map(async (adapter) => {
      const { name: runtime, title, key } = adapter
      const { version, account } = await findProgram(adapter)
      const needsKey = !account && (env[key] ?? '') !== ''
      return version === null ? [] : [{ runtime, title, version, key: needsKey ? key : null }]
    }),
  )
  return found.flat()
}

/** Looks at each program, in words; null for one that is neither configured nor there. Rejects where a configured one cannot work. */
export function programChecks(
  config: ProjectConfig | null,
  programs = PROGRAMS,
): { name: string; check(): Promise<string | null> }[] {
  return programs.map((adapter) => {
    const agents = Object.values(config?.agents ?? {}).filter(({ runtime }) => runtime === adapter.name)
    const image = config?.sandbox.mode === 'container'
    return { name: adapter.name, check: () => (image ? ofImage(agents) : checkProgram(adapter, agents)) }
  })
}

/** What an image holds is seen when it runs. */
async function ofImage(agents: readonly AgentConfig[]): Promise<string | null> {
  return agents.length === 0 ? null : 'from the image, or from a PATH folder below your home'
}

async function checkProgram(adapter: AgentAdapter, agents: readonly AgentConfig[]): Promise<string | null> {
  const { title, login: how } = adapter
  const { version, problem } = await findProgram(adapter)
  if (agents.length === 0) return version === null ? null : `${title} ${version}, not used here`
  if (problem !== null) throw new MusterError('config', problem)
  const login = await findLogin(adapter, [...new Set(agents.flatMap(({ env }) => env))])
  if (login !== null) return `${title} ${version}, ${login}`
  throw new MusterError('config', `${title} ${version}, but not logged in`, { hint: how })
}

/** What keeps the configured agents and checks from starting at all, in words; empty when nothing does. */
export async function commandProblems(
  { config, root }: { config: ProjectConfig; root: string },
  programs = PROGRAMS,
): Promise<string[]> {
  const { agents, checks, services = {} } = config
  const place = { image: config.sandbox.mode === 'container', setup: config.setup !== null }
  const commands = [
    ...Object.entries(agents).map(([role, agent]) => {
      const adapter = adapterOf(agent, programs)
      const command = agent.runtime === COMMAND ? agent.run : (adapter?.program ?? '')
      return [`agents.${role}`, command, place, adapter?.install ?? null] as const
    }),
    // Scripts are run without the package manager that a check names.
    ...Object.entries(checks)
      .filter(([, { run }]) => !isManager(firstWords(run)[0]?.text ?? ''))
      .map(([name, { run, cwd }]) => [`checks.${name}`, run, { ...place, cwd }, null] as const),
    ...Object.entries(services).flatMap(([name, { run, ready, stop }]) =>
      Object.entries({ run, ready, stop }).flatMap(([key, text]) =>
        text === null ? [] : [[`services.${name}.${key}`, text, place, null] as const],
      ),
    ),
  ]
  const problems = await Promise.all(
    commands.map(async ([key, run, from, install]) => {
      const problem = await findCommandProblem(run, root, from)
      return problem === null ? [] : [`${key}: ${problem}${install === null ? '' : ` (install it: ${install})`}`]
    }),
  )
  return problems.flat()
}
