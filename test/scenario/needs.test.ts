/** What waits for a person, as the board asks for it: each kind once, with why and what can be done. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { taskCards } from '../../src/engine/views/cards.ts'
import { needsView } from '../../src/engine/views/needs.ts'
import { possibleActions } from '../../src/engine/views/task-need.ts'
import type { Store } from '../../src/ports/store.ts'
import { ACCEPTED, BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

/** Asked for at every change that a board shows: no task's whole history is read for it. */
const needs = async () => {
  const events: Store['events'] = (chain) => {
    expect(chain).not.toMatch(/^task:/)
    return world.store.events(chain)
  }
  return (await needsView({ ...world.store, events }, 100, Date.now())).items
}
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
  const can = async (id: string) => {
    const task = await world.store.task(id)
    return task === null ? null : possibleActions(world.store, task)
  }
  expect(await can('s-1')).toEqual(['reject', 'accept', 'cancel'])
  expect(await can('s-2')).toEqual(['retry', 'reject', 'accept', 'cancel'])
  expect(await can('s-3')).toEqual([])
  expect(await can('s-4')).toEqual(['cancel'])
  const cards = await taskCards(world.store, ['s-1', 's-3', 's-4', 's-1.check.1', 'nobody'], [])
  expect(cards).toMatchObject([
    { id: 's-1', stage: 'review', checker: 'failed', needsPerson: true, by: 'implementer', since: null, blockers: [] },
    { id: 's-3', stage: 'completed', checker: 'passed', overruled: null },
    { id: 's-4', stage: 'blocked', blockers: [{ id: 's-1', title: 'One', status: 'in-progress' }] },
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
  // Nobody is asked before it lands.
  const [work, , land] = world.project.config.phases
  const { id: landing } = await world.add('Landing', { phases: [{ ...work!, onPass: 'land' }, land!] })
  await world.engine.settled(undefined)
  const found = await needs()
  const of = (id: string) => found.find((need) => need.id === id)
  expect(of('s-1')).toMatchObject({ kind: 'review', actions: ['accept', 'reject', 'cancel'], reasonNeeded: false })
  expect(of('s-2')).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('exceeded max rounds'),
    actions: ['retry', 'cancel'],
  })
  expect(of('s-3')).toMatchObject({
    kind: 'advisory',
    reason: expect.stringContaining('This looks like a question, not a change, and it belongs to a story.'),
    actions: ['as-verifiable', 'as-advisory', 'cancel'],
  })
  expect(of(alone)).toMatchObject({
    kind: 'review',
    story: null,
    lands: 'main',
    actions: ['accept', 'reject', 'cancel'],
  })
  expect(of(landing)).toMatchObject({
    kind: 'landing',
    reason: expect.stringContaining('approve the landing'),
    actions: ['approve', 'reject', 'cancel'],
  })
  expect(found.map(({ since }) => since)).toEqual(found.map(({ since }) => since).toSorted())
  expect(await needsView(world.store, 2, Date.now())).toMatchObject({ items: found.slice(0, 2), more: true })

  await world.accept('s-1')
  world.agent('s-2', `${CHANGE}; verdict pass`)
  await world.commands.retry({ task: 's-2', by: 'tester' })
  const { config } = world.project
  await world.commands.contract({ task: 's-3', by: 'tester', config, type: 'verifiable', written: null })
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

test('S1.16, E-31 a budget that is used up, protected paths and advisory tasks are told apart from other holds', async () => {
  world = await World.create({
    programs: { implementer: 'claude' },
    config: 'phases: reviewed\nprotectedPaths: ["guarded/**"]\nlimits: { budgetUsd: 1, maxWorkers: 1 }\n',
  })
  const costs = `tell '{"usage":{"inputTokens":1,"cachedTokens":0,"outputTokens":1,"usd":1}}'`
  world.agent('implementer', `mkdir -p guarded; echo 1 >guarded/x; ${costs}; verdict pass`)
  world.agent('task-1', `echo it is the index; ${costs}; verdict pass`)
  await world.start()
  const { id: advisory } = await world.add('Investigate the slow checkout')
  await world.engine.settled(undefined)
  await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
  await world.settled()
  expect(await needs()).toMatchObject([
    {
      id: advisory,
      kind: 'advisory',
      reason: expect.stringContaining('Muster cannot verify it'),
      actions: ['accept', 'reject', 'cancel'],
    },
    { id: 's-1', kind: 'protected', actions: ['retry', 'reject', 'accept', 'cancel'], reasonNeeded: true },
    {
      id: 's-2',
      kind: 'budget',
      reason: expect.stringContaining('raise limits.budgetUsd'),
      actions: ['retry', 'cancel'],
    },
  ])
})

test('what can never start is told with what it waits for, until that is retried or it is cancelled', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 1 }' })
  const failing = world.gate('failing')
  world.agent('s-1', 'gate failing; verdict fail "cannot be done"')
  await world.start()
  await world.submit(
    '  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n  - { id: 3, name: Three, depends_on: [2] }\n',
  )
  const { id: alone } = await world.add('Alone')
  const { id: behind } = await world.add('Behind', { dependsOn: [alone, 's-1'] })
  await world.commands.cancel({ task: alone, reason: '', by: 'tester' })
  await failing.open()
  await world.settled()
  expect(await needs()).toMatchObject([
    {
      id: alone,
      kind: 'deadlock',
      reason: 'it was cancelled, so “Behind” can never start: retry it, or cancel what waits for it',
      actions: ['retry'],
    },
    {
      id: 's-1',
      kind: 'deadlock',
      reason: expect.stringMatching(/^exceeded max rounds.*, so “Two”, “Behind” can never start/s),
      story: { id: 's' },
    },
  ])
  expect(await taskCards(world.store, [behind], [])).toMatchObject([
    { stage: 'blocked', blockers: [{ status: 'cancelled' }, { id: 's-1', status: 'failed' }] },
  ])
  for (const task of ['s-2', behind]) await world.commands.cancel({ task, reason: '', by: 'tester' })
  // Only the last of the chain waits now, for one that was cancelled.
  expect(await needs()).toMatchObject([
    { id: 's-1', kind: 'failed' },
    { id: 's-2', kind: 'deadlock', reason: expect.stringContaining('“Three”') },
  ])
  world.agent('s-1', `${CHANGE}; verdict pass`)
  for (const task of ['s-1', 's-2']) await world.commands.retry({ task, by: 'tester' })
  await world.settled()
  expect((await needs()).map(({ kind }) => kind)).toEqual(['ship'])
})

test('L33, S0.44 a program at its limit and a pause stop work: both are told, and a pause can be ended there', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  const until = Date.now() + 3_600_000
  world.agent('s-1', `tell '{"verdict":"ERROR","detail":"limit reached","retryAt":${until}}'`)
  await world.start()
  await world.submit('  - { id: 1, name: One }\n')
  await world.until(({ type }) => type === 'program-limited')
  await world.commands.pause({ paused: true })
  expect(await needs()).toMatchObject([
    { kind: 'limit', id: 'claude', reason: expect.stringContaining(new Date(until).toISOString()), actions: [] },
    { kind: 'paused', id: '', version: null, actions: ['unpause'] },
  ])
  await world.commands.pause({ paused: false })
  expect((await needs()).map(({ kind }) => kind)).toEqual(['limit'])
  expect((await needsView(world.store, 100, until)).items).toEqual([])
})

test('S0.46, E-12 a story whose deferred criteria are not met waits for somebody, who has them run again', async () => {
  world = await World.create({ config: 'phases: direct\nchecks: { e2e: "true" }\n' })
  world.agent('default', `${CHANGE}; verdict pass`)
  const criterion = `{ description: The whole works, activity: e2e, command: "test -f ${world.top}/up", timing: deferred }`
  await world.run(`  - { id: 1, name: One, contract: { criteria: [${criterion}] } }\n`)
  const reason = expect.stringContaining('deferred criteria are not met') as string
  expect(await needs()).toMatchObject([{ id: 's', kind: 'deferred', reason, actions: ['resume'] }])
  writeFileSync(join(world.top, 'up'), '')
  await world.commands.ship({ story: 's', how: 'resume', message: '', by: 'tester' })
  await world.settled()
  expect(await needs()).toMatchObject([{ id: 's', kind: 'ship' }])
})
