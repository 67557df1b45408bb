/** Validation as plans and presets ask for it, through the real engine: where it stands, and how often it sends back. */
import { afterEach, expect, test } from 'vitest'
import { buildPlan } from '../../src/config/plan.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ROLES = ['implementer', 'validator', 'painter']
const TASKS = 'tasks:\n  - { id: 1, name: Write a }\n  - { id: 2, name: Paint b, agent: painter }\n'

async function run(meta: string): Promise<void> {
  world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >a.txt; verdict pass')
  world.agent('s-2', 'echo b >b.txt; verdict pass')
  await world.start()
  const plan = buildPlan(parseYaml(`meta: { id: s${meta} }\n${TASKS}`, 'plan.yaml'), world.project.config, 's')
  await world.commands.submit({ plan, config: world.project.config })
  await world.settled()
}

test('S4.6, S4.10, S4.18, S4.20, S4.22 a plan’s validator sends back once; a task of another role is not validated', async () => {
  world = await World.create({ roles: ROLES })
  world.agent('s-1.validator.1', 'verdict fail "a.txt says too little"')
  world.agent('s-1.validator', 'verdict pass')
  await run(', validation: { enabled: true }')
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
  expect((await world.runs('s-1')).map(({ name }) => name)).toEqual([
    'implementer',
    'validator',
    'implementer',
    'validator',
    'merge',
  ])
  expect(world.prompt('s-1.r3')).toContain('## PREVIOUS VALIDATION FAILED')
  expect((await world.runs('s-2')).map(({ name }) => name)).toEqual(['painter', 'merge'])
})

test('S4.22, E-16 when the attempts are used up, the task is held for a person and does not land', async () => {
  world = await World.create({ roles: ROLES })
  world.agent('s-1.validator', 'verdict fail "still too little"')
  await run(', validation: { enabled: true }')
  expect(await world.task('s-1')).toMatchObject({
    status: 'in-progress',
    phase: 'validate',
    stage: 'review',
    attempt: 2,
  })
  expect((await world.store.task('s-1'))?.state.held).toContain('phase "validate" used all its 2 attempts')
  expect(world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')).toEqual(['README.md', 'b.txt'])
})
