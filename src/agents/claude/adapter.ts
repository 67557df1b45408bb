/**
 * Claude Code: how Muster starts it. Each flag was chosen after measuring what the program does; docs/agents.md
 * explains them.
 */
import { join } from 'node:path'
import { LOOKING_TOOLS } from '../../domain/config.ts'
import { JUDGE_TOOLS } from '../../domain/verdict/judge-tools.ts'
import type { AgentAdapter, AgentSpec } from '../stream/adapter.ts'
import { parseClaude } from './parse.ts'

/**
 * It looks and nothing else: a shell would let it write, whatever it is told. Where the workspace is read-only it has one,
 * since a judge that cannot run the tests has to believe the author.
 */
function judge(spec: AgentSpec): string[] {
  const { server } = spec
  const own = server === undefined ? [] : JUDGE_TOOLS.map(({ name }) => `mcp__muster__${name}`)
  const allowed = [...toolsOfJudge(spec).filter((tool) => tool === 'Bash'), ...own]
  return [
    '--permission-mode',
    'dontAsk',
    ...(allowed.length === 0 ? [] : ['--allowedTools', allowed.join(',')]),
    ...(server === undefined ? [] : ['--mcp-config', serverOf(server)]),
  ]
}

function serverOf([command, ...args]: readonly [string, ...string[]]): string {
  return JSON.stringify({ mcpServers: { muster: { command, args } } })
}

/** Of what judges may use, what its definition names. */
function toolsOfJudge({ confined, tools }: AgentSpec): string[] {
  const all = [...LOOKING_TOOLS, ...(confined ? ['Bash'] : [])]
  return all.filter((tool) => tools?.includes(tool) ?? true)
}

/**
 * Edits in the workspace and any command. Not what outlives the run, talks to other agents, or works somewhere else than
 * in the workspace: that work would be lost.
 */
const ELSEWHERE = [
  'CronCreate',
  'CronDelete',
  'CronList',
  'EnterWorktree',
  'ExitWorktree',
  'ListAgents',
  'ScheduleWakeup',
  'SendMessage',
]
const AUTHOR = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash,WebFetch,WebSearch']

/** Settings, hooks and MCP servers of the repository would be code of strangers that runs before anybody looked at it. */
const NOTHING_OF_THE_REPOSITORY = ['--setting-sources', 'user', '--strict-mcp-config']

declare module '../../domain/config.ts' {
  interface ProgramNames {
    claude: true
  }
}

/** Its own names for its models, and the whole names of some. */
const MODEL = /^(?:sonnet|opus|haiku)(?:\[1m\])?$|^claude-/

export const claude: AgentAdapter = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  minVersion: '2.1.325',
  install: 'npm install --global @anthropic-ai/claude-code',
  login: 'run claude once to log in, or add ANTHROPIC_API_KEY to env',
  pass: ['CLAUDE_CONFIG_DIR'],
  homes: ({ CLAUDE_CONFIG_DIR: dir }) => (dir ? [dir] : ['.claude', '.claude.json']),
  settings: [
    'settings.json',
    'CLAUDE.md',
    'agents',
    'commands',
    'hooks',
    'skills',
    'output-styles',
    'rules',
    'plugins',
  ],
  foreign: ['settings.local.json', '.config.json', 'local'],
  scratch: ['shell-snapshots', 'session-env'],
  state: ({ CLAUDE_CONFIG_DIR: dir }) => (dir ? join(dir, '.claude.json') : '.claude.json'),
  account: '.credentials.json',
  loginStatus: ['auth', 'status'],
  key: 'ANTHROPIC_API_KEY',
  hasModel: (model) => MODEL.test(model),
  takesTools: true,
  prices: {},
  startsAlone: false,
  keeps: { turns: true, budget: true },
  commandLine(spec) {
    return {
      args: [
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        ...NOTHING_OF_THE_REPOSITORY,
        ...toolsOf(spec),
        ...(spec.judge ? judge(spec) : [...AUTHOR, '--disallowedTools', ELSEWHERE.join(',')]),
        ...limits(spec),
        ...spec.args,
      ],
      // Without the last, a wrong key is tried ten times, for more than a minute.
      env: {
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_MAX_RETRIES: '3',
        // Otherwise the tools of a server are not there until they are searched for.
        ...(spec.server === undefined ? {} : { ENABLE_TOOL_SEARCH: 'false' }),
      },
    }
  },
  parse: parseClaude,
}

/** What its definition names narrows what its role may use, and never widens it. */
function toolsOf(spec: AgentSpec): string[] {
  const allowed = spec.judge ? toolsOfJudge(spec) : spec.tools
  return allowed === undefined ? [] : ['--tools', allowed.join(',')]
}

function limits({ model, maxTurns, maxBudgetUsd, session }: AgentSpec): string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
    ...(maxBudgetUsd === undefined ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...(session === undefined ? [] : ['--resume', session]),
  ]
}
