/** `limits.budgetUsd`: what is left is a run's limit, and what is used up waits for a person (S0.32, E-31, F-3). */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { buildPlan } from '../../src/config/plan.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import { TurnedClock } from '../support/clock.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const costs = (usd: number, verdict: string) =>
  `tell '{"usage":{"inputTokens":1,"cachedTokens":0,"outputTokens":1,"usd":${usd}}}'; work; verdict ${verdict}`
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
    waitingFor: reason,
  })
  expect((await world.notices()).map(({ text }) => text)).toEqual([`s-2 needs you: ${reason}`])

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

const planned = async (meta: string, tasks: string) => {
  const text = `meta: { id: s, ${meta} }\ntasks:\n${tasks}`
  const plan = buildPlan(parseYaml(text, 'plan.yaml'), world.project.config, 'plan')
  await world.commands.submit({ plan, config: world.project.config })
  await world.settled()
}

test('S4.22 a plan’s budget_limit_usd bounds its story in place of the project’s; raised in the plan, it goes on', async () => {
  world = await World.create({ programs: { implementer: 'claude' }, config: 'limits: { budgetUsd: 100 }' })
  world.agent('implementer', costs(1, 'pass'))
  await world.start()
  const tasks = '  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n'
  await planned('budget_limit_usd: 1', tasks)
  expect(budgets()).toEqual([['s-1.r1', 1]])
  expect((await world.task('s-2')).waitingFor).toBe(
    'the budget of story s is used up, $1.00 of $1.00: raise meta.budget_limit_usd in the plan, muster run the plan, then muster retry s-2',
  )
  await planned('budget_limit_usd: 3', tasks)
  await world.commands.retry({ task: 's-2', by: 'tester' })
  await world.settled()
  expect(await world.task('s-2')).toMatchObject({ status: 'completed' })
  expect(budgets().slice(1)).toEqual([['s-2.r1', 2]])
})

test('S4.22 a task’s own budget_limit_usd bounds it and its checker alone; others go on', async () => {
  world = await World.create({ programs: { implementer: 'claude', checker: 'claude' }, config: 'phases: checked' })
  world.agent('default', `echo x >"$MUSTER_TASK_ID.txt"; ${costs(0.4, 'pass')}`)
  world.agent('checker', costs(0.4, 'pass'))
  for (const [n, word] of ['one', 'two', 'three'].entries()) {
    world.agent(`s-1.implementer.${n + 1}`, costs(0.4, `fail "not ${word} yet"`))
  }
  await world.start()
  await planned(
    'name: x',
    '  - { id: 1, name: One, budget_limit_usd: 1 }\n  - { id: 2, name: Two }\n  - { id: 3, name: Three, budget_limit_usd: 0.3 }\n',
  )
  expect(await world.task('s-1')).toMatchObject({ attempt: 3, cost: { usd: expect.closeTo(1.2) as number } })
  expect((await world.task('s-1')).waitingFor).toContain('the budget of s-1 is used up, $1.20 of $1.00')
  expect(await world.task('s-2')).toMatchObject({ status: 'completed' })
  expect((await world.task('s-3')).checkerReport?.text).toContain('the budget of s-3 is used up, $0.4000 of $0.3000')
  expect(world.started().filter((run) => run.startsWith('s-3'))).toEqual(['s-3.r1'])
})

test('S4.22 max_attempts is how often a task is tried, max_attempts_default of those that say nothing; retry gives as many more', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 9 }' })
  world.agent('default', 'verdict fail "not yet"')
  await world.start()
  await planned('max_attempts_default: 3', '  - { id: 1, name: One, max_attempts: 2 }\n  - { id: 2, name: Two }\n')
  const failed = async (id: string) => {
    const { status, attempt, failureReason } = await world.task(id)
    return [status, attempt, failureReason]
  }
  expect(await failed('s-1')).toEqual(['failed', 2, 'exceeded max rounds (2): not yet'])
  expect(await failed('s-2')).toEqual(['failed', 3, 'exceeded max rounds (3): not yet'])
  await world.commands.retry({ task: 's-1', by: 'tester' })
  await world.settled()
  expect(await failed('s-1')).toEqual(['failed', 4, 'exceeded max rounds (2): not yet'])
})
