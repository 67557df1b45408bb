/** Limits of runs that are real: a fork bomb, a memory hog and a disk filler, each small, and what is told of them. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunLimits } from '../../domain/run-limits.ts'
import { tempDir } from '../fixtures/temp.ts'
import { insideOf, kinds } from '../fixtures/kinds.ts'
import { marked } from '../fixtures/marked.ts'
import { workerSpec } from '../fixtures/worker.ts'
import { isAlive } from '../../../test/support/muster.ts'
import { readExitRecord } from '../record.ts'
import { recoverRun } from '../recover.ts'
import type { Sandbox } from '../sandbox-found.ts'
import { supervise } from '../supervise.ts'
import { runLimits } from './fence.ts'
import { closeGroups, makeGroups, metIn, planned } from './group.ts'
import { candidatesFor, enterText, findPlaces, groupName } from './groups.ts'

const NONE: RunLimits = { processes: null, memoryBytes: null, diskBytes: null }
const mb = 1024 ** 2
const places = await findPlaces()
const skipped = (place: unknown): string => (typeof place === 'string' ? ` (SKIPPED: ${place})` : '')

/** What a run of this shell text met, and that nothing of it is left. */
async function metBy(text: string, limits: Partial<RunLimits>, sandbox?: Sandbox) {
  const dir = tempDir()
  const inside = sandbox === undefined ? {} : { inside: insideOf(dir, sandbox) }
  const runId = `limited-${process.pid}-${dir.slice(-6)}`
  const fenced = { limits: { ...NONE, ...limits }, places: [dir] }
  const worker = await supervise(workerSpec(dir, text, { fenced, runId, ...inside }))
  const end = await worker.ended
  expect(readExitRecord(dir)?.met).toEqual(end.met)
  expect(marked(runId)).toEqual([])
  expect(existsSync(join(dir, 'groups.json'))).toBe(false)
  return end
}

/** 2^8 processes, if they get that far, which are there at the same time; each is gone after that. */
const BOMB = `perl -e 'fork for 1..8; sleep 1'; exit 0`
const HOG = `perl -e '$x = "x" x ${256 * mb}'; exit 0`

describe.each(await kinds())('in $name', ({ sandbox }) => {
  const sure = sandbox ?? undefined
  test.skipIf(sure === undefined || typeof places.pids === 'string')(
    `a fork bomb has no more processes than it may, and that is told${skipped(places.pids)}`,
    async () => {
      expect(await metBy(BOMB, { processes: 64 }, sure)).toMatchObject({ met: { limit: 'processes', at: 64 } })
      expect((await metBy(BOMB, { processes: 1000 }, sure)).met).toBeUndefined()
    },
  )

  test.skipIf(sure === undefined || typeof places.memory === 'string')(
    `what takes more memory than it may is ended, whatever the run says then${skipped(places.memory)}`,
    async () => {
      const met = { limit: 'memory', at: 128 * mb }
      expect(await metBy(HOG, { memoryBytes: 128 * mb }, sure)).toMatchObject({ met })
      // It would go on without the part that was killed.
      expect(await metBy(HOG.replace('exit 0', 'sleep 1000'), { memoryBytes: 128 * mb }, sure)).toMatchObject({
        signal: 'SIGKILL',
        timedOut: false,
        met,
      })
      expect((await metBy(HOG, { memoryBytes: 2048 * mb }, sure)).met).toBeUndefined()
    },
  )

  test.skipIf(sure === undefined)('what fills its workspace is ended, or told of if it ended before', async () => {
    const met = { limit: 'disk', at: 50 * mb }
    const fill = (size: number): string => `head -c ${size * mb} /dev/zero >file`
    expect(await metBy(`${fill(150)}; sleep 1000`, { diskBytes: 50 * mb }, sure)).toMatchObject({
      signal: 'SIGKILL',
      timedOut: false,
      met,
    })
    expect(await metBy(fill(150), { diskBytes: 50 * mb }, sure)).toMatchObject({ met })
    expect((await metBy(fill(30), { diskBytes: 50 * mb }, sure)).met).toBeUndefined()
  })
})

test.skipIf(typeof places.pids === 'string')(
  `L4 what left its process group and lost its Muster is found by its group and ended${skipped(places.pids)}`,
  async () => {
    const dir = tempDir()
    const [group, ...more] = await makeGroups(dir, { ...NONE, processes: 64 })
    expect(more).toEqual([])
    const text = `${enterText([group?.dir ?? ''])}\nsetsid sleep 1000 >/dev/null & echo $!`
    const shell = spawn('/bin/sh', ['-c', text], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = (await once(shell.stdout, 'data')) as [Buffer]
    expect(isAlive(Number(said))).toBe(true)
    expect(await closeGroups(dir)).toBeNull()
    expect(isAlive(Number(said))).toBe(false)
    expect(existsSync(group?.dir ?? '')).toBe(false)
  },
)

test.skipIf(typeof places.pids === 'string')(
  `a run that met a limit and lost its Muster still says so${skipped(places.pids)}`,
  async () => {
    const dir = tempDir()
    const groups = await makeGroups(dir, { ...NONE, processes: 64 })
    const text = `${enterText(groups.map((group) => group.dir))}\n${BOMB}`
    await once(spawn('/bin/sh', ['-c', `echo $$ >'${dir}/pid'\n${text}`], { stdio: 'ignore' }), 'exit')
    expect(metIn(groups)).toEqual({ limit: 'processes', at: 64 })
    const end = { stopped: true, met: { limit: 'processes', at: 64 } }
    expect(await recoverRun(dir, 'run-1')).toMatchObject(end)
    expect(await recoverRun(dir, 'run-1')).toMatchObject(end)
    expect(readdirSync(dirname(groups[0]?.dir ?? ''))).not.toContain(groupName('probe'))
  },
)

describe('where groups are made', () => {
  const V1 = '8:pids:/\n4:memory:/jobs/7\n3:cpu,cpuacct:/\n0::/\n'
  const V1_MOUNTS = `32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /jobs /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`

  test('in the hierarchy of version 1 that has the controller, below our own group', () => {
    expect(candidatesFor('pids', V1, V1_MOUNTS)).toEqual([{ version: 1, base: '/sys/fs/cgroup/pids', ceiling: null }])
    // Only a part of the hierarchy is mounted.
    expect(candidatesFor('memory', V1, V1_MOUNTS)).toEqual([
      { version: 1, base: '/sys/fs/cgroup/memory/7', ceiling: null },
    ])
    expect(candidatesFor('memory', '4:memory:/elsewhere\n', V1_MOUNTS)).toEqual([])
  })

  test('in version 2 inside our group, or beside it with no more than that group has', () => {
    const top = join(tempDir(), 'a b')
    mkdirSync(join(top, 'app.slice', 'mine.scope'), { recursive: true })
    const mounts = `41 31 0:38 / ${top.replaceAll(' ', '\\040')} rw - cgroup2 cgroup2 rw,nsdelegate\n`
    expect(candidatesFor('memory', '0::/app.slice/mine.scope\n', mounts)).toEqual([
      { version: 2, base: join(top, 'app.slice', 'mine.scope'), ceiling: null },
      { version: 2, base: join(top, 'app.slice'), ceiling: null },
    ])
    expect(candidatesFor('memory', '0::/\n', mounts)).toEqual([{ version: 2, base: top, ceiling: null }])
    expect(candidatesFor('pids', '', '')).toEqual([])
    const place = { version: 2, base: join(top, 'app.slice'), ceiling: 1000 } as const
    expect(
      planned('muster-1-1-x', { ...NONE, memoryBytes: 4000, processes: 10 }, { pids: place, memory: place }),
    ).toEqual([{ dir: join(top, 'app.slice', 'muster-1-1-x'), version: 2, limits: { memory: 1000, pids: 10 } }])
  })

  test('nothing is made for what has no limit, or no place', () => {
    expect(planned('x', { ...NONE, memoryBytes: 4000 }, { pids: 'no', memory: 'no' })).toEqual([])
    expect(planned('x', NONE, places)).toEqual([])
  })
})

test('what muster.yaml does not say has a default, and none lifts it', () => {
  const { processes, memoryBytes, diskBytes } = runLimits({})
  expect([processes, diskBytes]).toEqual([4096, 64 * 1024 ** 3])
  expect(memoryBytes).toBeGreaterThan(0)
  const lifted: RunLimits = { processes: null, memoryBytes: null, diskBytes: 1 }
  expect(runLimits(lifted)).toEqual(lifted)
})
