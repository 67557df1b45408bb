/**
 * Codex: how Muster starts it. Each flag was chosen after measuring what the program does; docs/agents.md explains
 * them.
 */
import { resolve } from 'node:path'
import { canPrice } from '../../domain/prices.ts'
import type { AgentAdapter, AgentSpec } from '../stream/adapter.ts'
import { findRollout, parseRollout } from './ledger.ts'
import { parseCodex } from './parse.ts'
import { prices } from './prices.ts'

/** For a machine on which everything starts at once. */
const toolsStartSeconds = 120

/** Otherwise it waits at its end for servers it does not need; and instruction files come with the prompt. */
const QUIET = [
  '-c',
  'analytics.enabled=false',
  '-c',
  'project_doc_max_bytes=0',
  '--disable',
  'plugins',
  '--color',
  'never',
]

declare module '../../domain/config.ts' {
  interface ProgramNames {
    codex: true
  }
}

export const codex: AgentAdapter = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  minVersion: '0.166.0',
  install: 'npm install --global @openai/codex',
  login: 'codex login, or add CODEX_API_KEY to env',
  pass: ['CODEX_HOME'],
  homes: ({ CODEX_HOME: dir }) => [dir || '.codex'],
  settings: ['config.toml', 'AGENTS.md', 'rules', 'prompts'],
  foreign: ['hooks.json', 'AGENTS.override.md', 'managed_config.toml', '.env'],
  scratch: ['shell_snapshots', 'tmp'],
  account: 'auth.json',
  loginStatus: ['login', 'status'],
  key: 'CODEX_API_KEY',
  ledger: {
    find: ({ CODEX_HOME: dir = '.codex', HOME: home = '' }, session) => findRollout(resolve(home, dir), session),
    parse: parseRollout,
  },
  // Definitions name models of other programs more often than its own: only what is known for sure is one.
  hasModel: (model) => canPrice(prices, model),
  takesTools: false,
  prices,
  // It clears away what others left of their starts, also what one has just begun to make: that one can run no command.
  startsAlone: true,
  keeps: { turns: false, budget: false },
  commandLine(spec) {
    const { model, session, args } = spec
    return {
      args: [
        'exec',
        '--json',
        '--skip-git-repo-check',
        ...QUIET,
        ...notTrusted(spec),
        ...sandbox(spec),
        ...toolServer(spec),
        ...(model === undefined ? [] : ['-m', model]),
        ...args,
        ...(session === undefined ? [] : ['resume', session]),
        '-',
      ],
      env: {},
    }
  },
  parse: parseCodex,
}

/**
 * Configuration, hooks and MCP servers of a trusted folder are run, and a folder it may write to is made a trusted one,
 * for good, in the user's own settings; unless this says that it is not.
 */
function notTrusted({ workspace }: AgentSpec): string[] {
  return ['-c', `projects={${JSON.stringify(workspace)}={trust_level="untrusted"}}`]
}

/** A judge's tools need nobody's approval. Without `required` it begins before they are there, and what it calls first is lost. */
function toolServer({ server }: AgentSpec): string[] {
  if (server === undefined) return []
  const [command, ...args] = server.map((word) => JSON.stringify(word))
  const waited = `required=true,startup_timeout_sec=${toolsStartSeconds}`
  return [
    '-c',
    `mcp_servers.muster={command=${command},args=[${args.join(',')}],default_tools_approval_mode="approve",${waited}}`,
  ]
}

/**
 * Its own sandbox, which the kernel enforces. Inside Muster's it cannot make one, at least not as root, and does not
 * need to: there the workspace of a judge is read-only, and what is not listed is out of reach.
 */
function sandbox({ judge, confined, network }: AgentSpec): string[] {
  if (confined) return ['-s', 'danger-full-access']
  if (judge) return ['-s', 'read-only']
  return ['-s', 'workspace-write', '-c', `sandbox_workspace_write.network_access=${network}`]
}
