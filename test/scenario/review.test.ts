/** What careful readers found once and must never find again. */
import { rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { withCommands } from '../../src/app.ts'
import { buildPlan } from '../../src/config/plan.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'

test('L4 an attempt whose workspace is gone has no result: the last failed one does not land in its place', async () => {
  world = await World.create()
  world.agent('s-1.implementer.1', 'echo bad >bad.txt; verdict fail "not good"')
  world.agent('s-1', 'rm -rf "$PWD"; verdict pass')
  await world.run(ONE)
  const task = await world.task('s-1')
  expect(task).toMatchObject({ status: 'in-progress', stage: 'review', round: 1 })
  expect(task.waitingFor).toContain('could not be saved')
  expect(world.git('ls-tree', '--name-only', 'muster/story/s')).toBe('README.md')
})

test('a changed task that has not started is written anew before anything of it starts', async () => {
  world = await World.create()
  world.agent('s-1', 'grep -q "the new words" "$MUSTER_PROMPT_FILE" && work && verdict pass')
  await world.start()
  await world.commands.pause({ paused: true })
  await world.submit('  - { id: 1, name: One, description: the old words }\n')
  await world.stop()
  await world.start()
  await world.commands.pause({ paused: false })
  await world.submit('  - { id: 1, name: One, description: the new words }\n')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, instructions: 'the new words' })
})

test('a gate that was answered takes no second answer', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  await world.run(ONE)
  await world.engine.stop()
  await world.reject('s-1', 'no')
  await expect(world.accept('s-1')).rejects.toMatchObject({ code: 'gate_closed' })
  await expect(world.commands.decide({ kind: 'approve', task: 's-1', message: '', by: 'x' })).rejects.toThrow(
    'tester said reject',
  )
})

test('new tasks get the configuration that came with them, not the one the engine started with', async () => {
  world = await World.create()
  await world.start()
  const { config } = world.project
  const agent = { ...config.agents['implementer'], run: 'echo new >new.txt', verdict: 'exit' as const }
  const newer = { ...config, agents: { implementer: agent as (typeof config.agents)[string] } }
  const plan = buildPlan(parseYaml(`meta: { id: s }\ntasks:\n${ONE}`, 'plan'), newer, 's')
  await world.commands.submit({ plan, config: newer })
  await world.settled()
  expect(world.git('show', 'muster/story/s:new.txt')).toBe('new')
})

test('a story that is done does not wait for another that still works', async () => {
  world = await World.create()
  const gate = world.gate('long')
  world.agent('long-1', 'gate long; work; verdict pass')
  await world.start()
  const { config } = world.project
  const long = buildPlan(parseYaml(`meta: { id: long }\ntasks:\n${ONE}`, 'plan'), config, 's')
  await world.commands.submit({ plan: long, config })
  await world.until((event) => event.type === 'run-started' && event.task === 'long-1')
  await world.submit(ONE)
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  expect(await world.task('long-1')).toMatchObject({ status: 'in-progress' })
  await gate.open()
  await world.engine.settled('long')
})

describe('subtasks', () => {
  const PLAN = `  - { id: 1, name: Whole }\n  - { id: 2, name: Part, parent: 1 }\n  - { id: 3, name: Gate, parent: 1, phases: ${BY_PERSON} }\n`

  test('a parent’s branch that is deleted before any part has begun is made again with the plan', async () => {
    world = await World.create()
    await world.start()
    await world.commands.pause({ paused: true })
    await world.submit(PLAN)
    world.git('branch', '-D', 'muster/task/s-1')
    await world.submit(PLAN)
    expect(world.git('rev-parse', 'muster/task/s-1')).toBe(world.git('rev-parse', 'main'))
  })

  test('work that landed on a branch which is then deleted is missed, not forgotten', async () => {
    world = await World.create()
    world.agent('s-2', 'echo part >part; verdict pass')
    await world.run(PLAN)
    const landed = world.git('rev-parse', 'muster/task/s-1')
    world.git('branch', '-D', 'muster/task/s-1')
    await world.submit(PLAN)
    await world.accept('s-3')
    await world.settled()
    expect(await world.task('s-3')).toMatchObject({ status: 'in-progress', stage: 'review' })
    expect((await world.task('s-3')).waitingFor).toContain('is no longer in the repository')
    world.git('branch', 'muster/task/s-1', landed)
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')).toContain('part')
  })
})

test('S2.25 cancelling without a running engine still tells who can never start', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}` })
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  await world.stop()
  await withCommands(world.project, world.env, (commands) => commands.cancel({ task: 's-1', reason: '', by: 'tester' }))
  // The next engine delivers what that left to be told.
  await world.start()
  await world.stop()
  expect((await world.notices()).map(({ key }) => key)).toContainEqual(expect.stringMatching(/^deadlock:s-1:/))
  await world.start()
})

test('a result that comes after a cancel says what it had done', async () => {
  world = await World.create()
  world.gate('never')
  world.agent('s-1', 'gate never')
  await world.start()
  await world.submit(ONE)
  await world.until((event) => event.type === 'run-started')
  await world.commands.cancel({ task: 's-1', reason: '', by: 'tester' })
  const late = await world.until((event) => event.type === 'late-result-ignored')
  expect(late['detail']).toContain('interrupted')
  rmSync(`${world.top}/gates/never`)
})

test('the address of a webhook, which may hold a secret, is not kept with the tasks', async () => {
  world = await World.create({ config: 'notify: [{ webhook: "http://127.0.0.1:9/?token=s3cret" }]' })
  await world.run(ONE)
  const body = await world.store.config((await world.store.task('s-1'))?.spec.configHash ?? '')
  expect(body).toContain('"agents"')
  expect(body).not.toContain('s3cret')
})
