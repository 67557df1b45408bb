/**
 * What verification costs beside the project's own commands: on a tree that was verified before, and over a command run by
 * hand in the same checkout. Real git, processes, sandbox and store, through the engine's own step.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile, engineParts, openWorkspaces } from '../src/app.ts'
import { buildPlan } from '../src/config/plan.ts'
import { parseYaml } from '../src/config/yaml.ts'
import type { ProjectConfig } from '../src/domain/config.ts'
import { Checks } from '../src/engine/steps/checks.ts'
import { engineCommands } from '../src/engine/commands.ts'
import { Engine } from '../src/engine/loop/engine.ts'
import { Hub } from '../src/engine/loop/hub.ts'
import type { Workspaces } from '../src/ports/workspaces.ts'
import { openProject } from '../src/project.ts'
import { openStore } from '../src/store/store.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, round, sort } from './measure.ts'

const tracked = 500
const times = 25
const command = 'node --test'
const CONFIG = `agents:
  implementer: { runtime: command, run: 'echo "module.exports = 2" >src/0/new.js', verdict: exit }
checks: { unit-test: npm test }
phases: checked
`
const PLAN = 'meta: { id: s, name: S }\ntasks:\n  - { id: 1, name: Add a module, checks: [unit-test] }\n'

export function verify(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const { repository, env } = makeRepository(dir, CONFIG)
    fill(repository)
    const project = await openProject(repository, env)
    const checkouts = timed(await openWorkspaces(project, env))
    const store = await openStore({ file: databaseFile(project) })
    const parts = engineParts(project, store, checkouts.workspaces, new Hub())
    const engine = new Engine(parts)
    await engine.start()
    const plan = buildPlan(parseYaml(PLAN, 'plan.yaml'), project.config, 'plan')
    await engineCommands(engine).submit({ plan, config: project.config })
    await engine.settled('s')
    await engine.stop()

    const checks = new Checks(parts)
    const task = await store.task('s-1')
    const run = (await store.runs('s-1')).find(({ kind, end }) => kind === 'check' && end?.verdict === 'PASS')
    if (task === null || run === undefined) throw new Error('the task was not verified')
    const once = async (id: string, config: ProjectConfig): Promise<number> => {
      const start = performance.now()
      const { verdict, detail } = await (await checks.start({ ...run, id }, task, config)).ended
      if (verdict !== 'PASS') throw new Error(`${verdict}: ${detail}`)
      return performance.now() - start
    }
    const again: number[] = []
    const over: number[] = []
    for (let n = 0; n < times; n++) {
      again.push(await once(`again-${n}`, project.config))
      // Another timeout is another command: everything runs, on the change and on the target.
      const [unit, before] = [project.config.checks['unit-test'], checkouts.spent()]
      if (unit === undefined) throw new Error('there is no unit-test')
      const checksNow = { ...project.config.checks, 'unit-test': { ...unit, timeoutMs: unit.timeoutMs + n + 1 } }
      const took = await once(`over-${n}`, { ...project.config, checks: checksNow })
      const commands = 2
      over.push((took - (checkouts.spent() - before)) / commands - (await byHand(repository)))
    }
    await store.close()
    return [
      row('verification of an already verified tree', again, 50),
      row('a check, over its command run by hand and the checkout', over, 100),
    ]
  })
}

function row(what: string, values: readonly number[], aimMs: number): Row {
  const sorted = sort(values)
  const [p50, p90] = [percentile(sorted, 50), percentile(sorted, 90)]
  return {
    what,
    measured: `p50 ${p50.toFixed(0)} ms, p90 ${p90.toFixed(0)} ms (${sorted.length} times)`,
    aim: `p50 ≤ ${aimMs} ms`,
    met: p50 <= aimMs,
    figures: { p50Ms: round(p50), p90Ms: round(p90), count: sorted.length },
  }
}

/** The same workspaces, and how long their checkouts took. */
function timed(workspaces: Workspaces): { workspaces: Workspaces; spent(): number } {
  let spent = 0
  const clocked = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      const start = performance.now()
      return work(...args).finally(() => (spent += performance.now() - start))
    }
  }
  const checkout = clocked(workspaces.checkout)
  return { workspaces: { ...workspaces, checkout, remove: clocked(workspaces.remove) }, spent: () => spent }
}

function byHand(cwd: string): Promise<number> {
  const start = performance.now()
  return new Promise((resolve) => {
    spawn('/bin/sh', ['-c', command], { cwd, stdio: 'ignore' }).once('exit', () => resolve(performance.now() - start))
  })
}

function fill(repository: string): void {
  for (let n = 0; n < tracked; n++) {
    const folder = join(repository, 'src', String(Math.floor(n / 100)))
    if (n % 100 === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${n}.js`), `exports.number = ${n}\n`.repeat(20))
  }
  writeFileSync(join(repository, 'package.json'), JSON.stringify({ scripts: { test: command } }))
  writeFileSync(join(repository, 'a.test.js'), "require('node:test')('passes', () => {})\n")
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...args], { cwd: repository })
  git('add', '-A')
  git('commit', '-qm', 'Files')
}
