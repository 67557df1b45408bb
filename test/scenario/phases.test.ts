/** The S2 scenarios about phases, outcomes and rounds, through the real engine, SQLite, git and processes. */
import { afterEach, describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const VERIFIED = `
phases:
  implement: { run: agent implementer, on_pass: verify, on_fail: implement }
  verify: { run: agent verifier, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }
`
const ONE = '  - { id: 1, name: One, description: Do one thing. }\n'

describe('a task walks through its phase map', () => {
  test('S2.1-S2.4, S2.11, S2.32 an agent works, its contract is verified, the merge lands it, and done completes it', async () => {
    world = await World.create()
    world.agent('s-1', 'echo made >one.txt; verdict pass')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', phase: null, stage: 'completed', round: 0, attempt: 1 })
    const types = (await world.history('s-1')).map((event) => event.type)
    expect(types).toEqual([
      'task-created',
      'contract-sealed',
      'task-started',
      'run-started',
      'run-ended',
      'phase-entered',
      'run-started',
      'run-ended',
      'run-started',
      'run-ended',
      'phase-entered',
      'run-started',
      'run-ended',
      'task-completed',
    ])
    expect(world.git('show', 'muster/story/s:one.txt')).toBe('made')
    expect(world.workspacesLeft()).toEqual([])
  })

  test('S2.3, S2.13 the task stays in its phase while the worker runs, and nothing happens to it', async () => {
    world = await World.create()
    const gate = world.gate('work')
    world.agent('s-1', 'gate work; work; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until((event) => event.type === 'run-started')
    const before = await world.task('s-1')
    world.engine.touch(['s-1'])
    world.engine.touch(['s-1'])
    await world.store.countByStatus()
    expect(before).toMatchObject({ status: 'in-progress', phase: 'implement', stage: 'running' })
    expect((await world.task('s-1')).updatedAt).toBe(before.updatedAt)
    await gate.open()
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 1 })
    expect(world.started()).toEqual(['s-1.r1'])
  })

  test('S2.7, S2.10 PASS advances and leaves the round alone', async () => {
    world = await World.create({ config: VERIFIED, roles: ['implementer', 'verifier'] })
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, attempt: 1 })
  })

  test('S2.8, S2.15 FAIL goes to on_fail, counts a round, and its detail is a finding in the next prompt', async () => {
    world = await World.create({ config: VERIFIED, roles: ['implementer', 'verifier'] })
    world.agent('s-1.implementer.1', 'echo bad >f; verdict pass')
    world.agent('s-1.implementer.2', 'cat f; echo good >f; verdict pass')
    world.agent('verifier', 'if grep -q bad f; then verdict fail "missing error handling"; else verdict pass; fi')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
    expect(task.findings).toEqual([
      expect.objectContaining({ round: 0, source: 'verifier', message: 'missing error handling' }),
    ])
    const prompt = world.prompt('s-1.r3')
    expect(prompt.startsWith('## PREVIOUS VALIDATION FAILED')).toBe(true)
    expect(prompt).toContain('missing error handling')
    expect(world.git('show', 'muster/story/s:f')).toBe('good')
  })

  test('S2.10 rounds follow the outcome: an on_pass that points backwards counts none, an on_fail that points forward one', async () => {
    world = await World.create({
      roles: ['implementer', 'planner'],
      config: `
phases:
  build: { run: agent implementer, on_pass: check, on_fail: plan }
  check: { run: signal human-approval, on_pass: verify, on_fail: plan }
  verify: { run: check contract, on_pass: done, on_fail: plan }
  plan: { run: agent planner, on_pass: build, on_fail: plan }
`,
    })
    world.agent('planner', 'echo "Another way."; verdict pass')
    await world.run(ONE)
    await world.reject('s-1', 'start over')
    await world.settled()
    expect((await world.runs('s-1')).map(({ name }) => name)).toEqual(['implementer', 'planner', 'implementer'])
    expect(await world.task('s-1')).toMatchObject({ phase: 'check', round: 1 })
    await world.accept('s-1')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
  })

  test('S2.28, E-25, L20, D-18 at the last round that task alone fails, its final finding kept', async () => {
    world = await World.create({ config: 'limits: { maxTaskRounds: 3 }' })
    world.agent('s-1', 'verdict fail "attempt $MUSTER_ATTEMPT is not good"')
    await world.run(`${ONE}  - { id: 2, name: Two }\n`)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'failed', stage: 'failed', round: 3, attempt: 3 })
    expect(task.failureReason).toContain('exceeded max rounds')
    expect(task.findings.map((finding) => finding.message)).toEqual([1, 2, 3].map((n) => `attempt ${n} is not good`))
    expect(await world.task('s-2')).toMatchObject({ status: 'completed' })
  })

  test('D-18 a person can give a failed task another chance; its rounds count on from there', async () => {
    world = await World.create({ config: 'limits: { maxTaskRounds: 2 }' })
    world.agent('s-1', 'if [ "$MUSTER_ATTEMPT" -lt 4 ]; then verdict fail no; else work; verdict pass; fi')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ status: 'failed', round: 2 })
    await world.commands.retry({ task: 's-1', by: 'tester' })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 3, attempt: 4 })
  })
})

describe('a phase that bounds its own attempts', () => {
  test('holds the task for a person, who needs a reason to accept it over that', async () => {
    world = await World.create({
      config: `
phases:
  implement: { run: agent implementer, on_pass: land, on_fail: implement, attempts: 2 }
  land: { run: action merge, on_pass: done, on_fail: implement }
`,
    })
    world.agent('s-1', 'echo $MUSTER_ATTEMPT >f; verdict fail "not yet"')
    await world.run(ONE)
    const held = await world.task('s-1')
    expect(held).toMatchObject({ status: 'in-progress', stage: 'review', phase: 'implement', round: 2, attempt: 2 })
    expect(held.waitingFor).toContain('used all its 2 attempts')
    await expect(world.accept('s-1')).rejects.toThrow('give a reason')
    await world.accept('s-1', 'it is only a demo')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(world.git('show', 'muster/story/s:f')).toBe('2')
    const decision = (await world.history('s-1')).find((event) => event.type === 'decision')
    expect(decision).toMatchObject({ actor: 'tester', data: { kind: 'accept', message: 'it is only a demo' } })
    expect(decision?.data['over']).toContain('attempts')
  })
})
