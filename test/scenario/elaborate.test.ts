/** From a goal to a draft of a story: S0.21 to S0.26, through the real engine with a scripted elaborator. */
import { afterEach, expect, test } from 'vitest'
import { buildPlan } from '../../src/config/plan.ts'
import { parseYaml } from '../../src/config/yaml.ts'
import { draftOf } from '../../src/engine/steps/elaborate.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const say = (draft: unknown) =>
  `cat <<'END'\nHere is the plan.\n\`\`\`json\n${JSON.stringify(draft)}\n\`\`\`\nEND\nverdict pass`
const draft = (criterion: string) => ({
  name: 'Health checks',
  tasks: [
    { id: 'a', name: 'Add the endpoint', instructions: 'In src/app.js.', acceptance_criteria: [criterion] },
    {
      id: 'b',
      name: 'Document it',
      instructions: 'In docs/api.md.',
      acceptance_criteria: ['docs/api.md has a section on /health'],
      depends_on: ['a'],
    },
  ],
})
const GOOD = 'GET /health answers 200 with {"ok":true}'

async function elaborate(goal = 'Let people see whether the service is up'): Promise<string> {
  await world.start()
  const { id } = await world.commands.elaborate({ goal, config: world.project.config })
  await world.engine.settled(null)
  return id
}

test('S0.21, S0.23, S0.24 a goal becomes tasks with criteria, numbered in their order, and waits for a person', async () => {
  world = await World.create({ roles: ['implementer', 'elaborator'] })
  world.agent('elaborator', say(draft(GOOD)))
  const id = await elaborate()
  const view = await draftOf(world.store, id)
  expect(view).toMatchObject({ status: 'waiting', warnings: [], draft: { name: 'Health checks' } })
  expect(view.draft?.tasks.map(({ name, depends_on }) => [name, depends_on])).toEqual([
    ['Add the endpoint', []],
    ['Document it', ['1']],
  ])
  expect(view.draft?.tasks[0]?.acceptance_criteria).toContain(GOOD)
  expect(world.prompt(`${id}.r1`)).toMatch(
    /Not acceptable: "the code looks good"[^]*Let people see whether the service is up/,
  )
  expect(await world.task(id)).toMatchObject({ stage: 'review', phase: 'draft' })
})

test('S0.25 vague criteria go back once with how to word them, then are shown as warnings', async () => {
  world = await World.create({ roles: ['implementer', 'elaborator'] })
  world.agent('elaborator', say(draft('the code looks good')))
  const id = await elaborate()
  expect((await world.runs(id)).length).toBe(2)
  expect(world.prompt(`${id}.r2`)).toMatch(/## PREVIOUS VALIDATION FAILED[^]*the code looks good/)
  const view = await draftOf(world.store, id)
  expect(view.status).toBe('waiting')
  expect(view.warnings.join('\n')).toContain('the code looks good')
})

test('what is no draft goes back with what is wrong, and fails in the end instead of passing', async () => {
  world = await World.create({ roles: ['implementer', 'elaborator'] })
  world.agent('elaborator', say({ name: 'x', tasks: [{ name: '', instruction: 1 }] }))
  const id = await elaborate()
  expect(await draftOf(world.store, id)).toMatchObject({ status: 'failed', draft: null })
  expect((await world.task(id)).findings.map(({ message }) => message).join('\n')).toMatch(/tasks\.0/)
  expect((await world.runs(id)).length).toBe(3)
})

test.each([
  [
    'a circle',
    [
      { name: 'A', depends_on: ['2'] },
      { name: 'B', depends_on: ['1'] },
    ],
    /depend|circle|cycle/i,
  ],
  ['an unknown check', [{ name: 'A', checks: ['no-such-check'] }], /no-such-check/],
  ['what is not there', [{ name: 'A', depends_on: ['7'] }], /7/],
])(
  'S0.23 a draft that could never be a story, with %s, goes back to its writer and not to a person',
  async (_, tasks, words) => {
    world = await World.create({ roles: ['implementer', 'elaborator'] })
    const criteria = { acceptance_criteria: ['docs/api.md has a section on /health'] }
    world.agent('elaborator', say({ name: 'x', tasks: tasks.map((task) => ({ ...task, ...criteria })) }))
    const id = await elaborate()
    expect(await draftOf(world.store, id)).toMatchObject({ status: 'failed', draft: null })
    expect((await world.task(id)).findings.map(({ message }) => message).join('\n')).toMatch(words)
  },
)

test('hostile answers cost neither time nor the engine, and what an elaborator edits goes nowhere', async () => {
  world = await World.create({ roles: ['implementer', 'elaborator'] })
  const braces = `node -e 'process.stdout.write("{".repeat(200000) + "\`\`\`\\n".repeat(50000) + "}".repeat(200000))'`
  world.agent('elaborator.1', `${braces}; verdict pass`)
  world.agent(
    'elaborator.2',
    `node -e 'console.log(JSON.stringify({name:"x",tasks:Array.from({length:10001},(_,n)=>({name:"T"+n}))}))'; verdict pass`,
  )
  world.agent('elaborator.3', `echo 1 >evil; ${say(draft(`${GOOD}\u001b[2J`))}`)
  const id = await elaborate()
  const view = await draftOf(world.store, id)
  expect([view.status, (await world.runs(id)).map(({ end }) => end?.verdict)]).toEqual([
    'waiting',
    ['FAIL', 'FAIL', 'PASS'],
  ])
  await world.accept(id)
  await world.engine.settled(null)
  expect((await draftOf(world.store, id)).status).toBe('approved')
  expect(world.git('ls-tree', '--name-only', 'main')).toBe('README.md')
})

test('an ordinary task is no draft, also before its first run', async () => {
  world = await World.create()
  await world.start()
  const { id } = await world.add('One')
  await expect(draftOf(world.store, id)).rejects.toMatchObject({ code: 'not_found' })
})

test('S0.26 a draft of the same name does not change the story that has it', async () => {
  world = await World.create()
  await world.run('  - { id: 1, name: One }\n')
  const plan = (title: string) => ({
    ...buildPlan(
      parseYaml(`meta: { id: s, name: A }\ntasks:\n  - { id: 1, name: ${title} }\n`, 'p'),
      world.project.config,
      'p',
    ),
  })
  const submit = (title: string) =>
    world.commands.submit({ plan: plan(title), config: world.project.config, fresh: true })
  await expect(submit('Other')).rejects.toMatchObject({ code: 'conflict' })
  expect(await submit('One')).toMatchObject({ created: false, added: [] })
})
