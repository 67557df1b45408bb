/** Checks that are asked for again: by a person, by a map that leads back to acceptance, and for a commit that was checked; and none. */
import { afterEach, expect, test } from 'vitest'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One, description: Write a file. }\n'

async function create(phases = ACCEPTED): Promise<void> {
  world = await World.create({ roles: ['implementer', 'checker'], config: `phases: ${phases}` })
  world.agent('implementer', 'echo work $MUSTER_ATTEMPT >work; verdict pass')
}

/** Until the first checker of the task is at work, which stays there. */
async function checking(tasks: string): Promise<void> {
  world.gate('check')
  world.agent('s-1.checker.1', '[ "$MUSTER_RUN_ID" = s-1.check.1.r1 ] && gate check; work; verdict pass')
  await world.start()
  await world.submit(tasks)
  await world.until(({ type, run }) => type === 'run-started' && run === 's-1.check.1.r1')
}

const checkStatus = async (id: string) => (await world.store.task(id))?.state.status

test('S0.13, S0.37, E-8 a person’s commit, even the same one, is an attempt with a checker of its own', async () => {
  await create()
  await checking(ONE)
  const { commit } = await world.task('s-1')
  world.git('fetch', '-q', `${world.project.dataDir}/mirror.git`, commit ?? '')
  await world.commands.take({ task: 's-1', revision: commit, by: 'ann' })
  expect(await checkStatus('s-1.check.1')).toBe('cancelled')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2, checker: { status: 'passed' } })
})

test('S0.54, L3 a map that leads back to acceptance asks a checker again that was called off', async () => {
  await create(ACCEPTED.replace('on_pass: done, on_fail: implement', 'on_pass: done, on_fail: accept'))
  const author = world.gate('author')
  world.agent('s-2.implementer', 'gate author; echo other >work; verdict pass')
  await checking(`${ONE}  - { id: 2, name: Two }\n`)
  await author.open()
  await world.until(({ type, task }) => type === 'task-completed' && task === 's-2')
  await world.accept('s-1')
  await world.until(({ type, run }) => type === 'run-started' && run === 's-1.check.1.r2')
  expect(await world.task('s-1')).toMatchObject({ stage: 'checking', checker: { taskId: 's-1.check.1' } })
  await world.until(({ type, task }) => type === 'checked' && task === 's-1')
  await world.commands.cancel({ task: 's-1', reason: 'seen enough', by: 'tester' })
  await world.settled()
})

test('S0.16, S0.42 a checker that could not tell twice is told twice, asked by its own name or its task’s', async () => {
  await create()
  world.agent('checker', 'exit 3')
  await world.run(ONE)
  expect(await world.commands.retry({ task: 's-1.check.1', by: 'tester' })).toEqual({ id: 's-1' })
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', checkerReport: { kind: 'error' } })
  expect((await world.notices()).map(({ key }) => key)).toEqual([
    'checked-ERROR:s-1.check.1:1',
    'checked-ERROR:s-1.check.1:2',
  ])
  world.agent('checker', 'verdict fail "it is not"')
  await world.commands.retry({ task: 's-1', by: 'tester' })
  await world.settled()
  await expect(world.commands.retry({ task: 's-1.check.1', by: 'tester' })).rejects.toMatchObject({
    code: 'gate_closed',
    message: 's-1 cannot be retried: it is in-progress',
  })
})

test('D-9, S0.54, L30 who takes it over a failed verification has accepted it: it lands once, marked, unchecked', async () => {
  const phases = `{ implement: { run: agent implementer, on_pass: verify }, verify: { run: check contract, on_pass: accept, on_fail: implement, attempts: 1 }, accept: { run: signal acceptance, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }`
  await create(`${phases}\nchecks: { never: "false" }`)
  await world.run('  - { id: 1, name: One, description: Write a file., checks: [never] }\n')
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', phase: 'verify', checker: { status: 'none' } })
  await world.accept('s-1', 'the check is wrong')
  await world.settled()
  const task = await world.task('s-1')
  expect(task).toMatchObject({
    status: 'completed',
    checker: { status: 'none' },
    waiver: { criteria: ['c1'], reason: 'the check is wrong', by: 'tester', commit: task.commit },
  })
  expect(world.git('log', '--format=%s', '--first-parent', 'main..muster/story/s')).toBe('One')
  expect(world.started()).toEqual(['s-1.r1'])
})
