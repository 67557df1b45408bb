/** A retry takes muster.yaml as it is now: what is wrong there can be mended without starting over. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { ProjectConfig } from '../../src/domain/config.ts'
import { explain } from '../../src/engine/views/explain.ts'
import { olderConfig, olderLine } from '../../src/engine/views/outdated.ts'
import { openProject } from '../../src/project.ts'
import { Api } from '../support/http.ts'
import { BY_PERSON } from '../support/maps.ts'
import { ONCE } from '../support/verified.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: Fix the crash }\n'

/** muster.yaml with other words, as Muster reads it then. */
async function edited(from: string, to: string): Promise<ProjectConfig> {
  const path = join(world.repository, 'muster.yaml')
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(from)
  writeFileSync(path, text.replace(from, to))
  return (await openProject(world.repository, world.env)).config
}

const retry = (config: ProjectConfig, task = 's-1') => world.commands.retry({ task, by: 'ann', config })
const retried = async (id = 's-1') => (await world.history(id)).findLast(({ type }) => type === 'task-retried')

test('a check that is mended judges the work that was held, and the history names who changed what', async () => {
  world = await World.create({ config: `phases: ${ONCE}\nchecks: { lint: "exit 3" }` })
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', attempt: 1 })
  const before = await world.store.task('s-1')
  const [sealed] = await world.store.contracts('s-1')

  const { terms } = await retry(await edited('exit 3', 'true'))
  expect(terms).toMatchObject({
    changes: ['checks.lint.run: exit 3 → true'],
    criteria: { added: [], changed: [expect.stringMatching(/^c\d+ No lint errors: exit 3 → true$/)], dropped: [] },
  })
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  // The work itself was fine: nobody did it again.
  expect(world.started()).toEqual(['s-1.r1'])
  const after = await world.store.task('s-1')
  const inForce = (await world.store.contracts('s-1')).at(-1)
  expect(await retried()).toMatchObject({
    actor: 'ann',
    data: {
      config: { from: before?.spec.configHash, to: after?.spec.configHash },
      contract: { from: sealed?.hash, to: inForce?.hash },
    },
  })
  expect(inForce?.criteria.map(({ id }) => id)).toEqual(sealed?.criteria.map(({ id }) => id))
  expect((await world.history('s-1')).findLast(({ type }) => type === 'contract-sealed')).toMatchObject({
    actor: 'ann',
  })
  expect((await explain(world.store, after!)).history.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('ann retried it under the changed muster.yaml (checks.lint.run: exit 3 → true)'),
  )
  expect((await world.store.verifyHistory()).bad).toBeNull()
})

test('an unchanged muster.yaml changes nothing: the contract stays as it was sealed', async () => {
  world = await World.create({ config: `phases: ${ONCE}\nchecks: { lint: "exit 3" }` })
  await world.run(ONE)
  expect(await retry(await edited('exit 3', 'exit 3'))).toEqual({ id: 's-1' })
  expect((await retried())?.data).toEqual({ by: 'ann', from: 'in-progress', held: expect.any(String) })
  expect(await world.store.contracts('s-1')).toHaveLength(1)
})

test('criteria that the configuration adds, changes and no longer asks for are named', async () => {
  world = await World.create({
    config: `phases: ${ONCE}\nchecks: { lint: "exit 3", smoke: "true", typecheck: "true" }`,
  })
  await world.run('  - { id: 1, name: Fix the crash, checks: [smoke] }\n')
  const config = await edited('lint: "exit 3", smoke: "true", typecheck: "true"', 'lint: false, e2e: "true"')
  const { terms } = await retry(config)
  expect(terms?.changes).toEqual([
    'checks.lint: removed',
    'checks.smoke: removed',
    'checks.typecheck: removed',
    'checks.e2e: added true',
    'checks switched off: added ["lint"]',
  ])
  expect(terms?.criteria).toMatchObject({
    dropped: [expect.stringContaining('The check "smoke" passes')],
    changed: [
      expect.stringMatching(/No type errors: true → skipped$/),
      expect.stringMatching(/No lint errors: exit 3 → skipped$/),
    ],
  })
  expect((await world.task('s-1')).checks).toEqual([])
})

test('what a person wrote into the contract survives a changed muster.yaml', async () => {
  world = await World.create({ config: `phases: ${ONCE}\nchecks: { lint: "exit 3" }` })
  await world.start()
  await world.commands.pause({ paused: true })
  await world.submit(ONE)
  const written = {
    type: 'verifiable' as const,
    criteria: [{ activity: 'acceptance', description: 'The note is there', command: 'test -f s-1.txt' }],
  }
  await world.commands.contract({ task: 's-1', by: 'ann', config: world.project.config, type: null, written })
  await world.commands.pause({ paused: false })
  await world.settled()
  const { terms } = await retry(await edited('exit 3', 'true'))
  expect(terms?.criteria).toMatchObject({ added: [], dropped: [] })
  const inForce = (await world.store.contracts('s-1')).at(-1)
  expect(inForce).toMatchObject({ generatedFrom: 'user', type: 'verifiable' })
  expect(inForce?.criteria).toContainEqual(expect.objectContaining({ description: 'The note is there' }))
  await world.settled()
  expect((await world.task('s-1')).status).toBe('completed')
})

test('approvals and waivers lapse with the contract that they were given for', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}\nchecks: { lint: "true" }` })
  await world.start()
  const { id } = await world.add('Fix the crash')
  await world.engine.settled()
  await world.commands.pause({ paused: true })
  await world.commands.decide({ kind: 'approve', task: id, message: '', by: 'ann' })
  expect((await world.store.task(id))?.state.approval).not.toBeNull()
  await retry(await edited('lint: "true"', 'lint: "exit 0"'), id)
  expect((await world.store.task(id))?.state).toMatchObject({
    approval: null,
    decision: null,
    waiver: null,
    answers: null,
    verified: null,
  })
  await world.commands.pause({ paused: false })
  await world.engine.settled()
  expect(await world.task(id)).toMatchObject({ stage: 'review', attempt: 2 })
})

test('a task that has not started takes the new one as well; one that somebody works on does not', async () => {
  world = await World.create({ config: 'checks: { lint: "exit 3" }' })
  const hold = world.gate('hold')
  world.agent('s-1', 'gate hold; work; verdict pass')
  await world.start()
  await world.submit(`${ONE}  - { id: 2, name: Mend the door, depends_on: [1] }\n`)
  await world.until(({ type }) => type === 'run-started')
  const config = await edited('exit 3', 'true')
  await expect(retry(config)).rejects.toMatchObject({
    code: 'gate_closed',
    message: expect.stringContaining('implementer is working on it'),
  })
  expect((await retry(config, 's-2')).terms?.changes).toEqual(['checks.lint.run: exit 3 → true'])
  await hold.open()
  await world.settled()
})

test('a failed task begins again under the new limits, agents and setup', async () => {
  world = await World.create({ config: 'limits: { maxTaskRounds: 1 }\nsetup: "exit 5"' })
  // Three tries could not even set up.
  world.agent('s-1.implementer.4', 'verdict fail "no"')
  await world.run(ONE)
  expect((await world.task('s-1')).waitingFor ?? (await world.task('s-1')).failureReason).toContain('setup failed')
  const { terms } = await retry(await edited('setup: "exit 5"', 'setup: "true"'))
  expect(terms?.changes).toEqual(['setup.run: exit 5 → true'])
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'failed' })
  await retry(await edited('maxTaskRounds: 1', 'maxTaskRounds: 4'))
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
})

test('open tasks under an older muster.yaml are counted, named and told apart from what is done', async () => {
  world = await World.create({ config: `phases: ${ONCE}\nchecks: { lint: "exit 3" }` })
  await world.run(`${ONE}  - { id: 2, name: Mend the door, depends_on: [1] }\n`)
  expect(await olderConfig(world.store, world.project.config)).toBeNull()
  const config = await edited('exit 3', 'true')
  const older = await olderConfig(world.store, config)
  expect(older).toEqual({ count: 2, tasks: ['s-1', 's-2'], changes: ['checks.lint.run: exit 3 → true'] })
  expect(older && olderLine(older)).toBe(
    '2 tasks work under an older muster.yaml (checks.lint.run: exit 3 → true): muster retry <task> uses the new one (s-1, s-2)',
  )
  await retry(config)
  expect(await olderConfig(world.store, config)).toMatchObject({ count: 1, tasks: ['s-2'] })
  await retry(config, 's-2')
  await world.settled()
  expect(await olderConfig(world.store, config)).toBeNull()
})

test('over HTTP a task says what changed, and a retry is offered', async () => {
  world = await World.create({ config: `phases: ${BY_PERSON}\nchecks: { lint: "exit 3" }` })
  const api = await Api.of(world)
  try {
    await world.submit(ONE)
    await world.settled()
    const before = (await api.get('/api/tasks/s-1')).json
    expect(before).toMatchObject({ outdated: [] })
    await edited('exit 3', 'true')
    const changed = { outdated: ['checks.lint.run: exit 3 → true'], actions: expect.arrayContaining(['retry']) }
    expect((await api.get('/api/tasks/s-1')).json).toMatchObject(changed)
    expect((await api.get('/api/status')).json).toMatchObject({ older: { count: 1, tasks: ['s-1'] } })
    expect((await api.post('/api/tasks/s-1/retry', {})).json).toMatchObject({ outdated: [], attempt: 2 })
  } finally {
    await api.close()
  }
})
