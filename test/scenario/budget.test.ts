/** `limits.budgetUsd`: what is left is a run's limit, and what is used up waits for a person (S0.32, E-31, F-3). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { TurnedClock } from '../support/clock.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const costs = (usd: number, verdict: string) =>
  `tell '{"usage":{"inputTokens":1,"cachedTokens":0,"outputTokens":1,"usd":${usd}}}'; verdict ${verdict}`
const budgets = () => world.requests.map(({ runId, agent }) => [runId, 'maxBudgetUsd' in agent && agent.maxBudgetUsd])

test('S0.32, E-31 a story: what is left bounds each run; used up, the task is held; raised and retried, it goes on', async () => {
  world = await World.create({ programs: { implementer: 'claude' }, config: 'limits: { budgetUsd: 1 }' })
  world.agent('implementer.1', costs(0.75, 'fail "not yet"'))
  world.agent('implementer', costs(0.5, 'pass'))
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', cost: { usd: 1.25 } })
  expect(budgets()).toEqual([
    ['s-1.r1', 1],
    ['s-1.r2', 0.25],
  ])
  const reason = 'the budget of story s is used up, $1.25 of $1.00: raise limits.budgetUsd, then muster retry s-2'
  expect(await world.task('s-2')).toMatchObject({
    status: 'not-started',
    attempt: 0,
    waitingFor: `a person: ${reason}`,
  })
  expect((await world.notices()).map(({ text }) => text)).toEqual([`s-2 waits for a person: ${reason}`])

  await world.stop()
  const file = join(world.repository, 'muster.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('budgetUsd: 1 ', 'budgetUsd: 5 '))
  await world.start()
  await world.commands.retry({ task: 's-2', by: 'tester' })
  await world.settled()
  expect(await world.task('s-2')).toMatchObject({ status: 'completed' })
  expect(budgets().slice(2)).toEqual([
    ['s-2.r1', 3.75],
    ['s-2.r2', 3],
  ])
})

test('tasks without a story share what there is for a day', async () => {
  const clock = new TurnedClock()
  const config = 'limits: { budgetUsd: 1, maxWorkers: 1 }'
  world = await World.create({ programs: { implementer: 'claude' }, config })
  world.agent('implementer', costs(1, 'pass'))
  await world.start((parts) => ({ ...parts, clock }))
  const [{ id: first }, { id: second }] = [await world.add('Write a'), await world.add('Write b')]
  await world.engine.settled()
  expect(world.started()).toEqual([`${first}.r1`])
  expect((await world.task(second)).waitingFor).toContain('the budget today for tasks without a story is used up')
  clock.turn(24 * 60 * 60 * 1000)
  await world.commands.retry({ task: second, by: 'tester' })
  await world.engine.settled()
  expect(world.started()).toEqual([`${first}.r1`, `${second}.r1`])
})
