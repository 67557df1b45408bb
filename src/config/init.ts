/** What `muster init` writes: a configuration that fits what the project has, with every line explained. */
import { programNamed } from '../domain/program.ts'
import type { Place } from './detect.ts'
import { KINDS } from './kinds.ts'

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
  /** Of those that do not run at the top for every change. */
  places?: Readonly<Record<string, Place>>
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

export function configText(detected: Detected): string {
  const { base, agent, others = [], checks, places = {}, schema, seen = {}, setup = null, copy = [] } = detected
  const inParts = Object.values(places).some(({ paths }) => paths !== null)
  const checkLines = Object.entries(checks).map(([name, command]) =>
    checkText(name, command, places[name], base, seen[name]),
  )
  return `${schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`}# muster help configuration explains every key.
version: 1

# The branch that work starts from. Landing on a protected branch needs a person (muster approve).
base: ${JSON.stringify(base)}
protected: [${JSON.stringify(base)}]

# checked: Muster verifies the work, then a checker or you accept it. direct: what passes verification lands without being accepted.
phases: checked

${limitLines(agent, others)}

# auto: if bubblewrap is installed, agents cannot see your other files (docs/sandbox.md). off: they can see everything.
sandbox: auto

${agentLines(agent)}${agent !== null && 'runtime' in agent ? checkerLines(agent, others) : ''}
${setup === null ? '' : setupText(setup, seen['setup'])}${copyText(copy)}${checkLines.length > 0 ? `# The commands that verify work, on the exact commit. "lint: false" switches off a check that Muster would detect.\n${inParts ? PARTS : ''}checks:\n${checkLines.join('')}` : ''}`
}

const PARTS = `# paths: a check runs if a change touches its package, a package that it uses, or files outside of all packages.
# Other changes skip it. When a package starts to use another one, add that here: muster doctor names it.
`

/** Whatever a tool printed stays one comment. */
const comment = (text: string): string => text.replace(/[\r\n\p{Cc}]+/gu, ' ').trim()

function setupText(setup: string, seen: Seen | undefined): string {
  const about =
    '# Runs once for each state of the lock files, in a clean checkout. Workspaces and checks start from the result.\n'
  const line = `setup: ${JSON.stringify(setup)}`
  if (seen === undefined) return `${about}${line}\n\n`
  if (seen.usable) return `${about}${line}   # ${comment(seen.words)}\n\n`
  return `${about}# It failed:  ${comment(seen.words)}\n${line}\n\n`
}

function copyText(copy: readonly string[]): string {
  if (copy.length === 0) return ''
  return `# Files that git ignores, for checks that read them. Code that agents wrote can read them as well.\n# copy: [${copy.join(', ')}]\n\n`
}

function checkText(
  name: string,
  command: string,
  place: Place | undefined,
  base: string,
  seen: Seen | undefined,
): string {
  const line = `${name}: ${placed(command, place)}`
  if (seen === undefined) return `  ${line}\n`
  if (seen.usable) return `  ${line}   # ${comment(seen.words)}\n`
  return `  # ${line}\n  # On ${base}: ${comment(seen.words)}. When it passes there, use it in place of this line:\n  ${name}: false\n`
}

function placed(command: string, place: Place | undefined): string {
  const run = JSON.stringify(command)
  if (place === undefined) return run
  const paths = place.paths === null ? '' : `, paths: [${place.paths.map((path) => JSON.stringify(path)).join(', ')}]`
  return `{ run: ${run}, cwd: ${JSON.stringify(place.cwd)}${paths} }`
}

/** For others than these a budget needs a model whose price is known. */
const countsDollars = (agent: InitAgent): boolean =>
  'runtime' in agent && programNamed(KINDS.programs, agent.runtime)?.keeps.budget === true

/** Sent back ten times, a task needs other words, not another round. */
function limitLines(agent: InitAgent | null, [checker = agent]: readonly (InitAgent | null)[]): string {
  const kept = agent !== null && checker !== null && countsDollars(agent) && countsDollars(checker)
  const budget = kept
    ? '  # The limit in dollars for each story, and for each day of tasks without a story. Raise it as you need.\n  budgetUsd: 20'
    : '  # The limit in dollars for each story. It needs agents with known prices (docs/agents.md).\n  # budgetUsd: 20'
  return `limits:\n  maxWorkers: 4\n  # A task that was sent back this often fails; muster retry gives it as many rounds again.\n  maxTaskRounds: 10\n${budget}`
}

function agentLines(agent: InitAgent | null): string {
  const known = agent !== null && 'runtime' in agent
  const about = known
    ? `# ${agent.title} uses your own login. For more settings, such as model and maxBudgetUsd, see docs/agents.md.`
    : `# ${agent === null ? 'No agent program was found: put a command here' : 'A command'} that reads the prompt from stdin and edits files in its working directory.
# verdict: exit uses the exit code as the verdict; file reads it from $MUSTER_VERDICT_FILE.`
  return `${about}\nagents:\n  implementer: ${agentText(agent ?? { title: '', run: './agent.sh', env: [] })}\n`
}

/** Somebody who did not write the work judges it: another program, where there is one. */
function checkerLines(agent: InitAgent, others: readonly InitAgent[]): string {
  const [checker = agent, ...more] = others
  const who = checker === agent ? 'the same program in a separate session' : checker.title
  return `  # Judges the work before it is accepted: ${who}. See docs/judges.md.
  checker: ${agentText(checker, '10m')}
${more.map((other) => `  # ${other.title} is installed too.\n  # other: ${agentText(other)}\n`).join('')}`
}

function agentText(agent: InitAgent, timeout = '30m'): string {
  const what =
    'runtime' in agent
      ? `runtime: ${agent.runtime}`
      : `runtime: command, run: ${JSON.stringify(agent.run)}, verdict: exit`
  return `{ ${what}, timeout: ${timeout}${agent.env.length > 0 ? `, env: [${agent.env.join(', ')}]` : ''} }`
}
