/** Checkers, through the real engine with scripted agents: S0.1 to S0.6, S0.13 to S0.20, S0.27 to S0.45, S0.54, S0.56. */
import { afterEach, describe, expect, test } from 'vitest'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One, description: Write a file. }\n'
const roles = ['implementer', 'checker']

async function create(more = '', keys = {}): Promise<World> {
  world = await World.create({ roles, keys, config: `phases: ${ACCEPTED}\n${more}` })
  world.agent('implementer', 'echo work $MUSTER_ATTEMPT >work; verdict pass')
  return world
}

describe('a checker', () => {
  test('S0.1, S0.3, S0.4, S0.13, S0.28, S0.29, S0.30, S0.18 passes a task silently: no person, no report, on its own', async () => {
    await create()
    world.agent('checker', '[ "$(cat work)" = "work 1" ] && verdict pass')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 0, checkerReport: null, warnings: [] })
    expect(task.checker).toEqual({ status: 'passed', taskId: 's-1.check.1' })
    expect(await world.store.task('s-1.check.1')).toMatchObject({
      spec: { title: 'Check: One', purpose: { is: 'check', of: 's-1' }, story: null, parent: null },
      state: { status: 'completed', phase: null, commit: task.commit, attempt: 1 },
    })
    expect([task.checkerFor, (await world.task('s-1.check.1')).checkerFor]).toEqual([null, 's-1'])
    expect((await world.history('s-1')).find(({ type }) => type === 'checked')).toMatchObject({
      actor: 'muster',
      data: { check: 's-1.check.1', verdict: 'PASS', attempt: 1 },
    })
  })

  test('S0.5, S0.6, S0.14, S0.16, S0.41 fails it: the task stays, the report is attached, a person is told once', async () => {
    await create()
    world.agent('checker', 'verdict fail "work is not the word that was asked for"')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({
      status: 'in-progress',
      phase: 'accept',
      stage: 'review',
      round: 0,
      checker: { status: 'failed' },
      checkerReport: { kind: 'failed', text: 'work is not the word that was asked for' },
      waitingFor: 'its checker says it is not done: work is not the word that was asked for',
    })
    expect((await world.notices()).map(({ text }) => text)).toEqual([
      's-1 needs you: its checker says it is not done: work is not the word that was asked for',
    ])
    // Whichever verdict it delivered, the checker itself has done its work (S0.43, E-35).
    expect((await world.store.task('s-1.check.1'))?.state.status).toBe('completed')
  })

  test('S0.42, S0.43, E-3, E-28, E-35, L33 that cannot tell is an error, told apart from a failure, without a round', async () => {
    await create()
    world.agent('checker', 'exit 3')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ stage: 'review', round: 0, checker: { status: 'error' } })
    expect(task.checkerReport).toMatchObject({ kind: 'error', text: expect.stringMatching(/without writing verdict/) })
    expect((await world.store.task('s-1.check.1'))?.state).toMatchObject({ status: 'failed', runs: 1 })
    expect((await world.runs('s-1.check.1')).length).toBe(1)
  })

  test('S0.6 its report says in full what it found, and where', async () => {
    await create()
    const found = (more: string) => `{"severity":"FAIL","message":"it says too little"${more}}`
    const findings = [',"file":"a.txt","line":3', ',"file":"b.txt"', ',"criterion":"c1"'].map(found).join(',')
    world.agent(
      'checker',
      `printf '{"verdict":"fail","nonce":"%s","detail":"not done","findings":[${findings}]}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
    )
    await world.run(ONE)
    expect((await world.task('s-1')).checkerReport?.text.split('\n')).toEqual([
      'not done',
      '[FAIL] a.txt:3 it says too little',
      '[FAIL] b.txt it says too little',
      '[FAIL] c1 it says too little',
    ])
  })

  test('S0.34 is asked again only as often as limits.maxCheckerAttempts allows', async () => {
    await create('limits: { maxCheckerAttempts: 2 }')
    world.agent('checker', '[ "$MUSTER_RUN_ID" = s-1.check.1.r2 ] && verdict pass')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
  })

  test('S4.4, D-10, L37 that warns accepts, and the warning stays to be seen', async () => {
    await create()
    world.agent('checker', 'verdict warn "no changelog entry"')
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', checker: { status: 'warned' }, checkerReport: null })
    expect(task.warnings).toEqual(['no changelog entry'])
  })

  test('S0.13, S0.19, S0.20, S0.37, D-14 is one per attempt, and in no list', async () => {
    await create()
    await world.run(ONE)
    expect((await world.store.listTasks({ limit: 10 })).map(({ spec }) => spec.id)).toEqual(['s-1'])
    expect(await world.store.countByStatus('s')).toMatchObject({ completed: 1 })
    expect(await world.store.countByStatus()).toMatchObject({ completed: 1 })
    const { spec, state } = (await world.store.task('s-1.check.1'))!
    const twin = { spec: { ...spec, id: 'twin' }, state: { ...state, id: 'twin' }, definitionHash: '' }
    const event = { chain: 'task:twin' as const, type: 'task-created', actor: 'muster', data: {} }
    await expect(world.store.commit({ at: 0, tasks: [twin], events: [event] })).rejects.toThrow(/UNIQUE/)
  })

  test('S0.45, S0.37, E-8, D-14, F-4 a task that is run again gets a fresh check, and the first stays on record', async () => {
    await create()
    world.agent('checker.1', 'verdict fail "it says 1"')
    world.agent('checker.2', 'verdict pass')
    await world.run(ONE)
    await world.reject('s-1', 'listen to the checker')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2, round: 1, checkerReport: null })
    expect((await world.task('s-1')).checker.taskId).toBe('s-1.check.2')
    expect((await world.store.checkRuns('s-1')).map(({ id }) => id)).toEqual(['s-1.check.1.r1', 's-1.check.2.r1'])
    // What the checker found goes to the author with the person's words.
    const prompt = world.prompt('s-1.r2')
    expect(prompt).toMatch(/## PREVIOUS VALIDATION FAILED[^]*it says 1[^]*listen to the checker[^]*# One/)
  })

  test('S0.35, S0.36 judges neither subtasks nor checkers', async () => {
    await create()
    await world.run('  - { id: 1, name: Whole }\n  - { id: 2, name: Part, parent: 1 }\n')
    expect(await world.task('s-2')).toMatchObject({ status: 'completed', checker: { status: 'none' } })
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', checker: { status: 'passed' } })
    expect(world.started().filter((run) => run.includes('check'))).toEqual(['s-1.check.1.r1'])
  })

  test('S0.2, D-7 does not queue behind authors', async () => {
    await create('limits: { maxWorkers: 1 }')
    const author = world.gate('author')
    world.agent('s-2.implementer', 'gate author; echo 2 >two; verdict pass')
    await world.start()
    await world.submit(`${ONE}  - { id: 2, name: Two }\n`)
    await world.until(({ type, task }) => type === 'checked' && task === 's-1')
    expect(await world.task('s-2')).toMatchObject({ stage: 'running' })
    await author.open()
    await world.settled()
    expect(await world.task('s-2')).toMatchObject({ status: 'completed' })
  })

  test('S0.54 without one in the configuration, a person accepts', async () => {
    world = await World.create({ config: `phases: ${ACCEPTED}` })
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ stage: 'review', checker: { status: 'none' } })
    await world.accept('s-1')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', waiver: null })
  })
})

describe('a person', () => {
  test('S0.54, S0.56 accepts while the checker is at work: it is called off in the same moment', async () => {
    await create()
    world.gate('check')
    world.agent('checker', 'gate check; verdict fail "too late"')
    await world.start()
    await world.submit(ONE)
    await world.until(({ type, run }) => type === 'run-started' && run === 's-1.check.1.r1')
    expect(await world.task('s-1')).toMatchObject({ stage: 'checking', checker: { status: 'running' } })
    await world.accept('s-1')
    expect((await world.store.task('s-1.check.1'))?.state).toMatchObject({ status: 'cancelled', run: null })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', waiver: null, findings: [] })
  })

  test('S0.54, E-4 rejects while the checker is at work, and a new attempt gets a new one', async () => {
    await create()
    world.gate('check')
    world.agent('checker.1', 'gate check; verdict pass')
    world.agent('checker.2', 'verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.until(({ type, run }) => type === 'run-started' && run === 's-1.check.1.r1')
    await world.reject('s-1', 'not like this')
    expect((await world.store.task('s-1.check.1'))?.state.status).toBe('cancelled')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', attempt: 2, round: 1 })
  })

  test('D-9, S0.54 takes it over a failed check with a reason only; that is a waiver and stays visible', async () => {
    await create()
    world.agent('checker', 'verdict fail "no"')
    await world.run(ONE)
    await expect(world.accept('s-1')).rejects.toMatchObject({
      code: 'usage',
      message: 'its checker says it is not done: no: to accept s-1 anyway, give a reason',
      hint: 'muster accept s-1 --reason "why it is fine"',
    })
    await world.accept('s-1', 'the checker read the wrong file')
    await world.settled()
    const task = await world.task('s-1')
    expect(task).toMatchObject({
      status: 'completed',
      checker: { status: 'failed' },
      checkerReport: { kind: 'failed', text: 'no' },
      waiver: { criteria: ['checker'], reason: 'the checker read the wrong file', by: 'tester', commit: task.commit },
    })
  })

  test('D-9, S0.54 answers what only a person can, after the checker: accepting is the answer, and is shown', async () => {
    world = await World.create({ roles, config: 'phases: checked' })
    world.agent('implementer', 'echo work >work; verdict pass')
    const criteria =
      '[{ description: work is there, judge: checker }, { description: The colours are approved, judge: person }]'
    await world.run(`  - { id: 1, name: Write work, contract: { type: verifiable, criteria: ${criteria} } }\n`)
    const answers = async () => (await world.task('s-1')).results?.criteria.slice(0, 2)
    expect((await world.task('s-1')).waitingFor).toBe('only a person can answer c2 of its contract')
    expect(await answers()).toMatchObject([{ status: 'pass', note: 'answered by checker' }, { status: 'pending' }])
    await world.accept('s-1')
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', waiver: null, checker: { status: 'passed' } })
    expect((await answers())?.[1]).toMatchObject({ status: 'pass', note: 'answered by tester' })
  })

  test('has a checker that could not tell asked once more', async () => {
    await create()
    world.agent('checker', '[ "$MUSTER_RUN_ID" = s-1.check.1.r2 ] && verdict pass')
    await world.run(ONE)
    expect(await world.task('s-1')).toMatchObject({ checker: { status: 'error' } })
    await world.commands.retry({ task: 's-1', by: 'tester' })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', checker: { status: 'passed' } })
  })

  test('cancels the checker alone, or the task with its checker', async () => {
    await create()
    world.gate('check')
    world.agent('checker', 'gate check; verdict pass')
    await world.start()
    await world.submit(`${ONE}  - { id: 2, name: Two }\n`)
    for (const run of ['s-1.check.1.r1', 's-2.check.1.r1']) {
      await world.until((event) => event.type === 'run-started' && event['run'] === run)
    }
    await world.commands.cancel({ task: 's-1.check.1', reason: 'too slow', by: 'tester' })
    await world.commands.cancel({ task: 's-2', reason: '', by: 'tester' })
    await world.settled()
    expect((await world.task('s-1')).checkerReport).toEqual({
      kind: 'error',
      text: 'the check was cancelled by tester: too slow',
    })
    expect((await world.store.task('s-2.check.1'))?.state.status).toBe('cancelled')
    expect(await world.task('s-2')).toMatchObject({ status: 'cancelled' })
  })
})

describe('a checker is not believed', () => {
  test.each([
    ['E-18 that edits a file', 'echo more >>work; verdict pass', /was changed \(work\)/],
    ['that adds a file', 'echo 1 >new; verdict pass', /was changed \(new\)/],
    [
      'that edits and commits',
      'echo more >>work; git add -A; git -c user.name=x -c user.email=x@x commit -qm x; verdict pass',
      /was changed/,
    ],
    ['that deletes its checkout', 'verdict pass; rm -rf "$PWD"', /is gone|was changed/],
    ['S2.16, E-1 that says nothing and exits with 0', 'exit 0', /without writing verdict/],
    ['E-15 that has another nonce', `printf '{"verdict":"pass","nonce":"0"}' >"$MUSTER_VERDICT_FILE"`, /nonce/],
    [
      'L13 that answers for another attempt',
      `printf '{"verdict":"pass","attempt":7,"nonce":"%s"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
      /attempt 7/,
    ],
    [
      'that answers for another task',
      `printf '{"verdict":"pass","task":"s-9","nonce":"%s"}' "$MUSTER_NONCE" >"$MUSTER_VERDICT_FILE"`,
      /task s-9/,
    ],
  ])('%s', async (_what, script, why) => {
    await create()
    world.agent('checker', script)
    await world.run(ONE)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'in-progress', stage: 'review', round: 0, checkerReport: { kind: 'error' } })
    expect(task.checkerReport?.text).toMatch(why)
    expect(world.workspacesLeft()).toEqual([])
  })

  test('S0.33 that hangs is ended with all it started, and says nothing about the work', async () => {
    await create('', { checker: 'timeout: 1s' })
    world.agent('checker', 'sleep 600 & sleep 600')
    await world.run(ONE)
    expect((await world.task('s-1')).checkerReport).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('timed out after 1s') as string,
    })
  })
})
