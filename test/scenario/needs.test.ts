/** What waits for a person, as the board asks for it: each kind once, with why and what can be done. */
import { afterEach, expect, test } from 'vitest'
import { taskCards } from '../../src/engine/cards.ts'
import { needsView } from '../../src/engine/needs.ts'
import { ACCEPTED, BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const needs = async () => (await needsView(world.store, 100)).items
const CHANGE = 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"'

test('S0.51, S0.52 checkers that failed and that could not tell are two things; accepting over them needs words', async () => {
  world = await World.create({
    roles: ['implementer', 'checker'],
    config: `phases: ${ACCEPTED}\nlimits: { maxErrorAttempts: 1 }\n`,
  })
  world.agent('implementer', `${CHANGE}; verdict pass`)
  world.agent('s-1.checker', 'verdict fail "the limit is never looked at"')
  world.agent('s-2.checker', 'exit 7')
  await world.run(
    '  - { id: 1, name: One }\n  - { id: 2, name: Two }\n  - { id: 3, name: Three }\n  - { id: 4, name: Four, depends_on: [1] }\n',
  )
  const found = (await needs()).sort((a, b) => a.id.localeCompare(b.id))
  expect(found).toMatchObject([
    {
      id: 's-1',
      kind: 'checker-failed',
      title: 'One',
      story: { id: 's', name: 'A story' },
      report: 'the limit is never looked at',
      actions: ['reject', 'accept'],
      reasonNeeded: true,
    },
    { id: 's-2', kind: 'checker-error', actions: ['retry', 'reject', 'accept'], reasonNeeded: true },
  ])
  const cards = await taskCards(world.store, ['s-1', 's-3', 's-4', 's-1.check.1', 'nobody'], [])
  expect(cards).toMatchObject([
    { id: 's-1', stage: 'review', checker: 'failed', needsPerson: true, by: 'implementer', since: null, blockers: [] },
    { id: 's-3', stage: 'completed', checker: 'passed', overruled: null },
    { id: 's-4', stage: 'blocked', blockers: [{ id: 's-1', title: 'One' }] },
  ])
  await world.accept('s-1', 'it is checked elsewhere')
  await world.settled()
  expect((await needs()).map(({ id }) => id)).toEqual(['s-2'])
  expect(await taskCards(world.store, ['s-1'], [])).toMatchObject([{ overruled: 'it is checked elsewhere' }])
})

test('S0.46, S1.16 gates, landings on the base, held and failed tasks, and a story that can be shipped; oldest first', async () => {
  world = await World.create({
    config: `phases: ${BY_PERSON}\nlimits: { maxTaskRounds: 1, maxErrorAttempts: 1 }\ncontract: { promptForAdvisory: true }\n`,
  })
  world.agent('default', `${CHANGE}; verdict pass`)
  world.agent('s-2', 'verdict fail "cannot be done"')
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n  - { id: 3, name: Investigate slow API }\n')
  const { id: alone } = await world.add('Alone')
  const { id: landing } = await world.add('Landing')
  await world.engine.settled(undefined)
  await world.accept(landing)
  await world.engine.settled(undefined)
  const found = await needs()
  const of = (id: string) => found.find((need) => need.id === id)
  expect(of('s-1')).toMatchObject({ kind: 'review', actions: ['accept', 'reject', 'cancel'], reasonNeeded: false })
  expect(of('s-2')).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('exceeded max rounds'),
    actions: ['retry'],
  })
  expect(of('s-3')).toMatchObject({
    kind: 'held',
    reason: expect.stringContaining('advisory'),
    actions: ['retry', 'cancel'],
  })
  expect(of(alone)).toMatchObject({ kind: 'review', story: null, actions: ['approve', 'reject', 'cancel'] })
  expect(of(landing)).toMatchObject({
    kind: 'landing',
    reason: expect.stringContaining('approval to land'),
    actions: ['approve', 'reject', 'cancel'],
  })
  expect(found.map(({ since }) => since)).toEqual(found.map(({ since }) => since).toSorted())
  expect(await needsView(world.store, 2)).toMatchObject({ items: found.slice(0, 2), more: true })

  await world.accept('s-1')
  world.agent('s-2', `${CHANGE}; verdict pass`)
  for (const task of ['s-2', 's-3']) await world.commands.retry({ task, by: 'tester' })
  await world.settled()
  for (const task of ['s-2', 's-3']) await world.accept(task)
  await world.settled()
  expect((await needs()).find(({ kind }) => kind === 'ship')).toMatchObject({
    id: 's',
    title: 'A story',
    version: null,
    actions: ['ship'],
  })
})
