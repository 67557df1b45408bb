/** What agents use: kept with every run, added up by task, story and day (F-3, L37). */
import { afterEach, expect, test } from 'vitest'
import { dayOf } from '../../src/domain/cost.ts'
import { storyView } from '../../src/engine/views/views.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const usage = (usd: number | null, inputTokens: number, outputTokens: number) =>
  JSON.stringify({ usage: { inputTokens, cachedTokens: 0, outputTokens, ...(usd === null ? {} : { usd }) } })

const PHASES =
  'phases: { implement: { run: agent implementer, on_pass: check, on_fail: implement }, check: { run: agent checker, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'

test('F-3, L37 failed runs and judges are counted, by run, task and story, and by day, role and program', async () => {
  world = await World.create({ programs: { implementer: 'claude', checker: 'codex' }, config: PHASES })
  world.agent('implementer.1', `tell '${usage(1.5, 100, 10)}'; verdict fail "not yet"`)
  world.agent('implementer', `work; tell '${usage(0.25, 50, 5)}'; verdict pass`)
  world.agent('checker', `tell '${usage(0.125, 7, 1)}'; verdict pass`)
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  const { status, cost } = await world.task('s-1')
  expect(status).toBe('completed')
  expect(cost).toEqual({ usd: 1.875, inputTokens: 157, outputTokens: 16, partial: false })
  const runs = (await world.runs('s-1'))
    .filter(({ kind }) => kind === 'agent')
    .map(({ name, end }) => [name, end?.facts.program, end?.facts.usage?.usd])
  expect(runs).toEqual([
    ['implementer', 'claude', 1.5],
    ['implementer', 'claude', 0.25],
    ['checker', 'codex', 0.125],
  ])
  const story = await world.store.story('s')
  expect(story && (await storyView(world.store, story)).cost).toEqual({
    usd: 3.75,
    inputTokens: 314,
    outputTokens: 32,
    partial: false,
  })
  const day = dayOf((await world.runs('s-1')).at(-1)?.end?.at ?? 0)
  expect(await world.store.spent({ story: 's', since: day * 86_400_000 })).toMatchObject([
    { day, story: 's', role: 'checker', program: 'codex', runs: 2, priced: 2, usd: 0.25 },
    { day, story: 's', role: 'implementer', program: 'claude', runs: 4, priced: 4, usd: 3.5 },
  ])
  expect(await world.store.spent({ story: null })).toEqual([])
  expect(await world.store.spent({ since: (day + 1) * 86_400_000 })).toEqual([])
})

test('L37 what did not tell what it cost is unknown, not nothing: the sum is said to be partial', async () => {
  world = await World.create({ programs: { implementer: 'claude' } })
  world.agent('implementer.1', `tell '${usage(null, 100, 10)}'; verdict fail "not yet"`)
  world.agent('implementer.2', `verdict fail "not yet"`)
  world.agent('implementer', `work; tell '${usage(0.5, 1, 1)}'; verdict pass`)
  await world.run('  - { id: 1, name: One }\n')
  expect((await world.task('s-1')).cost).toEqual({ usd: 0.5, inputTokens: 101, outputTokens: 11, partial: true })
  expect(await world.store.spent({})).toMatchObject([{ runs: 3, priced: 1, usd: 0.5 }])
})
