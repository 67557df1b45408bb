/** What judges are told and what becomes of what they say, through the real engine with scripted agents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { statistics } from '../../src/engine/views/stats.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One, description: Write the word., acceptance_criteria: ["word.txt says word"] }\n'

test('S4.1, S4.11, S4.14, S4.17, S4.25, S4.26, E-34 a validator is told its definition, the task, the criteria, the commands and the change; what it said is kept whole', async () => {
  const phases =
    '{ implement: { run: agent implementer, on_pass: validate }, validate: { run: agent validator, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'
  const config = `phases: ${phases}\nchecks: { unit-test: ./run-the-tests.sh, build: make it }`
  world = await World.create({ roles: ['implementer', 'validator'], config })
  mkdirSync(join(world.repository, '.muster/agents'), { recursive: true })
  writeFileSync(join(world.repository, 'run-the-tests.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const front = '---\nname: validator\ndescription: Looks twice.\n---\n'
  writeFileSync(join(world.repository, '.muster/agents/validator.md'), `${front}Look at everything twice.\n`)
  world.agent('implementer', 'echo word >word.txt; verdict pass "it says word now"')
  world.agent('validator', 'echo looked at word.txt; verdict warn "no changelog"')
  await world.run(ONE)
  const prompt = world.prompt('s-1.r2')
  for (const told of [
    'Look at everything twice.',
    'Write the word.',
    '- c1: word.txt says word',
    '- unit-test: `./run-the-tests.sh`',
    '- build: `make it`',
    '"word.txt"',
    '+word',
    'it says word now',
  ]) {
    expect(prompt).toContain(told)
  }
  expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  const [, judge] = await world.runs('s-1')
  expect(judge?.end).toMatchObject({ verdict: 'WARN', detail: 'no changelog' })
  expect(readFileSync(join(world.project.dataDir, 'runs', 's-1.r2', 'log'), 'utf8')).toBe('looked at word.txt\n')
})

test('D-11, L31 what Muster found red is never overruled by an agent: a checker that always passes is not even asked', async () => {
  world = await World.create({
    roles: ['implementer', 'checker'],
    config: 'phases: checked\nlimits: { maxTaskRounds: 2 }\nchecks: { words: "grep -q right word.txt" }',
  })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >word.txt; verdict pass')
  await world.run('  - { id: 1, name: One, checks: [words] }\n')
  expect(await world.task('s-1')).toMatchObject({ status: 'failed', checker: { status: 'none' } })
  expect(world.started().some((run) => run.includes('.check.'))).toBe(false)
})

test('L32, D-1, D-8 what a checker passed is not completed before it landed: what depends on it waits', async () => {
  world = await World.create({
    roles: ['implementer', 'checker'],
    config: `phases: ${ACCEPTED}\nprotected: [muster/story/s]`,
  })
  world.agent('implementer', 'echo 1 >"$MUSTER_TASK_ID"; verdict pass')
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', phase: 'land', checker: { status: 'passed' } })
  expect(await world.task('s-2')).toMatchObject({ stage: 'blocked', waitingFor: 's-1 must complete first' })
  expect((await world.store.standing('s'))?.standing.state).toBe('OPEN')
})

test('F-5, S1.20 how often people see it otherwise than the checker: a PASS that was sent back, a FAIL that was accepted', async () => {
  world = await World.create({
    roles: ['implementer', 'checker'],
    config: `phases: ${ACCEPTED}\nprotected: [muster/story/s]`,
  })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >"$MUSTER_TASK_ID"; verdict pass')
  world.agent('s-2.checker', 'verdict fail "not the right number"')
  await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two }\n')
  await world.reject('s-1', 'two, please')
  await world.commands.decide({ kind: 'approve', task: 's-2', message: 'it is the right one', by: 'tester' })
  await world.settled()
  await world.commands.decide({ kind: 'approve', task: 's-1', message: '', by: 'tester' })
  await world.settled()
  expect(world.prompt('s-1.r2')).toContain('two, please')
  expect(await statistics(world.store)).toMatchObject({
    judges: [{ role: 'checker', PASS: 2, WARN: 0, FAIL: 1, ERROR: 0 }],
    verdicts: [
      { role: 'checker', program: 'command', PASS: 2, WARN: 0, FAIL: 1, ERROR: 0 },
      { role: 'implementer', program: 'command', PASS: 3, WARN: 0, FAIL: 0, ERROR: 0 },
      { role: 'verification', program: null, PASS: 2, WARN: 0, FAIL: 0, ERROR: 0 },
    ],
    overruled: { pass: { verdicts: 2, overruled: 1, rate: 0.5 }, fail: { verdicts: 1, overruled: 1, rate: 1 } },
    rounds: {
      tasks: 2,
      mean: 0.5,
      max: 1,
      none: 1,
      by: [
        { rounds: 0, tasks: 1 },
        { rounds: 1, tasks: 1 },
      ],
    },
  })
})

test('S0.17, D-13 the checks of a task, or none: that is no error', async () => {
  world = await World.create({ roles: ['implementer', 'checker'], config: `phases: ${ACCEPTED}` })
  world.agent('implementer', 'echo 1 >one; verdict pass')
  await world.run('  - { id: 1, name: One }\n')
  expect((await world.store.checkRuns('s-1')).map(({ id, name }) => [id, name])).toEqual([
    ['s-1.check.1.r1', 'checker'],
  ])
  expect(await world.store.checkRuns('s-9')).toEqual([])
})

test('D-6, L30 rounds, validation attempts and errors are counted apart, and the first that is used up stops the task', async () => {
  const phases =
    '{ implement: { run: agent implementer, on_pass: validate }, validate: { run: agent validator, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'
  world = await World.create({
    roles: ['implementer', 'validator'],
    config: `phases: ${phases}\nlimits: { maxErrorAttempts: 2 }`,
  })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >one; verdict pass')
  world.agent('validator.1', 'verdict fail "one: too small"')
  world.agent('validator.2', 'exit 1')
  await world.run(ONE)
  expect((await world.store.task('s-1'))?.state).toMatchObject({
    round: 1,
    errors: 2,
    retries: { validate: 1 },
    attempt: 2,
  })
  expect((await world.task('s-1')).waitingFor).toMatch(/^validator could not run \(tried 2 times\)/)
})
