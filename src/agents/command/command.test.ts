import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { NO_VERDICT } from '../../domain/verdict/verdict.ts'
import type { CommandAgent } from '../../domain/config.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import { lineSeen, script, tempDir } from '../../process/fixtures/temp.ts'
import { commandRuntime as runtimeWith } from './command.ts'

const commandRuntime = () => runtimeWith({ sandbox: { mode: 'off', home: [] }, dataDir: '/nonexistent' })

function request(run: string, fields: Partial<RunRequest> = {}, agent: Partial<CommandAgent> = {}): RunRequest {
  const root = tempDir()
  for (const name of ['workspace', 'project']) mkdirSync(join(root, name))
  return {
    runId: 'run-7',
    taskId: 'task-1',
    role: 'implementer',
    judge: false,
    attempt: 2,
    round: 3,
    nonce: 'n0nce',
    prompt: 'Say "hello".\n',
    dir: join(root, 'runs/run-7'),
    workspace: join(root, 'workspace'),
    projectRoot: join(root, 'project'),
    agent: {
      runtime: 'command',
      run,
      verdict: 'file',
      env: [],
      timeoutMs: 30_000,
      network: true,
      checks: [],
      ...agent,
    },
    ...fields,
  }
}

async function outcome(of: RunRequest) {
  return (await commandRuntime().start(of, () => {})).ended
}

const giveVerdict = (fields: string): string => `printf '%s' '{"verdict":"pass",${fields}}' >"$MUSTER_VERDICT_FILE"`

afterEach(() => {
  delete process.env['MUSTER_TEST_SECRET']
  delete process.env['MUSTER_TEST_KEY']
})

describe('a command', () => {
  test('finds what it brings in its folder, and what it leaves there stays; older files are gone', async () => {
    const of = request('cat "$HERE/a/x" && ls "$HERE" >"$HERE/seen"', { judge: true })
    const brings = [{ path: 'report/a/x', text: 'brought' }]
    const here = join(of.dir, 'report')
    mkdirSync(here, { recursive: true })
    writeFileSync(join(here, 'old'), '')
    const agent = {
      ...of.agent,
      run: `HERE='${here}'; ${(of.agent as CommandAgent).run}`,
      verdict: 'exit',
    } as CommandAgent
    const { process: ended } = await outcome({ ...of, brings, agent })
    expect(ended).toMatchObject({ code: 0, log: Buffer.from('brought') })
    expect(readFileSync(join(here, 'seen'), 'utf8')).toBe('a\nseen\n')
  })

  test('gets prompt, workspace and variables, and its verdict counts (S2.14)', async () => {
    const of = request(
      `cat >seen.txt; env | grep ^MUSTER_ | sort >env.txt; ${giveVerdict('"nonce":"n0nce","detail":"ok"')}`,
    )
    expect(await outcome(of)).toEqual({
      output: '',
      verdict: 'PASS',
      detail: 'ok',
      findings: [],
      exit: 'exit 0',
      crashed: false,
      interrupted: false,
      sandbox: 'none',
    })
    expect(readFileSync(join(of.workspace, 'seen.txt'), 'utf8')).toBe(of.prompt)
    expect(readFileSync(join(of.workspace, 'env.txt'), 'utf8').trim().split('\n')).toEqual([
      'MUSTER_ATTEMPT=2',
      'MUSTER_NONCE=n0nce',
      expect.stringMatching(/^MUSTER_PORT=2\d{4}$/),
      `MUSTER_PROMPT_FILE=${of.dir}/prompt.md`,
      'MUSTER_ROLE=implementer',
      'MUSTER_ROUND=3',
      'MUSTER_RUN_ID=run-7',
      'MUSTER_TASK_ID=task-1',
      `MUSTER_VERDICT_FILE=${of.dir}/verdict`,
    ])
    expect(statSync(join(of.dir, 'prompt.md')).mode & 0o777).toBe(0o600)
  })

  test('sees the listed variables of the user and no other secret', async () => {
    process.env['MUSTER_TEST_SECRET'] = 'hunter2'
    process.env['MUSTER_TEST_KEY'] = 'the-key'
    const of = request('env', {}, { env: ['MUSTER_TEST_KEY'], verdict: 'exit' })
    expect(await outcome(of)).toMatchObject({ verdict: 'PASS' })
    const log = readFileSync(join(of.dir, 'log'), 'utf8')
    expect(log).toContain('the-key')
    expect(log).not.toContain('hunter2')
  })

  test("runs the project's own script, though the workspace does not have it", async () => {
    const of = request('./agent.sh hello', {}, { verdict: 'exit' })
    script(join(of.projectRoot, 'agent.sh'), 'echo "$1 from $PWD"')
    expect(await outcome(of)).toMatchObject({ verdict: 'PASS' })
    expect(readFileSync(join(of.dir, 'log'), 'utf8')).toBe(`hello from ${of.workspace}\n`)
  })

  test('that says nothing is a crash with the end of its output (S2.16, E-28)', async () => {
    expect(await outcome(request('echo boom >&2; exit 4'))).toMatchObject({
      verdict: 'FAIL',
      detail: `${NO_VERDICT}\nexit 4\nboom`,
      crashed: true,
    })
    expect(await outcome(request('kill -SEGV $$', { judge: true }))).toMatchObject({
      verdict: 'ERROR',
      detail: `${NO_VERDICT}\nkilled by SIGSEGV`,
      crashed: true,
    })
  })

  test('that cannot run is ERROR, with the reason', async () => {
    const notFound = await outcome(request('no-such-agent'))
    expect(notFound).toMatchObject({ verdict: 'ERROR', exit: 'exit 127', crashed: false })
    expect(notFound.detail).toContain('no-such-agent')
    const of = request('./agent.sh')
    script(join(of.projectRoot, 'agent.sh'), 'true', 0o644)
    expect(await outcome(of)).toMatchObject({ verdict: 'ERROR', exit: 'exit 126' })
    expect(await outcome(request('true', { workspace: '/no/such/folder' }))).toMatchObject({
      verdict: 'ERROR',
      detail: 'the command could not be started: there is no folder /no/such/folder',
    })
  })

  test('whose folder cannot be made is ERROR', async () => {
    const of = request('true')
    writeFileSync(join(of.projectRoot, 'file'), '')
    expect(await outcome({ ...of, dir: join(of.projectRoot, 'file/run') })).toMatchObject({ verdict: 'ERROR' })
  })

  test('that takes too long is FAIL for an author and ERROR for a judge', async () => {
    const slow = { timeoutMs: 100 }
    expect(await outcome(request('sleep 1000', {}, slow))).toMatchObject({
      verdict: 'FAIL',
      exit: 'timed out after 100ms',
    })
    expect(await outcome(request('sleep 1000', { judge: true }, slow))).toMatchObject({ verdict: 'ERROR' })
  })

  test('that is stopped is interrupted', async () => {
    const ready = lineSeen('ready')
    const worker = await commandRuntime().start(request('echo ready; sleep 1000'), ready.onLine)
    await ready.seen
    worker.setClock(false)
    worker.stop()
    expect(await worker.ended).toMatchObject({ verdict: 'ERROR', interrupted: true, exit: 'stopped' })
  })
})

describe('the verdict file', () => {
  test.each([
    ['another task', '"nonce":"n0nce","task":"task-2"'],
    ['another attempt', '"nonce":"n0nce","attempt":1'],
    ['another run', '"nonce":"stale"'],
  ])('of %s is refused (L13)', async (_, fields) => {
    expect(await outcome(request(giveVerdict(fields), { judge: true }))).toMatchObject({ verdict: 'ERROR' })
    expect(await outcome(request(giveVerdict(fields)))).toMatchObject({ verdict: 'FAIL' })
  })

  test('from before the start does not count (L13)', async () => {
    const of = request('true')
    mkdirSync(of.dir, { recursive: true })
    writeFileSync(join(of.dir, 'verdict'), '{"verdict":"pass","nonce":"n0nce"}')
    expect(await outcome(of)).toMatchObject({ verdict: 'FAIL', crashed: true })
  })

  test('as a link is refused', async () => {
    const run = `echo '{"verdict":"pass"}' >v; ln -s "$PWD/v" "$MUSTER_VERDICT_FILE"`
    expect(await outcome(request(run))).toMatchObject({
      verdict: 'FAIL',
      detail: 'the verdict file was refused: it is a symbolic link',
    })
  })
})

describe('starting exactly once', () => {
  test('the same run started twice starts once; the second is interrupted and harms nothing (F-1)', async () => {
    const runtime = commandRuntime()
    const of = request(`echo once >>count; ${giveVerdict('"detail":"first"')}`)
    const [first, second] = await Promise.all([runtime.start(of, () => {}), runtime.start(of, () => {})])
    expect(await second?.ended).toMatchObject({ verdict: 'ERROR', interrupted: true })
    expect(await first?.ended).toMatchObject({ verdict: 'PASS', detail: 'first' })
    expect(await outcome(of)).toMatchObject({ verdict: 'ERROR', interrupted: true })
    expect(readFileSync(join(of.workspace, 'count'), 'utf8')).toBe('once\n')
    expect(await runtime.recover(of)).toMatchObject({ verdict: 'PASS', detail: 'first' })
  })

  test('a run that never started is missing; one that nobody saw the end of is interrupted (F-1)', async () => {
    const of = request('true')
    expect(await commandRuntime().recover(of)).toBe('missing')
    mkdirSync(of.dir, { recursive: true })
    writeFileSync(join(of.dir, 'pid'), '999999999\n')
    expect(await commandRuntime().recover(of)).toMatchObject({ verdict: 'ERROR', interrupted: true })
  })
})
