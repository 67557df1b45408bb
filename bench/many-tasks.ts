/** 100,000 stored tasks: a page of the list, `muster status` as a real command, and the memory of an engine that holds them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { databaseFile } from '../src/app.ts'
import { openProject } from '../src/project.ts'
import { openStore } from '../src/store/store.ts'
import type { Row } from './main.ts'
import { inTemp, makeRepository, percentile, round, sort } from './measure.ts'
import { sampleTask } from './sample.ts'

const tasks = 100_000
const bin = join(import.meta.dirname, '../bin/muster.mjs')

export function manyTasks(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const agent = 'agents:\n  implementer: { runtime: command, run: "true", verdict: exit }\n'
    const { repository, env } = makeRepository(dir, agent)
    const file = databaseFile(await openProject(repository, env))
    mkdirSync(dirname(file), { recursive: true })
    await fill(file)
    const pages = await pageTimes(file)
    const status = sort(Array.from({ length: 7 }, () => statusTime(repository, env)))
    const memory = memoryOfEngine(await bundled(), file)
    const [page, wall] = [percentile(pages, 99), percentile(status, 50)]
    return [
      row('100,000 tasks: a page of 50', `p99 ${page.toFixed(1)} ms`, '≤ 20 ms', page <= 20, { p99Ms: round(page) }),
      row('100,000 tasks: muster status', `median ${wall.toFixed(0)} ms`, '≤ 300 ms', wall <= 300, {
        medianMs: Math.round(wall),
      }),
      row('100,000 open tasks: memory of the engine', `${memory} MB resident`, '≤ 200 MB', memory <= 200, {
        residentMb: memory,
      }),
    ]
  })
}

function row(what: string, measured: string, aim: string, met: boolean, figures: Record<string, number>): Row {
  return { what, measured, aim, met, figures }
}

/** Bundled like the program itself, beside the packages it needs. */
async function bundled(): Promise<string> {
  const external = (id: string) => !id.startsWith('.') && !id.startsWith('/')
  const bundle = await rolldown({ input: join(import.meta.dirname, 'hold-tasks.ts'), platform: 'node', external })
  await bundle.write({ dir: join(import.meta.dirname, 'tmp'), format: 'esm' })
  return join(import.meta.dirname, 'tmp/hold-tasks.js')
}

async function fill(file: string): Promise<void> {
  const store = await openStore({ file })
  const batch = 5000
  for (let first = 1; first <= tasks; first += batch) {
    const some = Array.from({ length: batch }, (_, n) => sampleTask(`task-${first + n}`))
    const events = some.map(({ spec }) => ({
      chain: `task:${spec.id}` as const,
      type: 'task-created',
      actor: 'muster',
      data: {},
    }))
    await store.commit({ at: 1, tasks: some, events })
  }
  await store.close()
}

async function pageTimes(file: string): Promise<number[]> {
  const store = await openStore({ file, readOnly: true })
  const times: number[] = []
  for (let n = 0; n < 200; n++) {
    const after = `task-${1 + ((n * 7919) % tasks)}`
    const start = performance.now()
    await store.listTasks({ open: n % 2 === 0 ? true : undefined, after, limit: 50 })
    times.push(performance.now() - start)
  }
  await store.close()
  return sort(times)
}

function statusTime(cwd: string, env: Record<string, string>): number {
  const start = performance.now()
  const ended = spawnSync(process.execPath, [bin, 'status'], { cwd, env, encoding: 'utf8' })
  if (ended.status !== 0) throw new Error(ended.stderr)
  return performance.now() - start
}

/** A bundled program of its own, started as bin/muster.mjs starts Node, that loads all open tasks into the engine's table. */
function memoryOfEngine(program: string, file: string): number {
  const ended = spawnSync(process.execPath, ['--max-semi-space-size=8', program, file], { encoding: 'utf8' })
  if (ended.status !== 0) throw new Error(ended.stderr)
  return Number(ended.stdout.trim())
}
