/** Validation as plans and presets ask for it, through the real engine: where it stands, and how often it sends back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
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
    'contract',
    'merge',
  ])
  expect(world.prompt('s-1.r3')).toContain('## PREVIOUS VALIDATION FAILED')
  expect((await world.runs('s-2')).map(({ name }) => name)).toEqual(['painter', 'merge', 'contract', 'merge'])
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
  expect((await world.store.task('s-1'))?.state.held).toMatchObject({
    code: 'attempts',
    params: { phase: 'validate', max: 2 },
  })
  expect(world.git('ls-tree', '--name-only', 'muster/story/s').split('\n')).toEqual(['README.md', 'b.txt'])
})

/** A map whose validators are named; the landing verifies. */
const judged = (validators: string, more = '') =>
  `phases: { implement: { run: agent implementer, on_pass: validate }, validate: { run: agent validator, on_pass: land, on_fail: implement, args: { validators: [${validators}] }${more} }, land: { run: action merge, on_pass: done, on_fail: implement } }`
const JUDGES = ['implementer', 'validator', 'code-reviewer']
const ONE = '  - { id: 1, name: Write a }\n'

test('S4.3, S4.15, S4.21, S4.24 several validators: each is heard in turn, and PASS of all completes', async () => {
  world = await World.create({ roles: JUDGES, config: judged('validator, code-reviewer') })
  world.agent('implementer', 'echo a >a.txt; verdict pass')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, warnings: [] })
  expect((await world.runs('s-1')).map(({ name }) => name)).toEqual([
    'implementer',
    'validator',
    'code-reviewer',
    'merge',
    'contract',
    'merge',
  ])
})

test('S4.5, S4.18, S4.19, S4.23, L27, L34, D-19 FAIL of one sends it back with what both found, after a restart too', async () => {
  world = await World.create({ roles: JUDGES, config: judged('validator, code-reviewer', ', attempts: 3') })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >a.txt; verdict pass')
  world.agent('implementer.2', 'gate second; echo 2 >a.txt; verdict pass')
  world.gate('second')
  world.agent('validator.1', 'verdict fail "the number is missing"')
  world.agent('code-reviewer.1', 'verdict warn "the name could be better"')
  await world.start()
  await world.submit(ONE)
  await world.until(({ type, run }) => type === 'run-started' && run === 's-1.r4')
  await world.stop()
  await world.start()
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1, attempt: 3 })
  const prompt = world.prompt('s-1.r5')
  expect(prompt.startsWith('## PREVIOUS VALIDATION FAILED')).toBe(true)
  expect(prompt).toContain('[validator] the number is missing')
})

test('S4.4, D-10, L37 WARN completes, and the warning stays to be seen', async () => {
  world = await World.create({ roles: JUDGES, config: judged('validator') })
  world.agent('implementer', 'echo a >a.txt; verdict pass')
  world.agent(
    'validator',
    `printf '{"verdict":"warn","nonce":"%s","findings":[{"severity":"WARN","message":"no changelog","file":"a.txt"}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
  )
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, warnings: ['no changelog'] })
})

test('L33, D-5 a validator that cannot tell costs no round, is asked again, and holds the task in the end', async () => {
  world = await World.create({ roles: JUDGES, config: judged('validator') })
  world.agent('implementer', 'echo a >a.txt; verdict pass')
  world.agent('validator', 'exit 1')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review', round: 0, attempt: 1 })
  expect((await world.runs('s-1')).map(({ name }) => name)).toEqual([
    'implementer',
    'validator',
    'validator',
    'validator',
  ])
})

describe('S4.21, D-7 validators of several tasks', () => {
  const TASKS = [1, 2, 3].map((id) => `  - { id: ${id}, name: Task ${id} }\n`).join('')
  const gates = new Map<string, { open(): Promise<void> }>()
  /** The tasks whose validator has come to its gate, in that order. */
  const up = () => world.events.flatMap(({ type, line, task }) => (type === 'output' && line === 'up' ? [task] : []))

  /** Three tasks whose validators wait at gates, when all are to be validated and `count` validators are at work. */
  async function start(limits: string, count: number): Promise<void> {
    world = await World.create({ roles: JUDGES, config: `${judged('validator')}\nlimits: { maxWorkers: 4${limits} }` })
    for (const task of ['s-1', 's-2', 's-3']) gates.set(task, world.gate(task))
    world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID"; verdict pass')
    world.agent('validator', 'echo up; gate "$MUSTER_TASK_ID"; verdict pass')
    await world.start()
    await world.submit(TASKS)
    for (const task of gates.keys()) await world.until(({ type, run }) => type === 'run-ended' && run === `${task}.r1`)
    await world.until(() => up().length >= count)
    // Its place is given after those of every validator that may work.
    await world.add('Last of all')
    world.engine.include(null)
    await world.until(({ type, run }) => type === 'run-started' && run === 'task-1.r1')
  }

  test.each([
    ['one at a time', '', 1],
    ['as many at a time as the project allows', ', maxValidators: 2', 2],
  ])('work %s, while others work on', async (_, limits, count) => {
    await start(limits, count)
    const started = () =>
      world.events.filter(({ type, run }) => type === 'run-started' && /^s-\d\.r2$/.test(String(run)))
    for (const ended of [0, 1, 2]) {
      const atWork = Math.min(count, 3 - ended)
      await world.until(() => up().length >= ended + atWork)
      expect(started().length).toBe(ended + atWork)
      const task = up()[ended] ?? ''
      await gates.get(task)?.open()
      await world.until(({ type, run }) => type === 'run-ended' && run === `${task}.r2`)
    }
    await world.settled()
    for (const task of gates.keys()) expect(await world.task(task)).toMatchObject({ status: 'completed' })
  })
})

test('S4.16 a defect task is judged by the issue-verifier, with the report as the target has it and no WARN', async () => {
  world = await World.create({ roles: ['implementer', 'issue-verifier'] })
  world.git('checkout', '-q', '-b', 'side')
  writeFileSync(join(world.repository, 'defect.md'), 'The door does not close.\n')
  world.git('add', 'defect.md')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Report')
  world.git('branch', '-f', 'main', 'side')
  world.git('checkout', '-q', 'main')
  world.agent('implementer', 'echo closed >door; echo "nothing is wrong" >defect.md; verdict pass')
  world.agent('issue-verifier.1', 'verdict warn "it closes, mostly"')
  world.agent('issue-verifier', 'verdict warn "it closes, mostly"')
  await world.run('  - { id: 1, name: Close the door, defect: defect.md }\n')
  expect(world.prompt('s-1.r2')).toContain('The door does not close.')
  expect(world.prompt('s-1.r2')).toMatch(/defect\.md/)
  expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review', round: 0 })
})

test('L18, L23 the same finding three rounds in a row holds the task for a person instead of a fourth try', async () => {
  world = await World.create({ roles: JUDGES, config: judged('validator', ', attempts: 10') })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >a.txt; verdict pass')
  world.agent('validator', 'verdict fail "a.txt has no heading (attempt $MUSTER_ATTEMPT)"')
  await world.run(ONE)
  const task = await world.task('s-1')
  expect(task).toMatchObject({ stage: 'review', round: 3, attempt: 3 })
  expect(task.waitingFor).toContain('validator failed in the same way 3 rounds in a row')
})

test('F-6, E-15 the command behind a finding is run again on the same tree, and marked with what Muster saw', async () => {
  world = await World.create({
    roles: JUDGES,
    config: `${judged('validator', ', attempts: 1')}\nchecks: { says-b: grep -q b a.txt, says-a: grep -q a a.txt }`,
  })
  world.agent('implementer', 'echo a >a.txt; verdict pass')
  const finding = (command: string) => `{"severity":"FAIL","message":"it does not work","command":"${command}"}`
  const findings = ['grep -q b a.txt', 'grep -q a a.txt', 'rm -rf .'].map(finding).join(',')
  world.agent(
    'validator',
    `printf '{"verdict":"fail","nonce":"%s","findings":[${findings}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
  )
  await world.run(ONE)
  expect((await world.task('s-1')).findings.map(({ command, replay }) => [command, replay])).toEqual([
    ['grep -q b a.txt', 'same'],
    ['grep -q a a.txt', 'different'],
    ['rm -rf .', 'not-run'],
  ])
})

test('L30 a validator that always passes does not land what has used up its attempts', async () => {
  const config = `phases: { implement: { run: agent implementer, on_pass: verify }, verify: { run: check never, on_pass: validate, on_fail: implement, attempts: 2 }, validate: { run: agent validator, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }\nchecks: { never: "false" }`
  world = await World.create({ roles: JUDGES, config })
  world.agent('implementer', 'echo "$MUSTER_ATTEMPT" >a.txt; verdict pass')
  await world.run(ONE)
  expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review', phase: 'verify' })
  expect((await world.runs('s-1')).some(({ name }) => name === 'validator')).toBe(false)
  expect(world.git('ls-tree', '--name-only', 'muster/story/s')).toBe('README.md')
})
