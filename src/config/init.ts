/** What `muster init` writes: a configuration that fits what the project has, with every line explained. */
import { TOOLS, factsOf } from '../domain/facts.ts'
import { managerOf, type ReadText } from '../domain/packages.ts'
import { type Has, setupsOf } from '../domain/setup.ts'

export type InitAgent = { title: string; env: readonly string[] } & ({ runtime: string } | { run: string })

export interface Detected {
  base: string
  /** Who does the work: a program that Muster knows, or a command; null when nothing was found. */
  agent: InitAgent | null
  /** Other programs that could. */
  others?: readonly InitAgent[]
  /** Null: nothing has to be installed. */
  setup?: string | null
  checks: Record<string, string>
  /** Files that git ignores and tests may read. */
  copy?: readonly string[]
  /** What was seen when setup and checks were tried; by name. */
  seen?: Readonly<Record<string, Seen>>
  /** Relative to the file, so that it holds on every machine; null: there is none to point to. */
  schema: string | null
}

/** `usable`: it stays in the file; otherwise it is there as a comment, and switched off. */
export interface Seen {
  words: string
  usable: boolean
}

/** Checks that the project's own tools offer. End-to-end tests are left to those who want them in every phase. */
export function detectChecks(files: readonly string[], read: ReadText): Record<string, string> {
  const { tools } = factsOf(files, read)
  return Object.fromEntries(
    TOOLS.flatMap((name) => (name === 'e2e' || tools[name] === undefined ? [] : [[name, tools[name].command]])),
  )
}

/** What has to be installed for them, the programs that this takes, and what somebody should know of it. */
export function detectSetup(
  files: readonly string[],
  read: ReadText,
  has: Has,
): { setup: string | null; needs: string[]; notes: string[] } {
  const setups = setupsOf(files, read, has)
  const names = new Set(files.filter((file) => !file.includes('/')))
  const { name, ignored } = managerOf(names, read)
  const notes = ignored.length === 0 ? [] : [`${ignored.join(' and ')} lies there too; ${name} was taken`]
  const setup = setups.map(({ command }) => command).join(' && ')
  return { setup: setup === '' ? null : setup, needs: setups.map(({ program }) => program), notes }
}

/** Settings that tests may need and no checkout has. Their values stay where they are. */
export function copyCandidates(ignored: readonly string[]): string[] {
  return ignored.filter((path) => /^\.env(?:\.(?:test|local|development)(?:\.local)?)?$/.test(path)).toSorted()
}

export function configText(detected: Detected): string {
  const { base, agent, others = [], checks, schema, seen = {}, setup = null, copy = [] } = detected
  const checkLines = Object.entries(checks).map(([name, command]) => checkText(name, command, base, seen[name]))
  return `${schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`}# muster help configuration explains every key.
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
${setup === null ? '' : setupText(setup, seen['setup'])}${copyText(copy)}${checkLines.length > 0 ? `# What Muster runs to verify work, on the exact commit. "lint: false" switches one off that it would find by itself.\nchecks:\n${checkLines.join('')}` : ''}`
}

/** Whatever a tool printed stays one comment. */
const comment = (text: string): string => text.replace(/[\r\n\p{Cc}]+/gu, ' ').trim()

function setupText(setup: string, seen: Seen | undefined): string {
  const about =
    '# Run once for each state of the lock files, in a clean checkout; workspaces and checks start from what it leaves.\n'
  const line = `setup: ${JSON.stringify(setup)}`
  if (seen === undefined) return `${about}${line}\n\n`
  if (seen.usable) return `${about}${line}   # ${comment(seen.words)}\n\n`
  return `${about}# It failed when it was tried: ${comment(seen.words)}\n${line}\n\n`
}

function copyText(copy: readonly string[]): string {
  if (copy.length === 0) return ''
  return `# Files that git ignores, for checks that read them. Code that agents wrote can read them too.\n# copy: [${copy.join(', ')}]\n\n`
}

function checkText(name: string, command: string, base: string, seen: Seen | undefined): string {
  const line = `${name}: ${JSON.stringify(command)}`
  if (seen === undefined) return `  ${line}\n`
  if (seen.usable) return `  ${line}   # ${comment(seen.words)}\n`
  return `  # ${line}\n  # On ${base}: ${comment(seen.words)}. Once it is green there, put it in place of this:\n  ${name}: false\n`
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
