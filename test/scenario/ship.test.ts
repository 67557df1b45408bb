/** The Ship gate: S0.7 to S0.11, S0.46 to S0.50, through the real engine with scripted agents and real deploys. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { StoryState } from '../../src/domain/story/story.ts'
import { shipView } from '../../src/engine/views/shipping.ts'
import { storyView } from '../../src/engine/views/views.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'
const STYLES = ['squash', 'merge']

async function create(more = ''): Promise<World> {
  world = await World.create({ config: more })
  world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"; verdict pass')
  return world
}

const story = async () => storyView(world.store, (await world.store.story('s'))!)
/** What somebody is shown before they press Ship. */
const seen = async () =>
  shipView(world.store, world.engine.parts.workspaces, world.project.config, (await world.store.story('s'))!)
const state = async (): Promise<StoryState> => (await story()).state
const ship = (how: 'ship' | 'resume' | 'deployed' = 'ship', message = '') =>
  world.commands.ship({ story: 's', how, message, by: 'tester' })
/** A script of the user's that leaves a trace for each time it ran. */
const script = (name: string, text: string) =>
  writeFileSync(join(world.top, name), `echo "$MUSTER_DEPLOY_KEY" >>'${world.top}/${name}.ran'\n${text}\n`)
const ran = (name: string) =>
  existsSync(join(world.top, `${name}.ran`))
    ? readFileSync(join(world.top, `${name}.ran`), 'utf8')
        .trim()
        .split('\n')
    : []
const parents = (commit: string) => world.git('show', '-s', '--format=%P', commit).split(' ')
const DEPLOY = () => `deploy: sh ${world.top}/deploy.sh\npostDeploy: sh ${world.top}/smoke.sh\n`

async function deploying(deploy: string, smoke: string, more = ''): Promise<void> {
  await create(more)
  script('deploy.sh', deploy)
  script('smoke.sh', smoke)
  const file = join(world.repository, 'muster.yaml')
  writeFileSync(file, readFileSync(file, 'utf8') + DEPLOY())
}

describe('a story', () => {
  test('S0.7, S0.8, S0.46, L1 is SHIPPABLE when every task is completed, and nothing is shipped by itself', async () => {
    await create()
    const gate = world.gate('two')
    world.agent('s-2', 'gate two; echo 2 >two; verdict pass')
    await world.start()
    await world.submit(`${ONE}  - { id: 2, name: Two }\n`)
    await world.until(({ type, task }) => type === 'task-completed' && task === 's-1')
    expect(await state()).toBe('OPEN')
    await gate.open()
    await world.settled()
    expect(await state()).toBe('SHIPPABLE')
    expect(world.git('ls-tree', '--name-only', 'main')).toBe('README.md')
    expect((await world.notices()).map(({ text }) => text)).toEqual(['story s is ready to ship: muster ship s'])
  })

  test('E-6 adding a task revokes it, and it comes back; a failed task keeps it from it; cancelled ones do not', async () => {
    await create('limits: { maxTaskRounds: 1 }')
    world.agent('s-2', 'verdict fail no')
    await world.run(ONE)
    expect(await state()).toBe('SHIPPABLE')
    await world.submit(`${ONE}  - { id: 2, name: Two }\n  - { id: 3, name: Three, depends_on: [2] }\n`)
    expect(await state()).toBe('OPEN')
    await world.settled()
    expect(await state()).toBe('OPEN')
    await expect(ship()).rejects.toMatchObject({
      code: 'gate_closed',
      message: 'story s cannot be shipped: it is OPEN: 1 task is still open, 1 failed',
    })
    await world.commands.cancel({ task: 's-3', reason: '', by: 'tester' })
    await world.commands.retry({ task: 's-2', by: 'tester' })
    await world.commands.cancel({ task: 's-2', reason: '', by: 'tester' }).catch(() => undefined)
    await world.settled()
    expect((await story()).tasks).toMatchObject({ completed: 1 })
  })

  test('L2 nothing to ship: a story all of whose tasks were cancelled is not shippable', async () => {
    await create()
    world.gate('never')
    world.agent('s-1', 'gate never; work; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until(({ type }) => type === 'run-started')
    await world.commands.cancel({ task: 's-1', reason: '', by: 'tester' })
    await world.settled()
    expect(await state()).toBe('OPEN')
    await expect(ship()).rejects.toMatchObject({
      code: 'gate_closed',
      message: expect.stringContaining('no task is completed') as string,
    })
  })
})

describe('Ship', () => {
  test('S0.9, S0.10, S0.48 verifies, merges, deploys once, validates: REVIEW_READY', async () => {
    await deploying('echo deployed "$MUSTER_STORY" from "$(pwd)"; ls', 'ls s-1.txt')
    await world.run(ONE)
    expect(await ship()).toEqual({ id: 's', state: 'SHIPPING' })
    await expect(ship()).rejects.toMatchObject({ code: 'gate_closed' })
    await world.settled()
    expect(await story()).toMatchObject({
      state: 'REVIEW_READY',
      message: null,
      work: { id: 's.validation.2', kind: 'validation' },
    })
    expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['README.md', 's-1.txt'])
    expect([ran('deploy.sh').length, ran('smoke.sh').length]).toEqual([1, 1])
    const moves = (await world.store.events('story:s'))
      .filter(({ type }) => type === 'story-moved')
      .map(({ data }) => data['to'])
    expect(moves).toEqual(['SHIPPABLE', 'SHIPPING', 'DEPLOYED', 'VALIDATING', 'REVIEW_READY'])
    expect((await world.store.verifyHistory()).bad).toBeNull()
    expect((await world.store.listTasks({ limit: 10 })).map(({ spec }) => spec.id)).toEqual(['s-1'])
    expect(world.workspacesLeft()).toEqual([])
  })

  test('without a deploy or a validation of its own, landing on the base is all', async () => {
    await create()
    await world.run(ONE)
    await ship()
    await world.settled()
    expect(await state()).toBe('REVIEW_READY')
  })

  test('a failing smoke test: NEEDS_FIX with its report, fix tasks from it, and the story can be shipped again', async () => {
    await deploying('true', `[ -f fixed ] || { echo "the page says 500"; exit 1; }`)
    await world.run(ONE)
    await ship()
    await world.settled()
    expect(await story()).toMatchObject({ state: 'NEEDS_FIX', message: expect.stringContaining('exit 1') as string })
    world.agent('implementer', 'echo 1 >fixed; verdict pass')
    const { tasks } = await world.commands.fix({ story: 's', by: 'tester' })
    expect(await world.task(tasks[0] ?? '')).toMatchObject({
      title: 'Fix: the page says 500',
      instructions: expect.stringContaining('exit 1\nthe page says 500') as string,
    })
    await world.settled()
    expect(await state()).toBe('SHIPPABLE')
    await ship()
    await world.settled()
    expect(await state()).toBe('REVIEW_READY')
    expect(ran('deploy.sh').length).toBe(2)
    expect(new Set(ran('deploy.sh')).size).toBe(2)
  })

  test('a failing deploy says what landed, and resume goes on from there without landing twice', async () => {
    await deploying('exit 7', 'true')
    script('deploy.sh', `[ -f '${world.top}/ok' ] || { echo "no route to host"; exit 7; }`)
    await world.run(ONE)
    await ship()
    await world.settled()
    const after = world.git('rev-parse', 'main')
    expect(await story()).toMatchObject({ state: 'SHIPPABLE', landed: after })
    expect(await seen()).toMatchObject({ landed: after, base: after, merge: { work: 's.ship.1', overall: 'pass' } })
    expect((await story()).message).toMatch(
      /^exit 7.* is already on the base\)\. To continue: muster ship s --resume$/s,
    )
    writeFileSync(join(world.top, 'ok'), '')
    await ship('resume')
    await world.settled()
    expect(await state()).toBe('REVIEW_READY')
    expect(world.git('rev-parse', 'main')).toBe(after)
    expect(ran('deploy.sh').length).toBe(2)
  })

  test.for(STYLES)(
    'L8, F-9, D-15 with landing %s a conflict with the base makes a sync task with both parents; then it ships',
    async (style) => {
      await create(`landing: ${style}`)
      world.agent('s-1', 'echo ours >file; verdict pass')
      await world.run(ONE)
      world.git('update-ref', 'refs/heads/main', world.commitOn('main', 'file', 'theirs\n'))
      world.git('reset', '-q', '--hard')
      world.agent('s-sync-2', 'gate sync; grep -q "<<<<" file && echo both >file; verdict pass')
      const gate = world.gate('sync')
      expect(await seen()).toMatchObject({ baseMoved: true, sync: null })
      await ship()
      await world.until(({ type, task }) => type === 'run-started' && task === 's-sync-2')
      expect(await seen()).toMatchObject({ state: 'OPEN', sync: 's-sync-2', works: [{ kind: 'ship', findings: {} }] })
      await gate.open()
      await world.settled()
      expect(await world.task('s-sync-2')).toMatchObject({
        status: 'completed',
        title: 'Merge main into A story',
      })
      expect(await state()).toBe('SHIPPABLE')
      expect(await seen()).toMatchObject({ baseMoved: false, sync: null })
      expect(world.git('show', 'main:file')).toBe('theirs')
      expect(parents('muster/story/s')).toHaveLength(2)
      expect(() => world.git('merge-base', '--is-ancestor', 'main', 'muster/story/s')).not.toThrow()
      await ship()
      await world.settled()
      expect(await state()).toBe('REVIEW_READY')
      expect(world.git('show', 'main:file')).toBe('both')
    },
  )

  test.for(STYLES)(
    'S0.11 with landing %s a fix of the same lines ships onto the story’s own first Ship',
    async (style) => {
      await deploying('true', `grep -q two line || { echo "the page says one"; exit 1; }`, `landing: ${style}`)
      world.agent('s-1', 'echo one >line; verdict pass')
      await world.run(ONE)
      await ship()
      await world.settled()
      expect(await state()).toBe('NEEDS_FIX')
      expect(parents('main')).toEqual([expect.any(String), world.git('rev-parse', 'muster/story/s')])
      world.agent('implementer', 'echo two >line; verdict pass')
      await world.commands.fix({ story: 's', by: 'tester' })
      await world.settled()
      await ship()
      await world.settled()
      expect(await story()).toMatchObject({ state: 'REVIEW_READY', message: null })
      expect(world.git('show', 'main:line')).toBe('two')
      expect((await story()).tasks).toMatchObject({ completed: 2 })
    },
  )

  test('a deploy whose end nobody saw leaves a question: a person says that it is done, or runs it again', async () => {
    await deploying('kill -9 -$(ps -o pgid= $$ | tr -d " ")', 'true')
    await world.run(ONE)
    await ship()
    await world.settled()
    expect(await story()).toMatchObject({
      state: 'SHIPPING',
      message: expect.stringContaining('the outcome of the deploy is unknown') as string,
    })
    await expect(ship('deployed')).rejects.toMatchObject({ code: 'usage' })
    await ship('deployed', 'the site shows the new version')
    await world.settled()
    expect(await state()).toBe('REVIEW_READY')
  })

  test('S0.47 what moved on after a person looked is not shipped', async () => {
    await create()
    await world.run(ONE)
    const commit = world.git('rev-parse', 'main')
    await world.engine.transactor.applyStory('s', { type: 'ship', by: 'tester', commit })
    await world.settled()
    expect(await story()).toMatchObject({
      state: 'SHIPPABLE',
      message: expect.stringContaining('the story has changed: muster/story/s is at') as string,
    })
    expect(world.git('rev-parse', 'main')).toBe(commit)
    await ship('resume')
    await world.settled()
    expect(await state()).toBe('REVIEW_READY')
  })

  test('S0.50, E-5 a hundred at once: one is taken, and one deploy runs', async () => {
    await deploying('true', 'true')
    await world.run(ONE)
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => ship()))
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    await world.settled()
    expect([await state(), ran('deploy.sh').length]).toEqual(['REVIEW_READY', 1])
  })

  test('a deploy outlives Muster: the next one waits for it and does not start another', async () => {
    await deploying('true', 'true')
    script(
      'deploy.sh',
      `touch '${world.top}/begun'; while [ -d '${world.top}' ] && [ ! -f '${world.top}/go' ]; do sleep 0.05; done`,
    )
    await world.run(ONE)
    await ship()
    await world.until(({ type, run }) => type === 'output' && run === 's.ship.1.r3')
    await world.stop()
    await world.start()
    writeFileSync(join(world.top, 'go'), '')
    await world.settled()
    expect([await state(), ran('deploy.sh').length]).toEqual(['REVIEW_READY', 1])
  })

  test('a deploy whose setup Muster’s end cuts short is begun at the next start, and costs nothing', async () => {
    await deploying('true', 'true')
    await world.run(ONE)
    await world.stop()
    const gate = world.gate('setup')
    const file = join(world.repository, 'muster.yaml')
    const setup = `setup: echo started; cat ${world.top}/gates/setup >/dev/null\n`
    writeFileSync(file, readFileSync(file, 'utf8') + setup)
    await world.start()
    await ship()
    world.engine.include(undefined)
    await world.until(({ type, run, line }) => type === 'output' && run === 's.ship.1.r3' && line === 'setup: started')
    await world.stop()
    await world.start()
    await gate.open()
    await world.settled()
    expect([await state(), ran('deploy.sh').length]).toEqual(['REVIEW_READY', 1])
    expect((await world.store.runs('s.ship.1')).map(({ id, end }) => [id, end?.outcome])).toEqual([
      ['s.ship.1.r1', 'ADVANCE'],
      ['s.ship.1.r2', 'ADVANCE'],
      ['s.ship.1.r3', 'ADVANCE'],
    ])
  })

  test('a deploy whose setup fails has not started, and says what to do', async () => {
    await deploying('true', 'true', 'limits: { maxErrorAttempts: 1 }\n')
    await world.run(ONE)
    await world.stop()
    const file = join(world.repository, 'muster.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}setup: echo no network >&2; exit 7\n`)
    await world.start()
    await ship()
    await world.settled()
    const run = (await world.store.runs('s.ship.1')).find(({ name }) => name === 'deploy')
    expect(run?.end).toMatchObject({ outcome: 'ERROR', exit: 'not started' })
    expect(run?.end?.detail).toContain('no network')
    expect(run?.end?.detail).toContain('(to reproduce it, run in a clean checkout: echo no network >&2; exit 7)')
    expect(ran('deploy.sh')).toEqual([])
  })

  test('what a deploy prints of its variables does not stay in its log', async () => {
    await create()
    process.env['SHIP_TOKEN'] = 'hush-hush-hush'
    script('deploy.sh', 'echo "the token is $SHIP_TOKEN"; exit 1')
    const file = join(world.repository, 'muster.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}deploy: { run: sh ${world.top}/deploy.sh, env: [SHIP_TOKEN] }\n`)
    await world.run(ONE)
    await ship()
    await world.settled()
    delete process.env['SHIP_TOKEN']
    const log = readFileSync(join(world.project.dataDir, 'runs', 's.ship.1.r3', 'log'), 'utf8')
    expect(log).toContain('the token is ***')
    expect(JSON.stringify([await story(), await world.store.findings('s.ship.1')])).not.toContain('hush')
  })
})

test('after a deploy, what the contracts can ask of a running system is asked too, and no other criterion', async () => {
  await deploying('true', 'true')
  const ask = (activity: string) =>
    `{ description: It answers, activity: ${activity}, command: "echo ${activity} >>'${world.top}/asked'" }`
  await world.run(`  - { id: 1, name: One, contract: { criteria: [${ask('http')}, ${ask('words')}] } }\n`)
  writeFileSync(join(world.top, 'asked'), '')
  await ship()
  await world.settled()
  expect(await state()).toBe('REVIEW_READY')
  const validation = readFileSync(join(world.project.dataDir, 'runs', 's.validation.2.r1', 'log'), 'utf8')
  expect(validation).toBe('')
  const asked = readFileSync(join(world.top, 'asked'), 'utf8').trim().split('\n')
  expect(asked.at(-1)).toBe('http')
})

test('E-12 deferred criteria run on the story as a whole before it can be shipped, and keep it from it', async () => {
  await create(`checks: { e2e: "test -f s-1.txt && test -f s-2.txt && test ! -f broken" }`)
  const contract = `contract: { criteria: [{ description: The whole works, activity: e2e, command: "test -f s-1.txt && test -f s-2.txt && test ! -f broken", timing: deferred }] }`
  await world.run(`  - { id: 1, name: One, ${contract} }\n  - { id: 2, name: Two }\n`)
  expect(await story()).toMatchObject({ state: 'SHIPPABLE', work: { kind: 'deferred', stage: 'completed' } })
  expect((await seen()).deferred).toMatchObject({
    open: false,
    work: 's.deferred.1',
    criteria: [{ description: 'The whole works', task: 's.deferred.1', status: 'pass', error: null }],
  })
})
