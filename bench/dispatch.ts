/**
 * From a worker's end to the start of the next step: the real engine and store, with workers and git that answer at once,
 * so that only Muster's own way is measured: two durable transactions and whatever lies between.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../src/app.ts'
import { Engine } from '../src/engine/loop/engine.ts'
import { Hub } from '../src/engine/loop/hub.ts'
import type { EngineParts } from '../src/engine/loop/parts.ts'
import type { RunOutcome } from '../src/ports/runtime.ts'
import type { Forge } from '../src/ports/forge.ts'
import type { Executor } from '../src/ports/executor.ts'
import type { Verifier } from '../src/ports/verifier.ts'
import type { Workspaces } from '../src/ports/workspaces.ts'
import { openStore } from '../src/store/store.ts'
import { configHash } from '../src/engine/config-snapshot.ts'
import { storeTasks } from '../src/engine/loop/submit.ts'
import type { Row } from './main.ts'
import { inTemp, percentile, round, sort } from './measure.ts'
import { config, contract, sampleTask } from './sample.ts'

const tasks = 1000
const pass: RunOutcome = {
  verdict: 'PASS',
  detail: '',
  findings: [],
  exit: 'exit 0',
  output: '',
  crashed: false,
  interrupted: false,
}
const commit = 'a'.repeat(40)
const base = { parents: [commit], tree: commit, conflicts: [] }

export function dispatch(): Promise<Row[]> {
  return inTemp(async (dir) => {
    const store = await openStore({ file: join(dir, 'muster.db') })
    const endedAt = new Map<string, number>()
    const toLanding: number[] = []
    const toNext: number[] = []
    const freed: number[] = []
    const workspaces: Partial<Workspaces> = {
      head: async () => null,
      attemptBase: async () => base,
      at: async () => base,
      checkout: async ({ dir: workspace }) => {
        mkdirSync(workspace, { recursive: true })
        return { leaveOut: [] }
      },
      snapshot: async () => ({ commit, refused: [] }),
      changed: async () => [],
      publish: async () => null,
      personalHead: async () => null,
      remove: async (workspace) => rmSync(workspace, { recursive: true, force: true }),
    }
    const parts: EngineParts = {
      store,
      board: async () => null,
      workspaces: workspaces as Workspaces,
      runtime: {
        async start(request) {
          const free = freed.shift()
          if (free !== undefined) toNext.push(performance.now() - free)
          const ended = new Promise<RunOutcome>((resolve) =>
            setTimeout(() => {
              const now = performance.now()
              endedAt.set(request.taskId, now)
              freed.push(now)
              resolve(pass)
            }, 5),
          )
          return { ended, stop: () => undefined, setClock: () => undefined }
        },
        recover: async () => 'missing',
      },
      cast: (config) => config,
      drafts: { read: () => ({ problems: [] }) },
      executor: { sweep: async () => undefined } as Partial<Executor> as Executor,
      golden: { copyFor: async () => null, stop: () => undefined, sweep: async () => undefined },
      contracts: {
        seal: async () => contract,
        extend: (contract) => contract,
        renew: (contract) => contract,
        union: async () => {
          throw new Error('not asked for')
        },
        confirm: async () => null,
      },
      verifier: {} as Verifier,
      actions: {
        merge: {
          notYet: async () => null,
          happened: async () => false,
          async execute({ spec }) {
            toLanding.push(performance.now() - (endedAt.get(spec.id) ?? 0))
            return { outcome: 'ADVANCE', detail: '', findings: [] }
          },
        },
      },
      signals: {},
      forge: {} as Forge,
      channels: [],
      probe: new Hub(),
      clock: systemClock,
      random: { nonce: () => 'n' },
      config: { ...config, limits: { ...config.limits, maxWorkers: 2 } },
      projectRoot: dir,
      dataDir: dir,
    }
    const engine = new Engine(parts)
    await engine.start()
    const all = Array.from({ length: tasks }, (_, n) => sampleTask(`task-${n + 1}`))
    await storeTasks(engine, parts.config, {
      // Each lands on a branch of its own: whose turn it is on a shared one is another question.
      tasks: all.map((task) => {
        const spec = { ...task.spec, target: task.spec.id, configHash: configHash(parts.config) }
        return { ...task, contract, spec }
      }),
    })
    await engine.settled()
    await engine.stop()
    await store.close()
    return [
      row('worker ends → its next step starts', toLanding),
      row('worker ends → the next task starts in its place', toNext),
    ]
  })
}

function row(what: string, values: readonly number[]): Row {
  const sorted = sort(values)
  const [p50, p99] = [percentile(sorted, 50), percentile(sorted, 99)]
  return {
    what,
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${sorted.length} times)`,
    aim: 'p50 ≤ 5 ms, p99 ≤ 25 ms',
    met: p50 <= 5 && p99 <= 25,
    figures: { p50Ms: round(p50), p99Ms: round(p99), count: sorted.length },
  }
}
