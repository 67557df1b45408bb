/** Branches of Muster's own in the user's repository: they go when their work has landed, and nothing is lost with them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { storyView } from '../../src/engine/views/views.ts'
import { diskUse } from '../../src/upkeep.ts'
import { BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'
const own = () => world.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/muster').split('\n')
const ship = () => world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
const story = async () => storyView(world.store, (await world.store.story('s'))!)
const clean = () => world.commands.clean({ retention: world.project.config.retention })

async function create(config = ''): Promise<void> {
  world = await World.create({ config })
  world.agent('default', 'echo "$MUSTER_TASK_ID" >>"$MUSTER_TASK_ID.txt"; verdict pass')
}

test('a task’s goes when it has landed, a story’s when it is on the base, and that of open work stays', async () => {
  await create()
  await world.run(`${ONE}  - { id: 2, name: Two, phases: ${BY_PERSON} }\n`)
  expect(own()).toEqual(['muster/story/s', 'muster/task/s-2'])
  await world.accept('s-2')
  await world.settled()
  expect(own()).toEqual(['muster/story/s'])
  await ship()
  await world.settled()
  expect(await story()).toMatchObject({ state: 'REVIEW_READY' })
  expect(own()).toEqual([''])
  expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['README.md', 's-1.txt', 's-2.txt'])
})

test('one of a standalone task goes too; its diff is still there', async () => {
  await create('protected: []')
  await world.start()
  const { id } = await world.add('Something')
  await world.engine.settled(null)
  expect(await world.task(id)).toMatchObject({ status: 'completed' })
  expect(own()).toEqual([''])
  expect(world.git('log', '--format=%s', 'main').split('\n')).toEqual(['Something', 'Start'])
})

test('a task that is added to a shipped story brings its branch back where it was, and the story ships again', async () => {
  await create()
  await world.run(ONE)
  const before = world.git('rev-parse', 'muster/story/s')
  await ship()
  await world.settled()
  expect(own()).toEqual([''])
  await world.submit(`${ONE}  - { id: 2, name: Two }\n`)
  await world.settled()
  expect(await story()).toMatchObject({ state: 'SHIPPABLE', tasks: { completed: 2 } })
  expect(world.git('rev-parse', 'muster/story/s~1')).toBe(before)
  await ship()
  await world.settled()
  expect(await story()).toMatchObject({ state: 'REVIEW_READY' })
  expect(own()).toEqual([''])
  expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['README.md', 's-1.txt', 's-2.txt'])
})

test('a branch that came back and that the user then takes away is not made again', async () => {
  await create()
  await world.run(ONE)
  await ship()
  await world.settled()
  world.agent('s-3', 'echo up; gate three; work; verdict pass')
  const gate = world.gate('three')
  await world.submit(`${ONE}  - { id: 2, name: Two }\n  - { id: 3, name: Three, depends_on: [2] }\n`)
  await world.until(({ type, task }) => type === 'output' && task === 's-3')
  world.git('branch', '-qD', 'muster/story/s')
  await gate.open()
  await world.settled()
  expect((await world.task('s-3')).waitingFor).toMatch(/^the branch muster\/story\/s is no longer in the repository/)
})

test('one that is checked out stays and is told; muster clean finds it, and takes it once it may go', async () => {
  await create(`phases: ${BY_PERSON}`)
  await world.run(ONE)
  world.git('switch', '-q', 'muster/task/s-1')
  await world.accept('s-1')
  await world.settled()
  const why = `it is checked out in ${world.repository}`
  expect(world.events.filter(({ type }) => type === 'branch_kept')).toMatchObject([{ branch: 'muster/task/s-1', why }])
  expect((await diskUse(world.project)).branches).toEqual([{ branch: 'muster/task/s-1', why }])
  expect(await clean()).toMatchObject({ removed: { branches: 0 }, failed: [] })
  world.git('switch', '-q', 'main')
  expect((await diskUse(world.project)).branches).toEqual([{ branch: 'muster/task/s-1', why: null }])
  expect(await clean()).toMatchObject({ removed: { branches: 1 }, failed: [] })
  expect(own()).toEqual(['muster/story/s'])
})

test('keepBranches keeps them; without it muster clean takes old ones, but none with a commit of a person’s', async () => {
  await create('landing: { keepBranches: true }')
  await world.run(`${ONE}  - { id: 2, name: Two }\n`)
  await ship()
  await world.settled()
  expect(own()).toEqual(['muster/story/s', 'muster/task/s-1', 'muster/task/s-2'])
  expect((await diskUse(world.project)).branches).toEqual([])
  expect(await clean()).toMatchObject({ removed: { branches: 0 } })
  world.git('branch', '-qf', 'muster/task/s-2', world.commitOn('muster/task/s-2', 'mine', ''))
  await world.stop()
  const file = join(world.repository, 'muster.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('keepBranches: true', 'keepBranches: false'))
  await world.start()
  expect((await diskUse(world.project)).branches).toEqual([
    { branch: 'muster/story/s', why: null },
    { branch: 'muster/task/s-1', why: null },
    { branch: 'muster/task/s-2', why: 'it holds a commit that has not landed: git show muster/task/s-2' },
  ])
  expect(await clean()).toMatchObject({ removed: { branches: 2 }, failed: [] })
  expect(own()).toEqual(['muster/task/s-2'])
})
