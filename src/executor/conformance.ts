/** What every executor does, whatever machine its jobs run on. Run against each by its own test. */
import { expect, test } from 'vitest'
import type { CommandJob, DetachedJob, Executor, JobResult } from '../ports/executor.ts'

export interface ExecutorWorld {
  /** Another one on the same data is what comes after a restart. */
  executor(): Executor
  /** A commit with these files, and these links. */
  commit(files: Record<string, string>, links?: Record<string, string>): string
  /** A folder beside all checkouts, in which is one file, `kept`. */
  outside(): { path: string; kept(): string }
  /** A variable of the user's. */
  setVariable(name: string, value: string): void
  /** The log of a job, in words. */
  log(job: string): Promise<string>
  /** Places of checkouts that are still there. */
  checkouts(): string[]
  /** A named pipe: a job that reads from it waits until it is opened with a word. */
  gate(): { path: string; reached: Promise<void>; open(word: string): void }
}

const unheard = (): void => undefined
const rest = {
  task: 't-1',
  env: [],
  timeoutMs: 30_000,
}
const tree = { branch: 'muster/task/t-1', target: 'main', setup: null, copy: [] }

let runs = 0
const newRun = (): string => `t-1.r${++runs}`

function command(text: string, commit: string, more: Partial<CommandJob> = {}): CommandJob {
  return {
    ...rest,
    kind: 'command',
    id: `${newRun()}/check-1`,
    title: text,
    attempt: 1,
    tree: { ...tree, commit },
    command: { cwd: '', prefix: '', command: text },
    laid: [],
    services: [],
    network: true,
    report: null,
    tests: false,
    ...more,
  }
}

function detached(run: string, commit: string, more: Partial<DetachedJob> = {}): DetachedJob {
  return { ...rest, kind: 'detached', id: newRun(), tree: { ...tree, commit }, run, variables: {}, ...more }
}

/** A value, the same after it was written down and read again. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** One line that a job tells. */
function lineOf(executor: Executor, job: CommandJob | DetachedJob, wanted: string) {
  const { promise: seen, resolve } = Promise.withResolvers<void>()
  const started = executor.start(job, (event) => {
    if (event.type === 'line' && event.line === wanted) resolve()
  })
  return { started, seen }
}

export function executorConformance(makeWorld: () => Promise<ExecutorWorld>): void {
  const run = async (world: ExecutorWorld, job: CommandJob | DetachedJob): Promise<JobResult> =>
    world.executor().start(job, unheard).ended

  test('a command runs on exactly its commit, in a checkout that is gone afterwards', async () => {
    const world = await makeWorld()
    const old = world.commit({ 'a.txt': 'old\n' })
    world.commit({ 'a.txt': 'new\n' })
    const job = command('cat a.txt; exit 3', old)
    const result = await run(world, job)
    expect(result).toMatchObject({ id: job.id, end: { is: 'exited', code: 3, signal: null }, output: 'old' })
    expect(result.logDigest).toMatch(/^[0-9a-f]{64}$/)
    expect(await world.log(job.id)).toBe('old\n')
    expect(world.checkouts()).toEqual([])
  })

  test('job and result are values: they can be written down and read again', async () => {
    const world = await makeWorld()
    const job = stored(command('echo <r></r> >report.xml', world.commit({ a: '' }), { report: 'report.xml' }))
    const result = await run(world, job)
    expect(stored(result)).toEqual(result)
  })

  test('a command gets the variables that it lists, and no other of the user’s', async () => {
    const world = await makeWorld()
    world.setVariable('EXECUTOR_LISTED', 'seen')
    world.setVariable('EXECUTOR_OTHER', 'hidden')
    const text = 'echo "$EXECUTOR_LISTED/$EXECUTOR_OTHER/$MUSTER_TASK_ID"'
    const result = await run(world, command(text, world.commit({ a: '' }), { env: ['EXECUTOR_LISTED'] }))
    expect(result.output).toBe('seen//t-1')
  })

  test('files are laid over the checkout, in place of what the tree has there', async () => {
    const world = await makeWorld()
    const commit = world.commit({ 'a.txt': 'tree\n', 'b.txt': 'tree\n' })
    const laid = [
      { path: 'a.txt', text: 'laid\n' },
      { path: 'deep/c.txt', text: 'laid too\n' },
    ]
    const result = await run(world, command('cat a.txt b.txt deep/c.txt', commit, { laid }))
    expect(result.output).toBe('laid\ntree\nlaid too')
  })

  test('nothing is laid, or taken away, where a link leads out of the checkout', async () => {
    const world = await makeWorld()
    const outside = world.outside()
    const commit = world.commit({ 'a.txt': 'tree\n' }, { out: outside.path, inside: '.' })
    for (const more of [{ laid: [{ path: 'out/kept', text: 'laid\n' }] }, { report: 'out/kept' }]) {
      const result = await run(world, command('echo ran', commit, more))
      expect(result.end).toEqual({ is: 'not-run', why: expect.stringContaining('leads out of it') })
    }
    expect(outside.kept()).toBe('kept\n')
    const laid = [{ path: 'inside/a.txt', text: 'laid\n' }]
    expect((await run(world, command('cat a.txt', commit, { laid }))).output).toBe('laid')
  })

  test('the report is the one that the command wrote, not one that lay in the tree', async () => {
    const world = await makeWorld()
    const report = (name: string) => `<testsuite><testcase name="${name}"/></testsuite>`
    const commit = world.commit({ 'report.xml': report('planted') })
    const silent = await run(world, command('true', commit, { report: 'report.xml' }))
    expect(silent.report).toEqual({ problem: 'it was not written' })
    const text = `echo '${report('real')}' >report.xml`
    const told = await run(world, command(text, commit, { report: 'report.xml' }))
    expect(told.report).toMatchObject({ tests: [{ name: 'real', status: 'passed' }] })
  })

  test('a command that takes too long is ended, and that is said', async () => {
    const world = await makeWorld()
    const result = await run(world, command('echo begun; sleep 60', world.commit({ a: '' }), { timeoutMs: 400 }))
    expect(result.end).toMatchObject({ is: 'timed-out' })
  })

  test('a commit that is not there is not-run, with why', async () => {
    const world = await makeWorld()
    const result = await run(world, command('true', '0123456789012345678901234567890123456789'))
    expect(result.end).toMatchObject({ is: 'not-run', why: expect.stringMatching(/\S/) })
  })

  test('a job can be stopped while it runs, and before it has begun', async () => {
    const world = await makeWorld()
    const commit = world.commit({ a: '' })
    const { started, seen } = lineOf(world.executor(), command('echo begun; sleep 60', commit), 'begun')
    await seen
    started.stop(true)
    expect((await started.ended).end).toEqual({ is: 'stopped' })
    const early = world.executor().start(command('echo begun', commit), unheard)
    early.stop(true)
    expect((await early.ended).end).toEqual({ is: 'stopped' })
    expect(world.checkouts()).toEqual([])
  })

  test('a command job is started once; what a killed Muster left of it is ended, and then it may start again', async () => {
    const world = await makeWorld()
    const job = command('echo begun; sleep 60', world.commit({ a: '' }))
    const { started, seen } = lineOf(world.executor(), job, 'begun')
    await seen
    expect((await run(world, job)).end).toEqual({ is: 'stopped' })
    // Whoever is at work there keeps what it works on.
    expect(world.checkouts()).toHaveLength(1)
    await world.executor().forget(job.id.split('/')[0] ?? '')
    // Whoever had started it sees it end.
    await started.ended
    const again = await run(world, { ...job, command: { ...job.command, command: 'echo again' } })
    expect(again).toMatchObject({ end: { is: 'exited', code: 0 }, output: 'again' })
  })

  test('a detached job goes on without its Muster, and the next one finds it again', async () => {
    const world = await makeWorld()
    const job = detached(
      'cat a.txt; read -r go <"$GO"; echo "went $go"; exit 4',
      world.commit({ 'a.txt': 'landed\n' }),
      {
        env: ['GO'],
      },
    )
    const gate = world.gate()
    world.setVariable('GO', gate.path)
    const first = lineOf(world.executor(), job, `$ ${job.run}`)
    await first.seen
    await gate.reached
    first.started.detach?.()
    expect((await first.started.ended).end).toEqual({ is: 'left' })
    const second = world.executor().start(job, unheard)
    gate.open('ahead')
    expect(await second.ended).toMatchObject({ end: { is: 'exited', code: 4 }, output: 'landed\nwent ahead' })
    expect(await run(world, job)).toMatchObject({ end: { is: 'exited', code: 4 } })
  })

  test('a detached job’s log does not hold the values of the variables it was given', async () => {
    const world = await makeWorld()
    world.setVariable('EXECUTOR_TOKEN', 'tok-123456789')
    const job = detached('echo "with $EXECUTOR_TOKEN"', world.commit({ a: '' }), { env: ['EXECUTOR_TOKEN'] })
    expect((await run(world, job)).output).toBe('with ***')
    expect(await world.log(job.id)).toBe('with ***\n')
  })

  test('a detached job that was let go before it began has done nothing, and can be started', async () => {
    const world = await makeWorld()
    const job = detached('echo done', world.commit({ a: '' }))
    const first = world.executor().start(job, unheard)
    first.detach?.()
    expect((await first.ended).end).toEqual({ is: 'left' })
    expect(await run(world, job)).toMatchObject({ end: { is: 'exited', code: 0 }, output: 'done' })
  })

  test('a detached job has its time, from its own start', async () => {
    const world = await makeWorld()
    const result = await run(world, detached('sleep 60', world.commit({ a: '' }), { timeoutMs: 300 }))
    expect(result.end).toMatchObject({ is: 'timed-out' })
  })
}
