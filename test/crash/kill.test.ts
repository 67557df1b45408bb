/**
 * A real `muster run` is killed with SIGKILL at random moments and started again until it ends by itself: the process
 * alone, with its group, or with everything that it started; its workers in bubblewrap or not. The end must be the same
 * as without kills, and no worker may be left behind. Two here, and a thousand kills in `npm run soak`.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseFile } from '../../src/app.ts'
import { taskView } from '../../src/engine/views/views.ts'
import { findSandbox } from '../../src/process/sandbox.ts'
import { openProject } from '../../src/project.ts'
import { openStore } from '../../src/store/store.ts'
import { Draw, seeds } from '../support/draw.ts'
import type { Repo } from '../support/muster.ts'
import { cleanEnv, cliFile, makeRepo, planText } from '../support/muster.ts'

const VICTIMS = ['engine', 'group', 'everything'] as const
const killsMax = 2
/** Longer than a whole run takes: some kills come too late, as they may. */
const spanMs = 1200
const { kind } = await findSandbox()

/** The second task fails its first round. */
const AGENT = `echo "$MUSTER_RUN_ID" 2>/dev/null >>"$HOME/started"
echo "$MUSTER_ROUND" >>"$MUSTER_TASK_ID"
sleep 0.05
[ "$MUSTER_TASK_ID$MUSTER_ROUND" != p-20 ]`

function repoOf(sandboxed: boolean): Repo {
  const sandbox = sandboxed ? 'sandbox: { mode: require }' : 'sandbox: off'
  const repo = makeRepo({ agent: AGENT, config: `${sandbox}\nlimits: { maxWorkers: 2 }` })
  const after = (...ids: number[]) => `depends_on: [${ids.join(', ')}]`
  repo.write('plan.yaml', planText('p', { 1: '', 2: after(1), 3: after(1), 4: after(2, 3) }))
  return repo
}

/** Runs it to its end, or kills it after a while. The code is null when it was killed. */
function musterRun(repo: Repo, kill: { afterMs: number; whom: (typeof VICTIMS)[number] } | null) {
  return new Promise<{ code: number | null; said: string }>((resolve) => {
    const said = join(repo.home, 'said')
    const file = openSync(said, 'w')
    const child = spawn(process.execPath, [cliFile, 'run', 'plan.yaml'], {
      cwd: repo.dir,
      env: cleanEnv(repo.home, repo.musterHome),
      detached: true,
      stdio: ['ignore', file, file],
    })
    closeSync(file)
    const end = () => {
      const { pid = 0 } = child
      process.kill(kill?.whom === 'engine' ? pid : -pid, 'SIGKILL')
      if (kill?.whom === 'everything') for (const worker of workersOf(repo)) endNow(worker)
    }
    const timer = kill === null ? undefined : setTimeout(end, kill.afterMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve({ code, said: readFileSync(said, 'utf8') })
    })
  })
}

/** Whoever carries the name of this project's data in its environment. */
function workersOf({ musterHome }: Repo): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .filter((pid) => pid !== String(process.pid) && textOf(`/proc/${pid}/environ`).includes(`=${musterHome}/`))
    .map(Number)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

test.for(seeds([1, 2], 600))('F-1, L4, L6 kill -9 at random moments, seed %i', async (seed) => {
  const draw = new Draw(seed)
  const repo = repoOf(draw.chance(0.5) && kind === 'bubblewrap')
  for (let kills = 0; kills < killsMax; kills++) {
    const whom = VICTIMS[draw.upTo(VICTIMS.length) - 1] ?? 'engine'
    if ((await musterRun(repo, { afterMs: draw.next() * spanMs, whom })).code !== null) break
  }
  const last = await musterRun(repo, null)
  expect(last.code, last.said).toBe(0)

  const project = await openProject(repo.dir, cleanEnv(repo.home, repo.musterHome))
  const store = await openStore({ file: databaseFile(project) })
  try {
    for (const [id, round] of Object.entries({ 'p-1': 0, 'p-2': 1, 'p-3': 0, 'p-4': 0 })) {
      const task = await store.task(id)
      expect(task === null ? null : await taskView(store, task)).toMatchObject({ status: 'completed', round })
    }
    expect((await store.verifyHistory()).bad).toBeNull()
    expect(await store.pendingIntents()).toEqual([])
  } finally {
    await store.close()
  }
  const landings = repo.git('log', '--first-parent', '--format=%s', 'muster/story/p').trim().split('\n').sort()
  expect(landings).toEqual(['Start', ...[1, 2, 3, 4].map((n) => `Task ${n}`)])
  expect(repo.git('show', 'muster/story/p:p-4')).toBe('0\n')
  // Outside of bubblewrap it says what it starts.
  const started = existsSync(join(repo.home, 'started')) ? repo.read('../home/started').trim().split('\n') : []
  expect(new Set(started).size).toBe(started.length)
  expect(workersOf(repo)).toEqual([])
  expect(readdirSync(join(project.dataDir, 'workspaces'))).toEqual([])
})
