import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunOutcome, RunRequest, Runtime } from '../ports/runtime.ts'
import type { AttemptBase, Workspaces } from '../ports/workspaces.ts'
import { LocalGoldenCopies } from './golden.ts'

const setup = { run: 'make', env: [], files: [], timeoutMs: 1000 }
const base = { tree: 'tree', parents: [], conflicts: [] } as unknown as AttemptBase
const wish = { base, target: 'main', setup, copy: [] }
const passed: RunOutcome = {
  verdict: 'PASS',
  detail: '',
  findings: [],
  exit: 'exit 0',
  crashed: false,
  interrupted: false,
}

/** Golden copies of a project whose files are of no interest. `seal`: what is done with a copy in the end. */
function goldenCopies(dataDir: string, runtime: Runtime, seal: () => Promise<unknown> = async () => ({})) {
  const workspaces = {
    head: async () => null,
    locks: async () => 'locks',
    checkout: async ({ dir }: { dir: string }) => void mkdirSync(dir, { recursive: true }),
    seal,
  } as unknown as Workspaces
  return new LocalGoldenCopies({ runtime, workspaces, dataDir, projectRoot: dataDir, now: () => 7 })
}

const tempDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-golden-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('who asks when the setup has ended, and its copy is not there yet, hears of no setup', async () => {
  const [sealing, sealed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const worker = { ended: Promise.resolve(passed), stop: () => undefined, setClock: () => undefined }
  const runtime: Runtime = { start: async () => worker, recover: async () => 'missing' }
  const golden = goldenCopies(tempDir(), runtime, async () => {
    sealing.resolve()
    await sealed.promise
    return {}
  })
  const heard: [string[], string[]] = [[], []]
  const first = golden.copyFor(wish, ({ type }) => heard[0].push(type))
  await sealing.promise
  const second = golden.copyFor(wish, ({ type }) => heard[1].push(type))
  sealed.resolve()
  await Promise.all([first, second])
  expect(heard).toEqual([['setup-began', 'setup-ended'], []])
})

test('what a killed Muster left of a setup is looked for under the name that it was started with', async () => {
  const dataDir = tempDir()
  const started = Promise.withResolvers<RunRequest>()
  const left: Runtime = {
    start: (request) => {
      started.resolve(request)
      return Promise.withResolvers<never>().promise
    },
    recover: async () => 'missing',
  }
  void goldenCopies(dataDir, left).copyFor(wish, () => undefined)
  const { runId, dir } = await started.promise
  const found: Pick<RunRequest, 'runId' | 'dir'>[] = []
  const next: Runtime = {
    start: left.start,
    recover: async (request) => {
      found.push({ runId: request.runId, dir: request.dir })
      return 'missing'
    },
  }
  await goldenCopies(dataDir, next).sweep()
  expect(found).toEqual([{ runId, dir }])
})
