/** Claude Code: how it is started. What was measured of it decides every flag; docs/agents.md says what they are for. */
import { JUDGE_TOOLS } from '../../domain/config.ts'
import type { AgentAdapter, AgentSpec } from '../stream/adapter.ts'
import { parseClaude } from './parse.ts'

const JUDGE = ['--permission-mode', 'dontAsk']

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

export const claude: AgentAdapter = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  minVersion: '2.1.325',
  install: 'npm install --global @anthropic-ai/claude-code',
  login: 'run claude once and log in, or list ANTHROPIC_API_KEY under env',
  pass: ['CLAUDE_CONFIG_DIR'],
  homes: ({ CLAUDE_CONFIG_DIR: dir }) => (dir === undefined ? ['.claude', '.claude.json'] : [dir]),
  settings: ['settings.json', 'settings.local.json', 'CLAUDE.md', 'agents', 'commands', 'hooks', 'skills'],
  account: '.credentials.json',
  loginStatus: ['auth', 'status'],
  key: 'ANTHROPIC_API_KEY',
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
        ...(spec.judge ? JUDGE : [...AUTHOR, '--disallowedTools', ELSEWHERE.join(',')]),
        ...limits(spec),
        ...spec.args,
      ],
      // Without the last, a wrong key is tried ten times, for more than a minute.
      env: {
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_MAX_RETRIES: '3',
      },
    }
  },
  parse: parseClaude,
}

/** What its definition names narrows what its role may use, and never widens it. */
function toolsOf({ judge, tools }: AgentSpec): string[] {
  const allowed = judge ? JUDGE_TOOLS.filter((tool) => tools?.includes(tool) ?? true) : tools
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
