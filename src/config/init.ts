/** What `muster init` writes: a configuration that fits what the project has, with every line explained. */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TOOLS, factsOf } from '../domain/facts.ts'

export interface Detected {
  base: string
  /** The command that does the work; null when no agent program was found. */
  agent: { name: string; run: string; env: string[] } | null
  checks: Record<string, string>
  schema: string
}

/** Headless command lines of agent programs that read their prompt from stdin and edit files where they are started. */
export const KNOWN_AGENTS: readonly { name: string; program: string; run: string; env: string[] }[] = [
  {
    name: 'Claude Code',
    program: 'claude',
    run: 'claude -p --permission-mode acceptEdits --allowedTools Bash',
    env: ['ANTHROPIC_API_KEY'],
  },
  { name: 'Codex', program: 'codex', run: 'codex exec -s workspace-write -', env: ['OPENAI_API_KEY', 'CODEX_HOME'] },
]

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

export function configText({ base, agent, checks, schema }: Detected): string {
  const run = agent?.run ?? './agent.sh'
  const env = agent !== null && agent.env.length > 0 ? `, env: [${agent.env.join(', ')}]` : ''
  const checkLines = Object.entries(checks).map(([name, command]) => `  ${name}: ${JSON.stringify(command)}\n`)
  return `# yaml-language-server: $schema=${schema}
version: 1

# The branch that work starts from. Landing on a protected branch needs a person (muster approve).
base: ${JSON.stringify(base)}
protected: [${JSON.stringify(base)}]

# checked: Muster verifies the contract, and you accept what passes. direct: what the agent delivers is landed.
phases: checked

limits: { maxWorkers: 4, maxTaskRounds: 50 }

# Agents are kept away from your files where bubblewrap is installed (docs/sandbox.md); "off" lets them see everything.
sandbox: auto

# ${agent === null ? 'No agent program was found: put a command here that reads the prompt from stdin and edits files.' : `${agent.name}: reads the prompt from stdin and edits files in its working directory.`}
# verdict: exit takes the exit code as the verdict; file expects one in $MUSTER_VERDICT_FILE.
agents:
  implementer: { runtime: command, run: ${JSON.stringify(run)}, verdict: exit, timeout: 30m${env} }
${checkLines.length > 0 ? `\n# Commands that a phase can run with "check <name>".\nchecks:\n${checkLines.join('')}` : ''}`
}
