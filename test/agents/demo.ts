/**
 * `npm run demo:agents`: a plan of four tasks, two done by the real Claude Code and two by the real Codex, with a scripted
 * model on 127.0.0.1 and dummy keys. Nothing of the machine's home or environment is used, and nothing is left behind.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { startModelServer } from '../model-server/server.ts'
import { VERIFIED } from '../support/maps.ts'
import { bin, requestOf } from './model.ts'

const NAMES = ['claude', 'codex'] as const
const missing = NAMES.filter((name) => !existsSync(join(bin, name)))
if (missing.length > 0) {
  console.error(`${missing.join(' and ')} not installed here: npm run agents:install`)
  process.exit(1)
}

const PLAN = `meta: { id: mix, name: "Two programs, one plan" }
tasks:
  - { id: 1, name: Written by Claude Code }
  - { id: 2, name: Written by Codex, agent: coder }
  - { id: 3, name: Written by Claude Code after that, depends_on: [2] }
  - { id: 4, name: Written by Codex after that, agent: coder, depends_on: [1] }
`

const top = mkdtempSync(join(tmpdir(), 'muster-agents-demo-'))
const model = await startModelServer()
try {
  process.exitCode = await demo()
} finally {
  await model.close()
  rmSync(top, { recursive: true, force: true })
}

async function demo(): Promise<number> {
  const repository = join(top, 'project')
  const home = join(top, 'home')
  for (const folder of ['.claude', '.codex', 'tmp']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, '.claude.json'), '{}')
  mkdirSync(repository)
  writeFileSync(join(repository, 'README.md'), '# A project\n')
  writeFileSync(join(repository, 'muster.yaml'), configText())
  writeFileSync(join(repository, 'plan.yaml'), PLAN)
  const env = {
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    MUSTER_HOME: join(top, 'data'),
    ANTHROPIC_API_KEY: 'dummy',
    SCRIPTED_KEY: 'dummy',
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.invalid', ...args], {
      cwd: repository,
      env,
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  const muster = (...args: string[]): Promise<number> => {
    console.error(`\n$ muster ${args.join(' ')}`)
    const cli = join(import.meta.dirname, '../../src/cli/main.ts')
    const child = spawn(process.execPath, [cli, ...args], { cwd: repository, env, stdio: 'inherit' })
    return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)))
  }
  const code = await muster('run', 'plan.yaml')
  await muster('logs', 'mix-2', '--run', 'mix-2.r1')
  await muster('cost')
  return code
}

/** Both with the same model, which writes with a command: where the workspace is only Muster knows. */
function configText(): string {
  const steps = [{ run: 'echo "by $MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' }, { say: 'I wrote it.' }]
  const agents = NAMES.map((name) => {
    const { agent } = requestOf(name, model.play({ steps }, ''), { runId: '', dir: '', workspace: '' })
    if (agent.runtime === 'command') throw new Error('the agent is a program')
    const { runtime, model: called, args, env } = agent
    const role = name === 'claude' ? 'implementer' : 'coder'
    return `  ${role}: ${JSON.stringify({ runtime, model: called, args, env, maxBudgetUsd: 1 })}\n`
  })
  return `version: 1\nphases: ${VERIFIED}\nlimits: { budgetUsd: 5 }\nagents:\n${agents.join('')}`
}
