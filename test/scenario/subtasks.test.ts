/** Subtasks on their parent's branch: in whatever order they end, the parent starts from all of them and brings all of them. */
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const FAMILY = `  - { id: 1, name: Whole }
  - { id: 2, name: A, parent: 1 }
  - { id: 3, name: B, parent: 1 }
`
/** Keeps both sides of a conflict in \`line\`, then adds its own. */
const RESOLVE = `if grep -q "<<<<<<<" line 2>/dev/null; then grep -vE "^(<<<<<<<|=======|>>>>>>>)" line | sort >l; mv l line; `

describe.each(['A then B', 'B then A', 'both at once'])('%s', (order) => {
  test('the second gets the conflict and resolves it; the parent starts from both and lands both', async () => {
    world = await World.create({ config: 'landing: { keepBranches: true }' })
    const gates = { 's-2': world.gate('s-2'), 's-3': world.gate('s-3') }
    world.agent(
      'default',
      `${RESOLVE} else echo "$MUSTER_TASK_ID" >line; echo up; gate "$MUSTER_TASK_ID"; fi; verdict pass`,
    )
    world.agent('s-1', 'cat line >whole && verdict pass')
    await world.start()
    await world.submit(FAMILY)
    for (const run of ['s-2.r1', 's-3.r1']) {
      await world.until((event) => event.type === 'output' && event['run'] === run)
    }
    const [first, second] = order === 'B then A' ? (['s-3', 's-2'] as const) : (['s-2', 's-3'] as const)
    await gates[first].open()
    if (order !== 'both at once') await world.until((event) => event.type === 'task-completed' && event.task === first)
    await gates[second].open()
    await world.settled()
    const rounds = [(await world.task(first)).round, (await world.task(second)).round]
    if (order === 'both at once') rounds.sort((a, b) => a - b)
    expect(rounds).toEqual([0, 1])
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, attempt: 1 })
    expect(world.git('show', 'muster/story/s:whole')).toBe('s-2\ns-3')
    // On the story there is the parent alone, with what its subtasks brought folded in.
    expect(world.git('log', '--first-parent', '--format=%s', 'muster/story/s').split('\n')).toEqual(['Whole', 'Start'])
    expect(world.git('rev-list', '--merges', '--count', 'muster/story/s')).toBe('0')
    const brought = world.git('log', '--first-parent', '--format=%s', 'muster/task/s-1').split('\n')
    expect(brought.toSorted()).toEqual(['A', 'B', 'Start', 'Whole'])
    const started = world.events.filter(({ type }) => type === 'task-started').map(({ task }) => task)
    expect(started.at(-1)).toBe('s-1')
  })
})

test('S2.25, D-8 a failed or cancelled subtask keeps its parent from starting, and nothing of it is on the branch', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 1 }' })
  world.agent('s-2', 'echo bad >bad; verdict fail "cannot"')
  world.agent('s-3', 'echo good >good; verdict pass')
  world.agent('s-5', 'echo bad >bad; echo up; gate never; verdict pass')
  world.gate('never')
  await world.start()
  await world.submit(`${FAMILY}  - { id: 4, name: Other }\n  - { id: 5, name: C, parent: 4 }\n`)
  await world.until((event) => event.type === 'output' && event.task === 's-5')
  await world.commands.cancel({ task: 's-5', reason: 'not wanted', by: 'tester' })
  await world.settled()
  expect((await world.task('s-1')).waitingFor).toBe('s-1 cannot start: it depends on s-2, and s-2 failed')
  expect((await world.task('s-4')).waitingFor).toBe('s-4 cannot start: it depends on s-5, and s-5 was cancelled')
  const files = (branch: string) => world.git('ls-tree', '--name-only', branch).split('\n')
  expect(files('muster/task/s-1')).toEqual(['README.md', 'good'])
  expect(files('muster/task/s-4')).toEqual(['README.md'])
  expect(files('muster/story/s')).toEqual(['README.md'])
  // Another try of both frees their parents.
  for (const task of ['s-2', 's-5']) world.agent(task, 'rm -f bad; echo better >better; verdict pass')
  for (const task of ['s-2', 's-5']) await world.commands.retry({ task, by: 'tester' })
  await world.settled()
  for (const id of ['s-1', 's-4']) expect(await world.task(id)).toMatchObject({ status: 'completed' })
  expect(files('muster/story/s')).toEqual(['README.md', 'better', 'good', 's-1.txt', 's-4.txt'])
})

test('S1.13 what the story got meanwhile meets the subtasks in the parent’s first attempt: markers left there are FAIL', async () => {
  world = await World.create()
  world.agent('s-2', 'printf "part\\r\\n" >line; verdict pass')
  world.agent('s-3', 'printf "story\\r\\n" >line; verdict pass')
  world.agent('s-1.implementer.1', 'verdict pass')
  world.agent('s-1.implementer.2', 'echo both >line; verdict pass')
  await world.run(
    '  - { id: 1, name: Whole, depends_on: [3] }\n  - { id: 2, name: A, parent: 1 }\n  - { id: 3, name: Aside }\n',
  )
  const whole = await world.task('s-1')
  expect(world.prompt('s-1.r1')).toContain('## Conflicts to resolve')
  expect(whole).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
  expect(whole.findings).toContainEqual(
    expect.objectContaining({ file: 'line', message: 'still has conflict markers: resolve both sides' }),
  )
  expect(world.git('show', 'muster/story/s:line')).toBe('both')
})

test('a story that is rewritten while subtasks run gets nothing back that was taken out of it', async () => {
  world = await World.create()
  world.git('branch', 'start')
  world.git('switch', '-qc', 'elsewhere')
  world.git('branch', '-qf', 'main', world.commitOn('main', 'extra', ''))
  world.agent('s-2', 'echo part >part; verdict pass')
  world.agent('s-1', '[ -f instead ] && [ ! -e extra ] && cat part >whole && verdict pass')
  await world.run(FAMILY.replace('name: B', `name: B, phases: ${BY_PERSON}`))
  world.git('branch', '-qf', 'muster/story/s', world.commitOn('start', 'instead', ''))
  await world.accept('s-3')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  const files = world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')
  expect(files).toEqual(['README.md', 'instead', 'part', 's-3.txt', 'whole'])
  expect(world.git('log', '--format=%s', 'muster/story/s')).not.toContain('Change extra')
})
