/** The S2 scenarios about workers, their verdicts, dependencies and slots. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { NO_VERDICT } from '../../src/domain/verdict/verdict.ts'
import { World } from '../support/world.ts'
import { BY_PERSON } from '../support/maps.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One, description: Do one thing. }\n'
const many = (n: number) => Array.from({ length: n }, (_, i) => `  - { id: ${i + 1}, name: Task ${i + 1} }\n`).join('')

describe('workers', () => {
  test('S2.12 a worker is spawned with the composed prompt and its handle is recorded', async () => {
    world = await World.create()
    world.agent('s-1', 'cat >stdin.txt; cmp stdin.txt "$MUSTER_PROMPT_FILE" && verdict pass')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(world.prompt('s-1.r1')).toContain('Do one thing.')
    expect(await world.runs('s-1')).toMatchObject([
      {
        id: 's-1.r1',
        kind: 'agent',
        name: 'implementer',
        attempt: 1,
        end: { outcome: 'ADVANCE', verdict: 'PASS', exit: 'exit 0' },
      },
      { id: 's-1.r2', kind: 'action', name: 'merge', end: { outcome: 'WAIT' } },
      { id: 's-1.r3', kind: 'check', name: 'contract', end: { outcome: 'ADVANCE' } },
      { id: 's-1.r4', kind: 'action', name: 'merge', end: { outcome: 'ADVANCE' } },
    ])
  })

  test('S2.16, S2.17, S2.18, E-28 a worker without a verdict is FAIL, told to the probe and to a person once', async () => {
    world = await World.create()
    world.agent('s-1.implementer.1', 'echo "out of paper" >&2; exit 3')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
    expect(task.findings[0]?.message.split('\n')[0]).toBe(NO_VERDICT)
    expect(task.findings[0]?.message).toContain('out of paper')
    expect(world.events.filter((event) => event.type === 'worker_crash_detected')).toEqual([
      expect.objectContaining({ task: 's-1', role: 'implementer', branch: 'muster/task/s-1' }),
    ])
    await world.stop()
    expect((await world.notices()).filter(({ key }) => key.startsWith('crash:'))).toEqual([
      expect.objectContaining({ key: 'crash:s-1.r1' }),
    ])
  })

  test('L13 a verdict for another attempt is refused, and the file of an earlier attempt is never read again', async () => {
    world = await World.create()
    world.agent('s-1.implementer.1', `echo '{"verdict":"pass","attempt":7}' >"$MUSTER_VERDICT_FILE"`)
    world.agent('s-1.implementer.2', `echo '{"verdict":"pass","task":"s-2"}' >"$MUSTER_VERDICT_FILE"`)
    world.agent(
      's-1.implementer.3',
      `work; printf -- '---\\nverdict: pass\\nattempt: 3\\n---\\nall good\\n' >"$MUSTER_VERDICT_FILE"`,
    )
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 2, attempt: 3 })
    expect(task.findings.map((finding) => finding.message)).toEqual([
      expect.stringContaining('attempt 7'),
      expect.stringContaining('task s-2'),
    ])
  })

  test('a judge without the nonce is ERROR: no round, three tries, then the task is held and a person is told', async () => {
    world = await World.create({
      roles: ['implementer', 'verifier'],
      config: `
phases:
  implement: { run: agent implementer, on_pass: verify, on_fail: implement }
  verify: { run: agent verifier, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }
`,
    })
    world.agent('verifier', `echo '{"verdict":"pass"}' >"$MUSTER_VERDICT_FILE"`)
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'in-progress', stage: 'review', phase: 'verify', round: 0, attempt: 1 })
    expect(task.waitingFor).toContain('tried 3 times')
    await world.stop()
    expect((await world.notices()).map(({ key }) => key)).toEqual([expect.stringMatching(/^held:s-1:/)])
    await world.start()
    world.agent('verifier', 'verdict pass')
    await world.commands.retry({ task: 's-1', by: 'tester' })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0, attempt: 1 })
  })

  test('F-13 prompt, log and verdict of every attempt are kept', async () => {
    world = await World.create()
    world.agent(
      's-1',
      'echo "this is attempt $MUSTER_ATTEMPT"; [ "$MUSTER_ATTEMPT" = 2 ] && verdict pass || verdict fail again',
    )
    await world.run(ONE)
    const { readLog } = await import('../../src/process/log-read.ts')
    const log = async (run: string) => (await readLog(`${world.project.dataDir}/runs/${run}`)).toString()
    expect(await log('s-1.r1')).toContain('this is attempt 1')
    expect(await log('s-1.r2')).toContain('this is attempt 2')
    expect(world.prompt('s-1.r2')).toContain('again')
  })

  test('a cancelled task stops its worker, and the late result changes nothing (L15)', async () => {
    world = await World.create()
    world.gate('never')
    world.agent('s-1', 'gate never; work; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until((event) => event.type === 'run-started')
    await world.commands.cancel({ task: 's-1', reason: 'changed my mind', by: 'tester' })
    await world.until((event) => event.type === 'late-result-ignored')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'cancelled', phase: 'implement', round: 0 })
    expect(await world.runs('s-1')).toMatchObject([{ end: { outcome: 'ERROR' } }])
  })
})

describe('dependencies', () => {
  test('S2.22, S2.23, S2.24, D-8 a dependent starts only when its dependency is completed, and sees its work', async () => {
    world = await World.create({ config: `phases: ${BY_PERSON}` })
    world.agent('s-1', 'echo 1 >one; verdict pass')
    world.agent('s-2', 'cp one two && verdict pass')
    await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
    expect(await world.task('s-1')).toMatchObject({ stage: 'review', status: 'in-progress' })
    expect(await world.task('s-2')).toMatchObject({
      stage: 'blocked',
      status: 'not-started',
      attempt: 0,
      waitingFor: 's-1 must complete first',
    })
    await world.accept('s-1')
    await world.settled()
    expect(await world.task('s-2')).toMatchObject({ stage: 'review', attempt: 1 })
    await world.accept('s-2')
    await world.settled()
    expect(world.git('show', 'muster/story/s:two')).toBe('1')
  })

  test('S2.22, D-8 a dependent whose map begins with a signal is not asked for before its dependency is completed', async () => {
    world = await World.create({
      config:
        'phases: { ask: { run: signal human-approval, on_pass: implement, on_fail: implement }, implement: { run: agent implementer, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }',
    })
    await world.run('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
    expect(await world.task('s-1')).toMatchObject({ stage: 'review', phase: 'ask' })
    expect(await world.task('s-2')).toMatchObject({ stage: 'blocked', status: 'not-started', phase: null })
    await world.reject('s-1', 'not without a plan')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    expect(await world.task('s-2')).toMatchObject({ stage: 'review', phase: 'ask' })
    expect(world.started()).toEqual(['s-1.r1'])
  })

  test('S2.25, E-29 a failed dependency is reported as a deadlock with everything behind it', async () => {
    world = await World.create({ config: 'limits: { maxTaskRounds: 1 }' })
    world.agent('s-1', 'verdict fail "no way"')
    await world.run(
      '  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n  - { id: 3, name: Three, depends_on: [2] }\n  - { id: 4, name: Four }\n',
    )
    expect(await world.task('s-1')).toMatchObject({ status: 'failed' })
    expect(await world.task('s-4')).toMatchObject({ status: 'completed' })
    expect(await world.task('s-3')).toMatchObject({ status: 'not-started', stage: 'blocked' })
    expect((await world.task('s-3')).waitingFor).toBe(
      's-3 cannot start: it depends on s-2, which waits for s-1, and s-1 failed',
    )
    expect(world.events.find((event) => event.type === 'deadlock_detected')).toMatchObject({
      task: 's-1',
      blocked: ['s-2', 's-3'],
    })
    await world.stop()
    expect((await world.notices()).some(({ key }) => key.startsWith('deadlock:s-1'))).toBe(true)
  })
})

describe('slots', () => {
  test('S2.26, S2.27, E-26 at most maxWorkers at once, and the lowest ids first, 2 before 10', async () => {
    world = await World.create({ config: 'limits: { maxWorkers: 2 }' })
    const gates = Array.from({ length: 12 }, (_, i) => world.gate(`g${i + 1}`))
    world.agent(
      'default',
      'echo + >>"$WORLD/marks"; echo up; gate "g${MUSTER_TASK_ID#s-}"; work; verdict pass; echo - >>"$WORLD/marks"',
    )
    await world.start()
    await world.submit(many(12))
    const isUp = (n: number) => world.until((event) => event.type === 'output' && event['run'] === `s-${n}.r1`)
    for (let n = 1; n <= 12; n++) {
      // Both places are taken before one is given up.
      await isUp(n)
      await isUp(Math.min(n + 1, 12))
      await gates[n - 1]?.open()
    }
    await world.settled()
    let running = 0
    const most = readFileSync(`${world.top}/marks`, 'utf8')
      .trim()
      .split('\n')
      .map((mark) => (running += mark === '+' ? 1 : -1))
    expect(Math.max(...most)).toBe(2)
    const order = world.events
      .filter((event) => event.type === 'run-started' && event['kind'] === 'agent')
      .map(({ task }) => task)
    expect(order).toEqual(Array.from({ length: 12 }, (_, i) => `s-${i + 1}`))
  })
})
