/** How stories and failed tasks end that nobody wants any more. */
import { afterEach, expect, test } from 'vitest'
import { needsView } from '../../src/engine/views/needs.ts'
import { listedStories } from '../../src/engine/views/story-lists.ts'
import { Api } from '../support/http.ts'
import { BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const by = 'ann'
const standing = async () => (await world.store.standing('s'))?.standing
const statuses = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await world.task(id)).status))
const needs = async () => (await needsView(world.store, 50, 0)).items.map(({ id }) => id)

test('a failed task can be cancelled, and its story is SHIPPABLE without it', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 1 }' })
  world.agent('s-2', 'verdict fail "no"')
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
  expect(await world.task('s-2')).toMatchObject({ status: 'failed' })
  expect((await world.task('s-2')).next).toContain('muster cancel s-2')
  expect((await standing())?.state).toBe('OPEN')
  await world.commands.cancel({ task: 's-2', reason: 'not wanted', by })
  expect(await world.task('s-2')).toMatchObject({ status: 'cancelled', failureReason: 'not wanted' })
  expect((await standing())?.state).toBe('SHIPPABLE')
  await expect(world.commands.cancel({ task: 's-2', reason: '', by })).rejects.toMatchObject({ code: 'gate_closed' })
  expect((await world.store.verifyHistory()).bad).toBeNull()
})

test('a story is given up with all its open tasks, and nothing of it asks for anybody any more', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}\nlimits: { maxTaskRounds: 1 }` })
  world.gate('never')
  world.agent('s-1', 'gate never')
  world.agent('s-2', 'verdict fail "no"')
  await world.start()
  const tasks =
    '  - { id: 1, name: One }\n  - { id: 2, name: Two }\n  - { id: 3, name: Three }\n  - { id: 4, name: Four, depends_on: [3] }\n'
  await world.submit(tasks)
  for (const [type, task] of [
    ['run-started', 's-1'],
    ['task-failed', 's-2'],
    ['phase-entered', 's-3'],
  ]) {
    await world.until((event) => event.type === type && event.task === task)
  }
  expect(await world.commands.cancelStory({ story: 's', reason: 'another way', by })).toEqual({
    id: 's',
    tasks: ['s-1', 's-3', 's-4'],
  })
  await world.settled()
  expect(await statuses('s-1', 's-2', 's-3', 's-4')).toEqual(['cancelled', 'failed', 'cancelled', 'cancelled'])
  expect(await standing()).toMatchObject({ state: 'CANCELLED', message: 'another way', work: null })
  expect(await needs()).toEqual([])
  const log = (await world.store.events('story:s')).find(({ type }) => type === 'story-cancelled')
  expect(log).toMatchObject({ actor: by, data: { by, reason: 'another way' } })
  await expect(world.commands.ship({ story: 's', how: 'ship', message: '', by })).rejects.toThrow(/it is CANCELLED/)
  await expect(world.commands.cancelStory({ story: 's', reason: '', by })).rejects.toMatchObject({
    code: 'gate_closed',
  })

  await world.commands.retry({ task: 's-3', by })
  expect(await standing()).toMatchObject({ state: 'OPEN', message: null })
  expect((await world.store.verifyHistory()).bad).toBeNull()
})

test('an archived story is in no list unless all are asked for, and comes back with a task', async () => {
  world = await World.create()
  const api = await Api.of(world)
  try {
    await world.submit('  - { id: 1, name: One }\n')
    expect((await api.post('/api/stories/s/archive')).status).toBe(409)
    await world.settled()
    expect((await api.post('/api/stories/s/archive')).json).toMatchObject({ id: 's', archived: true })
    expect(await listedStories(world.store, false)).toEqual([])
    expect((await api.get('/api/stories')).json).toMatchObject({ items: [] })
    expect((await api.get('/api/stories?all=true')).json).toMatchObject({ items: [{ id: 's' }] })
    expect((await api.get('/api/status')).json).toMatchObject({ stories: [] })
    expect(await needs()).toEqual([])
    expect((await api.post('/api/stories/s/unarchive')).json).toMatchObject({ archived: false })
    expect((await api.post('/api/stories/s/archive')).status).toBe(200)
    await world.add('Two', { story: 's' })
    expect((await api.get('/api/stories')).json).toMatchObject({ items: [{ id: 's', archived: false }] })
    expect((await api.post('/api/stories/s/cancel', { reason: 'enough' })).json).toMatchObject({ state: 'CANCELLED' })
    expect((await api.post('/api/stories/none/cancel')).status).toBe(404)
  } finally {
    await api.close()
  }
})
