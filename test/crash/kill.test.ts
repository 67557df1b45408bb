/**
 * A real `muster run` is killed with SIGKILL at random moments and started again until it ends by itself. The end must be
 * the same as without kills, and no worker may be left behind. Two rounds here, two hundred in `npm run soak`.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseFile } from '../../src/app.ts'
import { taskView } from '../../src/engine/views.ts'
import { openProject } from '../../src/project.ts'
import { openStore } from '../../src/store/store.ts'
import { Draw, seeds } from '../support/draw.ts'
import { World } from '../support/world.ts'

const main = join(import.meta.dirname, '../../bin/muster.mjs')
const killsMax = 4
/** Longer than a whole run takes: some kills come too late, as they may. */
const spanMs = 1200

const PLAN = `meta: { id: s }
tasks:
  - { id: 1, name: One }
  - { id: 2, name: Two, depends_on: [1] }
  - { id: 3, name: Three, depends_on: [1] }
  - { id: 4, name: Four, depends_on: [2, 3] }
`

/** Runs it to its end, or kills it after a while. The code is null when it was killed. */
function musterRun(world: World, killAfterMs: number | null): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const said = join(world.top, 'said')
    const file = openSync(said, 'w')
    const child = spawn(process.execPath, [main, 'run', 'plan.yaml'], {
      cwd: world.repository,
      env: world.env,
      stdio: ['ignore', file, file],
    })
    closeSync(file)
    const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve({ code, said: readFileSync(said, 'utf8') })
    })
  })
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test.for(seeds([1, 2], 200))('F-1, L6 kill -9 at random moments, seed %i', async (seed) => {
  const draw = new Draw(seed)
  const world = await World.create({ config: 'limits: { maxWorkers: 2 }' })
  try {
    world.agent(
      'default',
      'echo $$ >>"$WORLD/pids"; echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID"; sleep 0.05; verdict pass',
    )
    world.agent(
      's-2',
      'echo $$ >>"$WORLD/pids"; echo x >>two; if [ "$MUSTER_ROUND" = 0 ]; then verdict fail again; else verdict pass; fi',
    )
    writeFileSync(join(world.repository, 'plan.yaml'), PLAN)
    for (let kills = 0; kills < killsMax; kills++) {
      if ((await musterRun(world, draw.next() * spanMs)).code !== null) break
    }
    const last = await musterRun(world, null)
    expect(last.code, last.said).toBe(0)

    const project = await openProject(world.repository, world.env)
    const store = await openStore({ file: databaseFile(project) })
    try {
      for (const [id, round] of [
        ['s-1', 0],
        ['s-2', 1],
        ['s-3', 0],
        ['s-4', 0],
      ] as const) {
        const task = await store.task(id)
        expect(task === null ? null : await taskView(store, task)).toMatchObject({ status: 'completed', round })
      }
      expect((await store.verifyHistory()).bad).toBeNull()
      expect(await store.pendingIntents()).toEqual([])
    } finally {
      await store.close()
    }
    // The landings: an attempt made after the target moved is a merge too, but none of the branch's own steps.
    const merges = world.git('log', '--first-parent', '--merges', '--format=%s', 'muster/story/s').split('\n').sort()
    expect(merges).toEqual(['Merge s-1: One', 'Merge s-2: Two', 'Merge s-3: Three', 'Merge s-4: Four'])
    expect(world.git('show', 'muster/story/s:s-4')).toBe('s-4')
    const started = world.started()
    expect(new Set(started).size).toBe(started.length)
    const pids = readFileSync(join(world.top, 'pids'), 'utf8').trim().split('\n').map(Number)
    expect(pids.filter(alive)).toEqual([])
  } finally {
    await world.dispose()
  }
})
