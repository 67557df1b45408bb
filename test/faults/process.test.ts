/**
 * The same faults below a real `muster run`: the process is killed, or the power goes, or the disk fails under it, at a
 * point that the seed draws; then `muster run` is typed again. Two seeds here, three hundred in `npm run soak`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seeds } from '../support/draw.ts'
import type { Injected } from './inject.ts'
import { LARGE, type Live, play, wrongOf } from './scenario.ts'

const main = join(import.meta.dirname, '../../bin/muster.mjs')
const inject = join(import.meta.dirname, 'inject.ts')
const stuckMs = 120_000
const side = 2

const live: Live = async (world, tasks, draw, fault, boot) => {
  const [points, said] = [join(world.top, 'points'), join(world.top, 'said')]
  const injected: Injected = { dir: join(world.top, 'data'), seed: draw.upTo(2 ** 31), fault, boot, points }
  writeFileSync(join(world.repository, 'plan.yaml'), `meta: { id: s }\ntasks:\n${tasks}`)
  const file = openSync(said, 'w')
  const child = spawn(process.execPath, ['--import', inject, main, 'run', 'plan.yaml'], {
    cwd: world.repository,
    env: { ...world.env, MUSTER_TEST_FAULT: JSON.stringify(injected) },
    stdio: ['ignore', file, file],
    timeout: stuckMs,
    killSignal: 'SIGABRT',
  })
  closeSync(file)
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (signal === 'SIGKILL') return { died: `point ${fault?.at}`, stopped: null }
  if (fault === null) counted = Number(readFileSync(points, 'utf8'))
  // 8: something waits for a person.
  return { died: null, stopped: code === 0 || code === 8 ? null : `${signal ?? code}: ${readFileSync(said, 'utf8')}` }
}

let counted = 0
const whole = await play(LARGE, null, 0, live)
const points = counted

test('without a fault it ends as it should, and every write was a point', () => {
  expect(whole).toMatchObject({ stopped: null, tasks: ['completed', 'completed'], bad: null, pending: [] })
  expect(points).toBeGreaterThan(400)
})

const all = seeds([1, 46], 300)

test('F-1 faults below a process of Muster', { timeout: all.length * stuckMs }, async () => {
  const wrong = await wrongOf(all, side, async (seed) => [await play(LARGE, seed, points, live), whole])
  expect(wrong).toEqual([])
})
