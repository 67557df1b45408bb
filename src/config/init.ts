/** What `muster init` writes: a configuration that fits what the project has, with every line explained. */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TOOLS, factsOf } from '../domain/facts.ts'

export type InitAgent = { title: string; env: readonly string[] } & ({ runtime: string } | { run: string })

export interface Detected {
  base: string
  /** Who does the work: a program that Muster knows, or a command; null when nothing was found. */
  agent: InitAgent | null
  /** Other programs that could. */
  others?: readonly InitAgent[]
  checks: Record<string, string>
  schema: string
}

/** Checks that the project's own tools offer. End-to-end tests are left to those who want them in every phase. */
export async function detectChecks(root: string): Promise<Record<string, string>> {
  const names = await readdir(root)
  const { tools } = factsOf(names, (name) => textOf(join(root, name)))
  return Object.fromEntries(
    TOOLS.flatMap((name) => (name === 'e2e' || tools[name] === undefined ? [] : [[name, tools[name].command]])),
  )
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

export function configText({ base, agent, others = [], checks, schema }: Detected): string {
  const checkLines = Object.entries(checks).map(([name, command]) => `  ${name}: ${JSON.stringify(command)}\n`)
  return `# yaml-language-server: $schema=${schema}
version: 1

# The branch that work starts from. Landing on a protected branch needs a person (muster approve).
base: ${JSON.stringify(base)}
protected: [${JSON.stringify(base)}]

# checked: Muster verifies the contract, and a checker or you accept what passes. direct: nobody is asked; what passes verification lands.
phases: checked

${limitLines(agent, others)}

# Agents are kept away from your files where bubblewrap is installed (docs/sandbox.md); "off" lets them see everything.
sandbox: auto

${agentLines(agent)}${agent !== null && 'runtime' in agent ? checkerLines(agent, others) : ''}
${checkLines.length > 0 ? `# Commands that a phase can run with "check <name>".\nchecks:\n${checkLines.join('')}` : ''}`
}

/** Agents that count their own dollars: for others a budget needs a model whose price is known. */
const countsDollars = (agent: InitAgent): boolean => 'runtime' in agent && agent.runtime === 'claude'

/** Sent back ten times, a task needs other words, not another round. */
function limitLines(agent: InitAgent | null, [checker = agent]: readonly (InitAgent | null)[]): string {
  const kept = agent !== null && checker !== null && countsDollars(agent) && countsDollars(checker)
  const budget = kept
    ? '  # What a story may cost in dollars, and the tasks without one on a day: raise it as you need.\n  budgetUsd: 20'
    : '  # What a story may cost in dollars; every agent needs a known price for it (docs/agents.md).\n  # budgetUsd: 20'
  return `limits:\n  maxWorkers: 4\n  # A task that was sent back this often fails; muster retry gives it as many rounds more.\n  maxTaskRounds: 10\n${budget}`
}

function agentLines(agent: InitAgent | null): string {
  const known = agent !== null && 'runtime' in agent
  const about = known
    ? `# ${agent.title} works with your own login. More of it, such as model and maxBudgetUsd: docs/agents.md.`
    : `# ${agent === null ? 'No agent program was found: put a command here' : 'A command'} that reads the prompt from stdin and edits files in its working directory.
# verdict: exit takes the exit code as the verdict; file expects one in $MUSTER_VERDICT_FILE.`
  return `${about}\nagents:\n  implementer: ${agentText(agent ?? { title: '', run: './agent.sh', env: [] })}\n`
}

/** Somebody who did not write the work judges it: another program, where there is one. */
function checkerLines(agent: InitAgent, others: readonly InitAgent[]): string {
  const [checker = agent, ...more] = others
  const who = checker === agent ? 'the same program, in a session of its own' : checker.title
  return `  # Judges what was done, before it is accepted: ${who}. More on judges: docs/judges.md.
  checker: ${agentText(checker, '10m')}
${more.map((other) => `  # ${other.title} is here too.\n  # other: ${agentText(other)}\n`).join('')}`
}

function agentText(agent: InitAgent, timeout = '30m'): string {
  const what =
    'runtime' in agent
      ? `runtime: ${agent.runtime}`
      : `runtime: command, run: ${JSON.stringify(agent.run)}, verdict: exit`
  return `{ ${what}, timeout: ${timeout}${agent.env.length > 0 ? `, env: [${agent.env.join(', ')}]` : ''} }`
}
