/**
 * What Muster adds to a run of an agent program: an attempt, from the decision to start it to its stored end, against the
 * same command line by hand, with the time for the workspace and the snapshot taken out. Real programs, a scripted model.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude } from '../src/agents/claude/adapter.ts'
import { codex } from '../src/agents/codex/adapter.ts'
import { databaseFile, engineParts, openWorkspaces } from '../src/app.ts'
import { buildPlan } from '../src/config/plan.ts'
import { parseYaml } from '../src/config/yaml.ts'
import { engineCommands } from '../src/engine/commands.ts'
import { Engine } from '../src/engine/loop/engine.ts'
import { Hub } from '../src/engine/loop/hub.ts'
import type { ProgramAgent } from '../src/domain/config.ts'
import type { Workspaces } from '../src/ports/workspaces.ts'
import { childEnvironment } from '../src/process/environment.ts'
import { findSandbox } from '../src/process/sandbox.ts'
import { openProject } from '../src/project.ts'
import { openStore } from '../src/store/store.ts'
import { bin, requestOf, type Name } from '../test/agents/model.ts'
import { startModelServer, type ModelServer } from '../test/model-server/server.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, round, sort } from './measure.ts'

const times = 7
const ADAPTERS = { claude, codex }
const PHASES = 'direct'

export async function agents(): Promise<Row[]> {
  const rows: Row[] = []
  for (const name of ['claude', 'codex'] as const) {
    if (existsSync(join(bin, name))) rows.push(await overhead(name))
    else process.stderr.write(`${name} is not installed here (npm run agents:install): left out\n`)
  }
  return rows
}

function overhead(name: Name): Promise<Row> {
  return inTemp(async (dir) => {
    const model = await startModelServer()
    const saved = { ...process.env }
    try {
      return await measure(name, dir, model)
    } finally {
      await model.close()
      for (const key of Object.keys(process.env)) if (!(key in saved)) delete process.env[key]
      Object.assign(process.env, saved)
    }
  })
}

async function measure(name: Name, dir: string, model: ModelServer): Promise<Row> {
  const steps = [{ run: 'echo done >done.txt' }, { say: 'Done.' }]
  const request = requestOf(name, model.play({ steps }, ''), { runId: 'bench', dir: '', workspace: '' })
  const agent = request.agent as ProgramAgent
  const { runtime, model: called, args, env: names } = agent
  const text = JSON.stringify({ runtime, model: called, args, env: names })
  const config = `phases: ${PHASES}\nagents: { implementer: ${text} }\n`
  const { repository, env } = makeRepository(dir, config)
  for (const folder of ['.claude', '.codex', 'tmp']) mkdirSync(join(dir, folder))
  writeFileSync(join(dir, '.claude.json'), '{}')
  const path = `${bin}:/usr/local/bin:/usr/bin:/bin`
  Object.assign(process.env, {
    ...env,
    PATH: path,
    TMPDIR: join(dir, 'tmp'),
    ANTHROPIC_API_KEY: 'dummy',
    SCRIPTED_KEY: 'dummy',
  })

  const confined = (await findSandbox()).kind === 'bubblewrap'
  const line = ADAPTERS[name].commandLine({ ...agent, judge: false, workspace: repository, confined })
  const byHand = (): Promise<number> =>
    timed([name, ...line.args], repository, { ...line.env, ...childEnvironment({ pass: names }) })
  // Once for nothing: what a program does at its very first start in a home is not asked for.
  await byHand()
  const hand: number[] = []
  const some = async (): Promise<void> => {
    for (let n = 0; n < times; n++) hand.push(await byHand())
  }
  // Before and after: machines are busier at one time than at another.
  await some()
  const { attempts, workspace } = await byMuster(repository, env)
  await some()
  const [alone, whole, around] = [hand, attempts, workspace].map((values) => percentile(sort(values), 50)) as [
    number,
    number,
    number,
  ]
  const overheadMs = whole - around - alone
  return {
    what: `an attempt by ${ADAPTERS[name].title}, beyond the workspace`,
    measured: `${overheadMs.toFixed(0)} ms more than by hand (${alone.toFixed(0)} ms)`,
    aim: '≤ 150 ms',
    met: overheadMs <= 150,
    figures: {
      overheadMs: round(overheadMs, 0),
      byHandMs: round(alone, 0),
      attemptMs: round(whole, 0),
      workspaceMs: round(around, 0),
    },
  }
}

function timed([program = '', ...args]: string[], cwd: string, env: Record<string, string>): Promise<number> {
  const start = performance.now()
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end('Do the work.\n')
  child.stdout.resume()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(performance.now() - start) : reject(new Error(`${program}: ${code}`)),
    )
  })
}

/** One after the other: how long each attempt took, and how much of that went into its workspace and its snapshot. */
async function byMuster(repository: string, env: Record<string, string>) {
  const project = await openProject(repository, env)
  const workspaces = await openWorkspaces(project, env)
  const store = await openStore({ file: databaseFile(project) })
  const hub = new Hub()
  const started = new Map<string, number>()
  const attempts: number[] = []
  const workspace: number[] = []
  let spent = 0
  hub.subscribe(({ type, task = '', ...run }) => {
    // The attempts alone: what verifies and lands them is measured elsewhere.
    if (run['kind'] !== 'agent') return
    if (type === 'run-started') {
      started.set(task, performance.now())
      spent = 0
    }
    if (type === 'run-ended') {
      attempts.push(performance.now() - (started.get(task) ?? 0))
      workspace.push(spent)
    }
  })
  const clocked =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const start = performance.now()
      try {
        return await work(...args)
      } finally {
        spent += performance.now() - start
      }
    }
  const watched: Workspaces = {
    ...workspaces,
    attemptBase: clocked((...args) => workspaces.attemptBase(...args)),
    checkout: clocked((...args) => workspaces.checkout(...args)),
    snapshot: clocked((...args) => workspaces.snapshot(...args)),
  }
  const engine = new Engine(engineParts(project, store, watched, hub))
  const tasks = Array.from(
    { length: times + 1 },
    (_, n) =>
      `  - { id: ${n + 1}, name: Task ${n + 1}, contract: { type: skip, criteria: [] }${n === 0 ? '' : `, depends_on: [${n}]`} }\n`,
  )
  const plan = buildPlan(parseYaml(`meta: { id: s }\ntasks:\n${tasks.join('')}`, 'plan.yaml'), project.config, 'plan')
  await engine.start()
  await engineCommands(engine).submit({ plan, config: project.config })
  await engine.settled('s')
  const { completed } = await store.countByStatus('s')
  await engine.stop()
  await store.close()
  if (completed !== times + 1) throw new Error(`${completed} of ${times + 1} tasks were completed`)
  return { attempts: attempts.slice(1), workspace: workspace.slice(1) }
}
