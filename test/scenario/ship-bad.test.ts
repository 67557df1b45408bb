/** The Ship gate under bad input: what people, scripts and branches do to a story at the wrong moment. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { databaseFile } from '../../src/app.ts'
import { readLog } from '../../src/process/log-read.ts'
import { shipView } from '../../src/engine/views/shipping.ts'
import { storyView } from '../../src/engine/views/views.ts'
import { isAlive } from '../support/muster.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'
const TWO = `${ONE}  - { id: 2, name: Two }\n`

/** `config` may name files of the world as {top}. */
async function create(config = ''): Promise<void> {
  world = await World.create()
  world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"; verdict pass')
  configure(config)
}

function configure(config: string): void {
  const file = join(world.repository, 'muster.yaml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}${config.replaceAll('{top}', world.top)}\n`)
}

const story = async (id = 's') => storyView(world.store, (await world.store.story(id))!)
const ship = (how: 'ship' | 'resume' | 'deployed' = 'ship', message = '', id = 's') =>
  world.commands.ship({ story: id, how, message, by: 'tester' })
const shipped = async (how: 'ship' | 'resume' = 'ship') => {
  await ship(how)
  await world.settled()
  return story()
}
const retry = (task: string) => world.commands.retry({ task, by: 'tester' })
const cancel = (task: string) => world.commands.cancel({ task, reason: 'no', by: 'tester' })
const onMain = () => world.git('ls-tree', '-r', '--name-only', 'main').split('\n')
const lines = (name: string) =>
  existsSync(join(world.top, name)) ? readFileSync(join(world.top, name), 'utf8').trim().split('\n') : []
const deferred = (command: string) =>
  `contract: { criteria: [{ description: The whole works, activity: e2e, command: "${command}", timing: deferred }] }`

describe('counts', () => {
  test('a task that becomes a subtask in a changed plan, and the other way round, is counted as what it is', async () => {
    await create()
    world.gate('never')
    world.agent('s-1', 'gate never; work; verdict pass')
    await world.start()
    await world.submit(`${ONE}  - { id: 2, name: Two, depends_on: [1] }\n  - { id: 3, name: Three, depends_on: [1] }\n`)
    await world.submit(`${ONE}  - { id: 2, name: Two, depends_on: [1], parent: 3 }\n  - { id: 3, name: Three }\n`)
    expect((await world.store.standing('s'))?.standing.tasks).toMatchObject({ open: 2 })
    await world.submit(`${ONE}  - { id: 2, name: Two, depends_on: [1] }\n  - { id: 3, name: Three, depends_on: [1] }\n`)
    expect((await world.store.standing('s'))?.standing.tasks).toMatchObject({ open: 3 })
  })

  test('a cancelled task cannot come back while its story ships', async () => {
    await create('deploy: "while [ -d {top} ] && [ ! -f {top}/go ]; do sleep 0.05; done"')
    world.gate('never')
    world.agent('s-2', 'gate never; work; verdict pass')
    await world.start()
    await world.submit(TWO)
    await world.until(({ type, task }) => type === 'run-started' && task === 's-2')
    await cancel('s-2')
    await world.settled()
    await ship()
    await expect(retry('s-2')).rejects.toMatchObject({ code: 'gate_closed' })
    writeFileSync(join(world.top, 'go'), '')
    await world.settled()
    expect((await story()).state).toBe('REVIEW_READY')
    expect((await world.task('s-2')).status).toBe('cancelled')
  })
})

describe('deferred criteria', () => {
  test('E-12 of a subtask count too', async () => {
    await create(`checks: { e2e: "true" }`)
    await world.run(`  - { id: 1, name: One }\n  - { id: 2, name: Sub, parent: 1, ${deferred('test -f never')} }\n`)
    expect(await story()).toMatchObject({ state: 'OPEN', work: { kind: 'deferred' } })
  })

  test('each of two tasks that ask for different commands is heard', async () => {
    await create(`checks: { e2e: "true" }`)
    await world.run(
      `  - { id: 1, name: One, ${deferred('true')} }\n  - { id: 2, name: Two, ${deferred('test -f never')} }\n`,
    )
    expect(await story()).toMatchObject({ state: 'OPEN', work: { kind: 'deferred' } })
  })

  test('red ones say what to do; a task that mends them, or running them again, goes on', async () => {
    await create(`checks: { e2e: "true" }`)
    await world.run(`  - { id: 1, name: One, ${deferred(`test -f ${world.top}/up`)} }\n`)
    expect((await story()).message).toMatch(/deferred criteria are not met[^]*muster ship s --resume/)
    await expect(ship()).rejects.toMatchObject({ code: 'gate_closed' })
    writeFileSync(join(world.top, 'up'), '')
    expect((await shipped('resume')).state).toBe('SHIPPABLE')
  })

  test('on the story alone: a base that clashes is the business of Ship', async () => {
    await create(`checks: { e2e: "true" }`)
    world.agent('s-1', 'echo ours >file; verdict pass')
    const gate = world.gate('one')
    world.agent('s-1', 'gate one; echo ours >file; verdict pass')
    await world.start()
    await world.submit(`  - { id: 1, name: One, ${deferred('test -f file')} }\n`)
    await world.until(({ type }) => type === 'run-started')
    world.git('update-ref', 'refs/heads/main', world.commitOn('main', 'file', 'theirs\n'))
    world.git('reset', '-q', '--hard')
    await gate.open()
    await world.settled()
    expect(await story()).toMatchObject({ state: 'SHIPPABLE', message: null })
  })

  test('are asked again of what is added, whether they run just then or are met already', async () => {
    await create(`checks: { e2e: "true" }`)
    await world.run(`  - { id: 1, name: One, ${deferred('test ! -f s-extra-1.txt')} }\n`)
    expect(await story()).toMatchObject({ state: 'SHIPPABLE', work: { id: 's.deferred.1' } })
    await world.add('More', { story: 's' })
    await world.settled()
    expect(await story()).toMatchObject({ state: 'OPEN', work: { id: 's.deferred.2', stage: 'review' } })
  })

  test('what a person took over of them stays taken over when it is shipped', async () => {
    await create(`checks: { e2e: "true" }`)
    await world.run(`  - { id: 1, name: One, ${deferred('test -f never')} }\n`)
    await world.accept('s.deferred.1', 'the lab is down')
    await world.settled()
    expect((await story()).state).toBe('SHIPPABLE')
    const { workspaces } = world.engine.parts
    const seen = await shipView(world.store, workspaces, world.project.config, (await world.store.story('s'))!)
    expect(seen.deferred).toMatchObject({ open: false, criteria: [{ status: 'waived' }] })
    expect((await shipped()).state).toBe('REVIEW_READY')
  })
})

describe('Ship', () => {
  test('of nothing new is validated on the head of the base', async () => {
    await create('postDeploy: "true"')
    world.agent('implementer', 'verdict pass')
    await world.run(ONE)
    await world.accept('s-1', 'the base has it already')
    await world.settled()
    expect(await shipped()).toMatchObject({ state: 'REVIEW_READY', landed: world.git('rev-parse', 'main') })
  })

  test('twice the same failure is told twice, and retrying its task is the same as resuming', async () => {
    await create('deploy: "[ -f {top}/ok ]"')
    await world.run(ONE)
    await shipped()
    const again = await shipped('resume')
    expect(again.state).toBe('SHIPPABLE')
    writeFileSync(join(world.top, 'ok'), '')
    await expect(world.accept('s.ship.1', 'fine')).rejects.toMatchObject({ code: 'gate_closed' })
    await retry('s.ship.1')
    await world.settled()
    expect((await story()).state).toBe('REVIEW_READY')
  })

  test('a deploy command that was wrong is mended in muster.yaml', async () => {
    await create('deploy: no-such-command-here')
    await world.run(ONE)
    expect((await shipped()).message).toMatch(/^exit 127/)
    await world.stop()
    const file = join(world.repository, 'muster.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('no-such-command-here', 'echo up'))
    await world.start()
    expect((await shipped('resume')).state).toBe('REVIEW_READY')
  })

  test('a Ship that landed nothing starts again from the head of the story', async () => {
    await create('limits: { maxErrorAttempts: 1 }')
    await world.run(ONE)
    const main = world.git('rev-parse', 'main')
    world.git('checkout', '-q', '--detach')
    world.git('branch', '-D', 'main')
    expect(await shipped()).toMatchObject({ state: 'SHIPPABLE', landed: null })
    world.git('branch', 'main', main)
    world.git('update-ref', 'refs/heads/muster/story/s', world.commitOn('muster/story/s', 'mine', 'mine\n'))
    expect((await shipped('resume')).state).toBe('REVIEW_READY')
    expect(onMain()).toContain('mine')
  })

  test('without its branch it says so, and goes on once that is back', async () => {
    await create()
    await world.run(ONE)
    const head = world.git('rev-parse', 'muster/story/s')
    world.git('branch', '-D', 'muster/story/s')
    expect(await shipped()).toMatchObject({
      state: 'SHIPPABLE',
      message: expect.stringContaining('muster/story/s') as string,
    })
    world.git('branch', 'muster/story/s', head)
    expect((await shipped('resume')).state).toBe('REVIEW_READY')
  })

  test('L7 of a branch that lost what a task landed is refused, until somebody says on the branch that this is meant', async () => {
    await create()
    await world.run(TWO)
    const lost = world.git('rev-parse', 'muster/story/s')
    world.git('update-ref', 'refs/heads/muster/story/s', 'main')
    expect(await shipped()).toMatchObject({
      state: 'SHIPPABLE',
      message: expect.stringContaining('is no longer there') as string,
    })
    world.git('checkout', '-q', 'muster/story/s')
    world.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', 'merge', '-q', '-s', 'ours', lost)
    world.git('checkout', '-q', 'main')
    expect((await shipped('resume')).state).toBe('REVIEW_READY')
  })

  test('of a story that an older Muster stored stands as its tasks do', async () => {
    await create()
    await world.run(ONE)
    await world.stop()
    const raw = new DatabaseSync(databaseFile(world.project))
    raw.exec('update stories set state = null')
    raw.close()
    await world.start()
    expect((await story()).state).toBe('SHIPPABLE')
    expect((await shipped()).state).toBe('REVIEW_READY')
  })

  test('two stories at once onto one base: the second is verified on what the first made', async () => {
    await create('protected: []\nlimits: { maxTaskRounds: 1 }')
    const contract =
      'contract: { criteria: [{ description: Alone, activity: check, command: "[ $(ls *.only | wc -l) = 1 ]" }] }'
    world.agent('implementer', 'echo 1 >"$MUSTER_TASK_ID.only"; verdict pass')
    await world.run(`  - { id: 1, name: One, ${contract} }\n`)
    const { buildPlan } = await import('../../src/config/plan.ts')
    const { parseYaml } = await import('../../src/config/yaml.ts')
    const text = `meta: { id: o, name: Other }\ntasks:\n  - { id: 1, name: One, ${contract} }\n`
    const plan = buildPlan(parseYaml(text, 'plan.yaml'), world.project.config, 'plan')
    await world.commands.submit({ plan, config: world.project.config })
    await world.engine.settled('o')
    world.agent('implementer', 'verdict fail no')
    await Promise.all([ship(), ship('ship', '', 'o')])
    await world.engine.settled('s')
    await world.engine.settled('o')
    expect([(await story('s')).state, (await story('o')).state].toSorted()).toEqual(['OPEN', 'REVIEW_READY'])
    expect(onMain().filter((name) => name.endsWith('.only')).length).toBe(1)
  })

  test('a dirty checkout of the base keeps it waiting in words, and it lands once that is clean', async () => {
    await create()
    world.agent('implementer', 'echo theirs >README.md; verdict pass')
    await world.run(ONE)
    writeFileSync(join(world.repository, 'README.md'), 'mine\n')
    const waiting = await shipped()
    expect(waiting).toMatchObject({
      state: 'SHIPPING',
      work: { waitingFor: expect.stringMatching(/README|main/) as string },
    })
    world.git('checkout', '-q', '--', 'README.md')
    await world.stop()
    await world.start()
    await world.settled()
    expect((await story()).state).toBe('REVIEW_READY')
  })
})

describe('a deploy', () => {
  test('that ends with 125 failed, like any other number', async () => {
    await create('deploy: exit 125')
    await world.run(ONE)
    expect(await shipped()).toMatchObject({ state: 'SHIPPABLE', message: expect.stringMatching(/^exit 125/) as string })
  })

  test('that hangs is ended with all it started', async () => {
    await create('deploy: { run: "sleep 300 & echo $! >{top}/pid; trap : TERM; sleep 300", timeout: 1s }')
    await world.run(ONE)
    expect((await shipped()).message).toMatch(/^timed out after 1s/)
    expect(isAlive(Number(lines('pid')[0]))).toBe(false)
  })

  test('that leaves a server behind is over when its command is', async () => {
    await create('deploy: "sleep 300 & echo $! >{top}/pid; echo up"')
    await world.run(ONE)
    expect((await shipped()).state).toBe('REVIEW_READY')
    process.kill(Number(lines('pid')[0]))
  })

  test('that is cancelled leaves the story SHIPPABLE with what is known of it', async () => {
    await create('deploy: "echo x >>{top}/ran; [ -f {top}/ok ] || sleep 300"')
    await world.run(ONE)
    await ship()
    await world.until(({ type, run }) => type === 'output' && run === 's.ship.1.r3')
    await cancel('s.ship.1')
    await world.settled()
    const { state, message } = await story()
    expect([state, message]).toEqual(['SHIPPABLE', expect.stringMatching(/cancelled[^]*no[^]*already on the base/)])
    writeFileSync(join(world.top, 'ok'), '')
    expect((await shipped('resume')).state).toBe('REVIEW_READY')
  })

  test('of another boot is lost: a person is asked', async () => {
    await create('deploy: "while [ -d {top} ] && [ ! -f {top}/go ]; do sleep 0.05; done"')
    await world.run(ONE)
    await ship()
    await world.until(({ type, run }) => type === 'output' && run === 's.ship.1.r3')
    const pid = join(world.project.dataDir, 'runs', 's.ship.1.r3', 'pid')
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8').split('\n').length).toBe(3)
    await world.stop()
    writeFileSync(pid, readFileSync(pid, 'utf8').replace(/\n.*\n$/, '\nanother-boot\n'))
    await world.start()
    await world.settled()
    expect(await story()).toMatchObject({ state: 'SHIPPING', message: expect.stringContaining('--deployed') as string })
    writeFileSync(join(world.top, 'go'), '')
  })

  test('that prints much keeps its log small, and hides values at every place, also one that begins with another', async () => {
    Object.assign(process.env, { SHIP_A: 'secret', SHIP_B: 'secret-and-more' })
    const much = 'echo $SHIP_B; head -c 16777195 /dev/zero | tr "\\\\0" x; echo $SHIP_B; exit 1'
    await create(`deploy: { run: '${much}', env: [SHIP_A, SHIP_B] }`)
    await world.run(ONE)
    const { state } = await shipped()
    const log = await readLog(join(world.project.dataDir, 'runs', 's.ship.1.r3'))
    expect([state, log.length < 10_000_000]).toEqual(['SHIPPABLE', true])
    expect(log.toString('latin1')).toMatch(/^\*\*\*\nx[^]*x\*\*\*\n$/)
    expect(log.includes('secret') || log.includes('and-more')).toBe(false)
  })
})

describe('a validation', () => {
  test('S0.10 an agent that says FAIL needs a fix, with its words; WARN passes', async () => {
    world = await World.create({ roles: ['implementer', 'post-deploy'] })
    world.agent('implementer', 'echo 1 >one; verdict pass')
    world.agent('post-deploy', 'verdict fail "the page is empty"')
    await world.run(ONE)
    expect(await shipped()).toMatchObject({
      state: 'NEEDS_FIX',
      message: expect.stringMatching(/^its validation failed: the page is empty/) as string,
    })
    world.agent('post-deploy', 'verdict warn "a bit slow"')
    await retry('s.validation.2')
    await world.settled()
    expect((await story()).state).toBe('REVIEW_READY')
  })

  test('whose setup fails has looked at nothing, also when a person takes it over', async () => {
    await create("limits: { maxErrorAttempts: 1 }\npostDeploy: 'true'")
    await world.run(ONE)
    await world.stop()
    configure('setup: exit 7')
    await world.start()
    expect((await shipped()).state).toBe('NEEDS_FIX')
    await world.accept('s.validation.2', 'I looked myself')
    await world.settled()
    expect(await story()).toMatchObject({ state: 'REVIEW_READY', validated: false })
  })

  test('that is killed is no unknown deploy; a person takes it over with a reason', async () => {
    await create('postDeploy: "kill -9 -$(ps -o pgid= $$ | tr -d \' \')"')
    await world.run(ONE)
    const { state, message } = await shipped()
    expect([state, message]).toEqual(['NEEDS_FIX', expect.not.stringContaining('the outcome of the deploy is unknown')])
    await world.accept('s.validation.2', 'I looked myself')
    await world.settled()
    expect((await story()).state).toBe('REVIEW_READY')
  })
})
