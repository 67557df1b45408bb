/** Nothing is lost: a workspace goes only when its result is saved; what could not be saved is kept, listed and saved later. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { withCommands } from '../../src/app.ts'
import { diskUse } from '../../src/upkeep.ts'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'
const forEver = { runsMs: null, goldenMs: null }
const workspace = (run: string, file = '') => join(world.project.dataDir, 'workspaces', run, file)
const clean = () => world.commands.clean({ retention: forEver })

test('L4 work that could not be saved is kept with its reason through a retry and a restart, and saved once that is possible', async () => {
  world = await World.create({ config: 'limits: { maxErrorAttempts: 1 }' })
  const gate = world.gate('work')
  world.agent('s-1.implementer.1', 'echo precious >work.txt; echo up; gate work; verdict pass')
  world.agent('s-1', 'echo second >work.txt; verdict pass')
  await world.start()
  await world.submit(ONE)
  await world.until((event) => event.type === 'output')
  const objects = join(world.project.dataDir, 'mirror.git/objects')
  renameSync(objects, `${objects}.away`)
  await gate.open()
  await world.settled()

  const task = await world.task('s-1')
  expect(task).toMatchObject({ stage: 'review', commit: null })
  const unsaved = { run: 's-1.r1', task: 's-1', state: 'unsaved', path: workspace('s-1.r1') }
  const listed = async () => (await diskUse(world.project)).workspaces
  expect(await listed()).toEqual([expect.objectContaining(unsaved)])
  expect((await listed())[0]?.why).toMatch(/not a git repository/)
  expect(await clean()).toMatchObject({ saved: [], removed: { workspaces: 0 }, kept: [{ run: 's-1.r1' }] })

  renameSync(`${objects}.away`, objects)
  await world.commands.retry({ task: 's-1', by: 'tester' })
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  await world.stop()
  await world.start()
  expect(await listed()).toEqual([expect.objectContaining(unsaved)])
  expect(readFileSync(workspace('s-1.r1', 'work.txt'), 'utf8')).toBe('precious\n')

  const branch = 'muster/kept/s-1.r1'
  expect(await clean()).toMatchObject({
    saved: [{ run: 's-1.r1', task: 's-1', branch }],
    removed: { workspaces: 1 },
    kept: [],
    failed: [],
  })
  expect(world.git('show', `${branch}:work.txt`)).toBe('precious')
  expect(world.git('show', 'muster/story/s:work.txt')).toBe('second')
  expect(world.workspacesLeft()).toEqual([])
  expect((await world.history('s-1')).at(-1)).toMatchObject({ type: 'result-saved', data: { run: 's-1.r1', branch } })
  expect((await world.store.verifyHistory()).bad).toBeNull()
})

test('what could be saved after all becomes an attempt when a person says so', async () => {
  world = await World.create({ config: 'limits: { maxErrorAttempts: 1 }' })
  const damaged = '"$(dirname "$MUSTER_PROMPT_FILE")/index"'
  world.agent('s-1', `echo precious >work.txt; echo damaged >${damaged}; verdict pass`)
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', commit: null })
  const [saved] = (await clean()).saved
  await world.commands.take({ task: 's-1', revision: saved?.branch ?? '', by: 'tester' })
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', commit: saved?.commit })
  expect(world.git('show', 'muster/story/s:work.txt')).toBe('precious')
})

test('what cannot be saved whole stays as it is; what holds no work goes', async () => {
  world = await World.create({ config: 'limits: { maxErrorAttempts: 1 }' })
  const damaged = '"$(dirname "$MUSTER_PROMPT_FILE")/index"'
  world.agent('s-1', `ln -s /etc/passwd link; echo damaged >${damaged}; verdict pass`)
  world.agent('s-2', `echo damaged >${damaged}; verdict pass`)
  world.agent(
    's-3',
    `echo x >x; echo damaged >${damaged}; : >"$(dirname "$MUSTER_PROMPT_FILE")/base.json"; verdict pass`,
  )
  await world.run(`${ONE}  - { id: 2, name: Two }\n  - { id: 3, name: Three }\n`)
  const report = await clean()
  expect(report).toMatchObject({
    saved: [{ run: 's-2.r1', branch: null }],
    kept: [{ run: 's-1.r1' }, { run: 's-3.r1' }],
  })
  expect(report.kept[0]?.why).toMatch(/^link cannot be saved: .*outside the tree/)
  expect(report.kept[1]?.why).toMatch(
    /^the result of s-3.r1 could not be saved: the commit that it started from can no longer be read/,
  )
  expect(world.workspacesLeft().sort()).toEqual(['s-1.r1', 's-3.r1'])
  expect(world.git('branch', '--list', 'muster/kept/*')).toBe('')
  const discarded = await world.commands.discard({ workspace: 's-1.r1', by: 'tester' })
  expect(discarded).toMatchObject({ run: 's-1.r1', task: 's-1', changes: 1, files: ['link'] })
  expect(world.workspacesLeft()).toEqual(['s-3.r1'])
})

test('F-13 a run that is at work keeps its workspace, a saved one goes, what nobody knows stays', async () => {
  world = await World.create()
  const gate = world.gate('work')
  world.agent('s-1', 'echo one >one.txt; echo up; gate work; verdict pass')
  await world.start()
  await world.submit(ONE)
  await world.until((event) => event.type === 'output')
  for (const name of ['nobody.r1', 'stray']) mkdirSync(workspace(name), { recursive: true })
  writeFileSync(workspace('stray', 'file'), 'text')
  const report = await clean()
  expect(report).toMatchObject({ removed: { workspaces: 0 }, postponed: 'a muster is at work' })
  expect(report.kept.map(({ run, task }) => [run, task])).toEqual([
    ['nobody.r1', null],
    ['stray', null],
  ])
  await expect(world.commands.discard({ workspace: 's-1.r1', by: 'tester' })).rejects.toMatchObject({
    code: 'gate_closed',
  })
  expect(existsSync(workspace('s-1.r1', 'one.txt'))).toBe(true)
  await gate.open()
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  // As after a crash between the end of a run and the removal of its workspace.
  mkdirSync(workspace('s-1.r1'))
  expect(await clean()).toMatchObject({ removed: { workspaces: 1 }, kept: [{ run: 'nobody.r1' }, { run: 'stray' }] })
  expect(world.workspacesLeft().sort()).toEqual(['nobody.r1', 'stray'])
})

test('a workspace in which nobody has worked yet is no unsaved work', async () => {
  world = await World.create({ config: 'limits: { maxErrorAttempts: 1 }' })
  await world.start((parts) => ({
    ...parts,
    workspaces: {
      ...parts.workspaces,
      async checkout({ dir }) {
        mkdirSync(dir, { recursive: true })
        throw new Error('no space left')
      },
    },
  }))
  await world.submit(ONE)
  await world.settled()
  expect((await world.task('s-1')).waitingFor).toContain('no space left')
  expect(world.workspacesLeft()).toEqual([])
})

test('a workspace that cannot be removed stops nobody', async () => {
  world = await World.create()
  let refuse = true
  await world.start((parts) => ({
    ...parts,
    workspaces: {
      ...parts.workspaces,
      remove: (dir) =>
        refuse && existsSync(dir) ? Promise.reject(new Error('not permitted')) : parts.workspaces.remove(dir),
    },
  }))
  await world.submit(ONE)
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(await clean()).toMatchObject({ failed: [{ path: workspace('s-1.r1'), why: 'not permitted' }] })
  refuse = false
  expect(await clean()).toMatchObject({ failed: [], removed: { workspaces: 1 } })
})

function put(path: string): string {
  const file = join(world.project.dataDir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'x'.repeat(10_000))
  return file
}

function snapshots(): string[] {
  const args = ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/muster/attempt']
  const mirror = join(world.project.dataDir, 'mirror.git')
  return execFileSync('git', args, { cwd: mirror, encoding: 'utf8' }).trim().split('\n')
}

test('F-14 without an engine what is over for long goes, its record stays, and what is open goes on', async () => {
  world = await World.create({ config: 'retention: { runs: 1ms, golden: 1d }' })
  world.agent('s-1.implementer.1', 'echo "try 1" >a.txt; verdict fail')
  world.agent('default', 'echo "try $MUSTER_ATTEMPT" >>a.txt; verdict pass')
  await world.run(`${ONE}  - { id: 2, name: Two, phases: ${BY_PERSON}, depends_on: [1] }\n`)
  await world.stop()
  const { project, env } = world
  const saved = put('workspaces/s-1.r1/a.txt')
  const unknown = [put('workspaces/nobody.r1/a.txt'), put('runs/nobody.r1/log')]
  const [old, young] = [put('golden/old/file'), put('golden/young/file')]
  utimesSync(dirname(old), new Date(0), new Date(0))

  const use = await diskUse(project)
  expect(use.workspaces.map(({ run, task, state, why }) => [run, task, state, why])).toEqual([
    ['nobody.r1', null, 'unknown', 'nothing is stored about this run'],
    ['s-1.r1', 's-1', 'saved', null],
  ])
  // The folder of s-1.r1 is needed as long as its workspace is there.
  const folders = Object.fromEntries(Object.entries(use.runs).map(([state, { count }]) => [state, count]))
  expect(folders).toEqual({ needed: 2, recent: 0, expired: 2, unknown: 1 })
  expect(use).toMatchObject({
    golden: { recent: { count: 1 }, expired: { count: 1 } },
    mirror: { snapshots: 3, superseded: 1 },
    retention: { runsMs: 1, goldenMs: 86_400_000 },
  })
  const parts = [...use.workspaces, ...Object.values(use.runs), ...Object.values(use.golden), use.mirror]
  expect(use.bytes).toBe(parts.reduce((sum, { bytes }) => sum + bytes, use.database + use.other))
  expect(use.removable).toBeGreaterThan(30_000)
  expect(existsSync(saved)).toBe(true)

  const cleanAlone = () => withCommands(project, env, (it) => it.clean({ retention: project.config.retention }))
  expect(await cleanAlone()).toMatchObject({
    removed: { workspaces: 1, runs: 2, golden: 0, snapshots: 0 },
    kept: [{ run: 'nobody.r1', task: null }],
    postponed: 'the workspace nobody.r1 needs the mirror and golden copies',
  })
  for (const file of [...unknown, young, old]) expect(existsSync(file)).toBe(true)
  const discarded = await withCommands(project, env, (it) => it.discard({ workspace: 'nobody.r1', by: 'tester' }))
  expect(discarded).toMatchObject({ run: 'nobody.r1', task: null, changes: null })
  expect(await cleanAlone()).toMatchObject({
    removed: { workspaces: 0, runs: 1, golden: 1, snapshots: 1 },
    postponed: null,
    failed: [],
  })
  expect([existsSync(dirname(old)), existsSync(young)]).toEqual([false, true])
  expect(readdirSync(join(project.dataDir, 'runs')).sort()).toEqual(['nobody.r1', 's-2.r1'])
  expect(snapshots()).toEqual(['s-1.r2', 's-2.r1'])

  await world.start()
  expect((await world.runs('s-1')).map(({ end }) => end?.verdict)).toEqual(['FAIL', 'PASS', null, 'PASS', null])
  expect((await world.task('s-1')).findings).toHaveLength(1)
  expect((await world.store.verifyHistory()).bad).toBeNull()
  await world.reject('s-2', 'again')
  await world.settled()
  await world.accept('s-2')
  await world.settled()
  expect(world.git('show', 'muster/story/s:a.txt')).toBe('try 1\ntry 2\ntry 1\ntry 2')
})
