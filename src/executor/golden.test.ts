import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Runtime } from '../ports/runtime.ts'
import type { AttemptBase, Workspaces } from '../ports/workspaces.ts'
import { LocalGoldenCopies } from './golden.ts'

test('who asks when the setup has ended, and its copy is not there yet, hears of no setup', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'muster-golden-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const [sealing, sealed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const workspaces = {
    head: async () => null,
    locks: async () => 'locks',
    checkout: async ({ dir }: { dir: string }) => void mkdirSync(dir, { recursive: true }),
    seal: async () => {
      sealing.resolve()
      await sealed.promise
      return {}
    },
  } as unknown as Workspaces
  const passed = {
    verdict: 'PASS',
    detail: '',
    findings: [],
    exit: 'exit 0',
    crashed: false,
    interrupted: false,
  } as const
  const worker = { ended: Promise.resolve(passed), stop: () => undefined, setClock: () => undefined }
  const runtime: Runtime = { start: async () => worker, recover: async () => 'missing' }
  const golden = new LocalGoldenCopies({ runtime, workspaces, dataDir, projectRoot: dataDir, now: () => 7 })
  const base = { tree: 'tree', parents: [], conflicts: [] } as unknown as AttemptBase
  const setup = { run: 'make', env: [], files: [], timeoutMs: 1000 }
  const wish = { base, target: 'main', setup, copy: [] }
  const heard: [string[], string[]] = [[], []]
  const first = golden.copyFor(wish, ({ type }) => heard[0].push(type))
  await sealing.promise
  const second = golden.copyFor(wish, ({ type }) => heard[1].push(type))
  sealed.resolve()
  await Promise.all([first, second])
  expect(heard).toEqual([['setup-began', 'setup-ended'], []])
})
