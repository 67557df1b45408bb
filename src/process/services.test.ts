/** What ends badly around a command: a stop that hangs, a service that does not want to go. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { marked } from './fixtures/marked.ts'
import { tempDir } from './fixtures/temp.ts'
import { withServices, type Started } from './services.ts'
import { supervise } from './supervise.ts'

async function run(service: Partial<Started>, command: string, own: Record<string, string> = {}) {
  const dir = tempDir()
  const runId = `stubborn-${process.pid}-${dir.slice(-6)}`
  const blank = { name: 'db', port: 1, run: 'sleep 1000', ready: ':', stop: null, timeoutMs: 20_000, without: [] }
  const patience = { stopMs: 100, endMs: 100 }
  const words = withServices([{ ...blank, ...service }], ['/bin/sh', '-c', command], dir, [], patience)
  const env = { ...own, PATH: process.env['PATH'] ?? '', MUSTER_RUN_ID: runId }
  const worker = await supervise({ dir, runId, command: words, cwd: dir, env, timeoutMs: 20_000, killGraceMs: 100 })
  return { dir, end: await worker.ended, left: marked(runId) }
}

test('a stop that hangs is not waited for, and ends too', async () => {
  const { dir, end, left } = await run({ stop: 'touch asked; exec sleep 1000' }, 'exit 3')
  expect(existsSync(join(dir, 'asked'))).toBe(true)
  expect({ code: end.code, left }).toEqual({ code: 3, left: [] })
})

test('a service that ignores SIGTERM is killed, with all that it started', async () => {
  const { end, left } = await run({ run: `trap '' TERM; (sleep 1000; :) & while :; do sleep 1; done` }, 'exit 0')
  expect({ code: end.code, left }).toEqual({ code: 0, left: [] })
})

test('a service without a shell’s help, in quotes and lines of its own, runs as it is written', async () => {
  const { dir, end } = await run(
    { run: `printf '%s\\n' "it's" >said\nexec sleep 1000`, ready: '[ -s said ]' },
    'cat said',
  )
  expect(end.code).toBe(0)
  expect(existsSync(join(dir, 'said'))).toBe(true)
})

test('variables of people have their own values in services and commands, whatever their names', async () => {
  const names = [
    'now',
    'rest',
    'limit',
    'dir',
    'data',
    'name',
    'names',
    'at',
    'n',
    'tries',
    'asked',
    'stop',
    'end',
    'code',
  ]
  const own = Object.fromEntries(names.map((name) => [name, `own ${name}`]))
  const same = names.map((name) => `[ "$${name}" = "own ${name}" ]`).join(' && ')
  const { dir, end } = await run(
    {
      run: `${same} && : >running; exec sleep 1000`,
      ready: `${same} && [ -e running ]`,
      stop: `${same} && : >stopped`,
    },
    same,
    own,
  )
  expect(end.code).toBe(0)
  expect(existsSync(join(dir, 'stopped'))).toBe(true)
})
