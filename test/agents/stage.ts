/**
 * A stage for the real agent programs: a home, a repository and a scripted model of their own. They get a dummy key, an
 * address on 127.0.0.1 and nothing of the machine's; test/support/setup.ts has emptied the environment before.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { claude } from '../../src/agents/claude/adapter.ts'
import { codex } from '../../src/agents/codex/adapter.ts'
import { programRuntime } from '../../src/agents/program/program.ts'
import type { AgentEvent } from '../../src/domain/agent-event.ts'
import type { ProgramAgent } from '../../src/domain/config.ts'
import type { RunOutcome, RunRequest, Worker } from '../../src/ports/runtime.ts'
import { bin, requestOf, type Name } from './model.ts'
import { scenario as read, type Scenario } from '../model-server/scenario.ts'
import { startModelServer, type ModelServer, type Play } from '../model-server/server.ts'

const ADAPTERS = { claude, codex }

/** The user's own settings of both programs: no run may change them. */
export const SETTINGS = { '.claude/settings.json': '{}\n', '.codex/config.toml': '# mine\n' }

export const PROGRAMS = (['claude', 'codex'] as const).map((name) => {
  const there = existsSync(join(bin, name))
  return { name, there, title: there ? name : `${name} (SKIPPED: npm run agents:install)` }
})

export interface Setup {
  agent?: Partial<ProgramAgent>
  request?: Partial<RunRequest>
  /** `off`: without Muster's sandbox, so that the program's own settings have to hold. */
  sandbox?: 'auto' | 'off'
  /** Files of the repository, beside README.md. */
  files?: Record<string, string>
  /** A stage to go on with. */
  on?: Stage
}

export interface Stage {
  workspace: string
  home: string
  request: RunRequest
  play: Play
  events: AgentEvent[]
  worker: Worker
  ended: Promise<RunOutcome>
}

/** Called once per file: a model server, and the variables that are the same for all its runs. */
export function stages() {
  let top: string
  let home: string
  const saved = { ...process.env }
  let model: ModelServer
  let count = 0
  beforeAll(async () => {
    model = await startModelServer()
    top = mkdtempSync(join(tmpdir(), 'muster-agents-'))
    home = join(top, 'home')
    // Codex puts nothing that it needs for its sandbox into a home below the temporary folder.
    const temporary = join(top, 'tmp')
    for (const folder of ['.claude', '.codex']) mkdirSync(join(home, folder), { recursive: true })
    mkdirSync(temporary)
    writeFileSync(join(home, '.claude.json'), '{}')
    writeFileSync(join(home, '.gitconfig'), '')
    for (const [path, text] of Object.entries(SETTINGS)) writeFileSync(join(home, path), text)
    Object.assign(process.env, {
      HOME: home,
      TMPDIR: temporary,
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_OAUTH_TOKEN: 'dummy',
      CLAUDE_CODE_MAX_RETRIES: '1',
      SCRIPTED_KEY: 'dummy',
      MUSTER_TEST_SECRET: 'hunter2',
    })
    // Its first run writes its settings; in a sandbox it does so in place, and one beside it may read half of them.
    if (existsSync(join(bin, 'claude'))) await (await start('claude', 'text')).ended
  })
  afterAll(async () => {
    await model.close()
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name]
    Object.assign(process.env, saved)
    rmSync(top, { recursive: true, force: true })
  })

  async function start(name: Name, script: string | Scenario, setup: Setup = {}): Promise<Stage> {
    count += 1
    const data = join(top, `data-${count}`)
    const workspace = setup.on?.workspace ?? join(data, 'workspaces/run')
    if (setup.on === undefined) makeRepository(workspace, setup.files ?? {})
    const play = model.play(typeof script === 'string' ? read(script) : script, workspace)
    const runId = `agents-${process.pid}-${count}`
    const standard = requestOf(name, play, { runId, dir: join(data, 'runs', runId), workspace })
    const agent = { ...standard.agent, ...setup.agent } as ProgramAgent
    const request: RunRequest = { ...standard, ...setup.request, agent }
    const sandbox = {
      mode: setup.sandbox ?? 'auto',
      home: [],
    } as const
    const events: AgentEvent[] = []
    const runtime = programRuntime(ADAPTERS[name], { sandbox, dataDir: data })
    const worker = await runtime.start(
      request,
      () => {},
      (event) => events.push(event),
    )
    return { workspace, home, request, play, events, worker, ended: worker.ended }
  }
  return { start }
}

function makeRepository(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries({ 'README.md': 'read me\n', ...files })) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    git(dir, ...args)
}

export function git(dir: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  return execFileSync('git', [...identity, ...args], { cwd: dir, encoding: 'utf8' })
}
