/** The runtime on little programs that speak like Claude Code and Codex; test/agents runs the real ones. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../domain/agent-event.ts'
import type { ProgramAgent } from '../../domain/config.ts'
import { NO_VERDICT } from '../../domain/verdict/verdict.ts'
import type { RunRequest } from '../../ports/runtime.ts'
import { lineSeen, script, tempDir } from '../../process/fixtures/temp.ts'
import { claude } from '../claude/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { programRuntime } from './program.ts'

const saved = { ...process.env }
let top: string
beforeEach(() => {
  top = tempDir()
  for (const name of ['bin', 'home', 'workspace', 'project']) mkdirSync(join(top, name))
  Object.assign(process.env, { PATH: `${join(top, 'bin')}:/usr/bin:/bin`, HOME: join(top, 'home') })
})
afterEach(() => void Object.assign(process.env, saved))

const runtime = (adapter = claude) =>
  programRuntime(adapter, { sandbox: { mode: 'off', home: [] }, dataDir: '/nonexistent', lingerMs: 50 })

function request(agent: Partial<ProgramAgent> = {}, fields: Partial<RunRequest> = {}): RunRequest {
  return {
    runId: 'run-7',
    taskId: 'task-1',
    role: 'implementer',
    judge: false,
    attempt: 1,
    round: 0,
    nonce: 'n0nce',
    prompt: 'Say "hello".\n',
    dir: join(top, 'runs/run-7'),
    workspace: join(top, 'workspace'),
    projectRoot: join(top, 'project'),
    agent: {
      runtime: 'claude',
      args: [],
      env: [],
      timeoutMs: 30_000,
      stallMs: 30_000,
      network: true,
      checks: [],
      ...agent,
    },
    ...fields,
  }
}

const INIT = '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
const DONE =
  '{"subtype":"success","is_error":false,"result":"All done.","total_cost_usd":0.25,"modelUsage":{"m":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":5}},"type":"result"}'
const say = (...lines: string[]): string => lines.map((line) => `printf '%s\\n' '${line}'`).join('\n')

/** Puts a program of that name on the PATH and runs it. */
async function outcome(text: string, of = request(), onEvent?: (event: AgentEvent) => void) {
  const adapter = of.agent.runtime === 'codex' ? codex : claude
  script(join(top, 'bin', adapter.program), text)
  return (await runtime(adapter).start(of, () => {}, onEvent)).ended
}

describe('an author', () => {
  test('that ends well passes, with its last words, its cost and its session (S2.14)', async () => {
    const events: AgentEvent[] = []
    const of = request({ model: 'opus', maxTurns: 9, maxBudgetUsd: 2, args: ['--effort', 'high'] })
    const ended = await outcome(`cat >prompt.txt; echo "$@" >args.txt; ${say(INIT, DONE)}`, of, (event) =>
      events.push(event),
    )
    expect(ended).toEqual({
      verdict: 'PASS',
      detail: 'All done.',
      answer: 'All done.',
      findings: [],
      exit: 'exit 0',
      crashed: false,
      interrupted: false,
      sandbox: 'none',
      session: 's-1',
      usage: { inputTokens: 15, cachedTokens: 5, outputTokens: 2, usd: 0.25 },
    })
    expect(events.map(({ type }) => type)).toEqual(['session', 'usage', 'final'])
    expect(readFileSync(join(of.workspace, 'prompt.txt'), 'utf8')).toBe(of.prompt)
    const args = readFileSync(join(of.workspace, 'args.txt'), 'utf8')
    expect(args).toContain('--model opus --max-turns 9 --max-budget-usd 2 --effort high')
    // After a restart of Muster the same comes from what is on disk (F-1).
    expect(await runtime().recover(of)).toEqual(ended)
  })

  test('whose own verdict is worse than its end has that verdict', async () => {
    const verdict = (text: string) => `printf '%s' '${text}' >"$MUSTER_VERDICT_FILE"; ${say(INIT, DONE)}`
    expect(await outcome(verdict('{"verdict":"fail","detail":"not yet"}'))).toMatchObject({
      verdict: 'FAIL',
      detail: 'not yet',
    })
    const other = () => request({}, { dir: join(top, 'runs/other') })
    expect(await outcome(verdict('{"verdict":"pass"'), other())).toMatchObject({ verdict: 'FAIL' })
  })

  test.each([
    [
      'was refused a tool',
      say(INIT, '{"type":"system","subtype":"permission_denied","tool_use_id":"t","tool_name":"Write"}', DONE),
      'FAIL',
      'not allowed to use Write',
    ],
    ['never began', 'echo "unknown option" >&2; exit 1', 'ERROR', 'unknown option'],
    ['printed garbage', 'echo hello; echo {; echo null', 'ERROR', 'Claude Code did not start working'],
    ['ended in the middle', say(INIT), 'FAIL', NO_VERDICT],
    ['was killed', `${say(INIT)}; kill -KILL $$`, 'FAIL', NO_VERDICT],
    ['told its end and failed after it', `${say(INIT, DONE)}; exit 3`, 'FAIL', 'ended with an error'],
  ])('that %s does not pass', async (_, text, verdict, detail) => {
    const ended = await outcome(text)
    expect(ended.verdict).toBe(verdict)
    expect(ended.detail).toContain(detail)
    expect(ended.crashed).toBe(detail === NO_VERDICT)
  })

  test('that is started a second time starts once, and costs once (F-1)', async () => {
    expect(await outcome(say(INIT, DONE))).toMatchObject({ verdict: 'PASS', usage: { usd: 0.25 } })
    const again = await outcome(say(INIT, DONE))
    expect(again).toMatchObject({ verdict: 'ERROR', exit: 'started before', interrupted: true })
    expect(again.usage).toBeUndefined()
  })

  test('that told its end twice is taken by the last', async () => {
    const failed = '{"type":"result","subtype":"error_during_execution","is_error":true}'
    expect(await outcome(say(INIT, DONE, failed))).toMatchObject({ verdict: 'FAIL' })
    expect(await outcome(say(INIT, failed, DONE), request({}, { dir: join(top, 'runs/b') }))).toMatchObject({
      verdict: 'PASS',
    })
  })

  test('that is not installed is ERROR, and says how to install it', async () => {
    const ended = await (await runtime().start(request(), () => {})).ended
    expect(ended).toMatchObject({ verdict: 'ERROR', crashed: false })
    expect(ended.detail).toContain('npm install --global @anthropic-ai/claude-code')
  })

  test('whose complaints come between does not garble its events; megabytes of them are no trouble', async () => {
    const noise = 'head -c 3000000 /dev/zero | tr "\\0" x >&2'
    const big = `{"type":"user","message":{"content":"${'y'.repeat(100)}"}}`
    const ended = await outcome(
      `${say(INIT)}; ${noise}; i=0; while [ $i -lt 300 ]; do echo '${big}'; echo oops >&2; i=$((i+1)); done; ${say(DONE)}`,
    )
    expect(ended).toMatchObject({ verdict: 'PASS', session: 's-1' })
  })
})

describe('a judge', () => {
  const judge = (agent: Partial<ProgramAgent> = {}) => request(agent, { judge: true, role: 'checker' })

  test('that gives no verdict is ERROR; its words are handed on (S2.16)', async () => {
    expect(await outcome(say(INIT, DONE), judge())).toMatchObject({
      verdict: 'ERROR',
      detail: `${NO_VERDICT}\nexit 0`,
      crashed: true,
      answer: 'All done.',
    })
  })

  const answer = (text: string) => DONE.replace('All done.', text)
  const PASS = answer('Fine.\\n\\n**Verdict: PASS**\\n**Nonce: n0nce**')
  const told = (id: string, input: object, tool = 'submit_verdict') => {
    const block = { type: 'tool_use', id, name: `mcp__muster__${tool}`, input }
    return JSON.stringify({ type: 'assistant', message: { id: `m${id}`, content: [block] } })
  }
  const file = (of: RunRequest, fields: object) => `printf '%s' '${JSON.stringify(fields)}' >${of.dir}/verdict`
  const pass = { verdict: 'PASS', nonce: 'n0nce' }

  test('gives its verdict in its answer, or to its tools, and is heard again after a restart (S4.2)', async () => {
    const of = judge()
    const expected = { verdict: 'PASS', detail: 'Fine.', crashed: false }
    expect(await outcome(say(INIT, PASS), of)).toMatchObject(expected)
    expect(await runtime().recover(of)).toMatchObject(expected)
    const tools = { ...judge(), dir: join(top, 'runs/tools') }
    expect(await outcome(say(INIT, told('t1', pass), DONE), tools)).toMatchObject({
      verdict: 'PASS',
      detail: 'All done.',
    })
    expect(await runtime().recover(tools)).toMatchObject({ verdict: 'PASS' })
  })

  test('that gives two verdicts has FAIL, whichever way it gave them', async () => {
    const fail = { verdict: 'FAIL', nonce: 'n0nce', findings: [{ severity: 'FAIL', message: 'odd', file: 'a.ts' }] }
    expect(await outcome(say(INIT, told('t1', fail), PASS), judge())).toMatchObject({
      verdict: 'FAIL',
      detail: 'two different verdicts count as FAIL: its answer says PASS, submit_verdict says FAIL',
      findings: [{ severity: 'FAIL', message: 'odd', file: 'a.ts' }],
    })
    const twice = { ...judge(), dir: join(top, 'runs/twice') }
    expect(await outcome(say(INIT, told('t1', pass), told('t2', fail), DONE), twice)).toMatchObject({ verdict: 'FAIL' })
    const found = { ...judge(), dir: join(top, 'runs/found') }
    const finding = told('t1', { severity: 'FAIL', message: 'odd', file: 'a.ts' }, 'report_finding')
    expect(await outcome(say(INIT, finding, PASS), found)).toMatchObject({ verdict: 'FAIL' })
  })

  test('a verdict file, which code that it runs could have written, makes it worse and never better (E-19)', async () => {
    const of = judge()
    const alone = await outcome(`${file(of, pass)}; ${say(INIT, DONE)}`, of)
    expect(alone).toMatchObject({ verdict: 'ERROR', crashed: true })
    expect(alone.detail).toContain('the judge must give the verdict itself')
    const record = { ...judge(), dir: join(top, 'runs/record') }
    const call = JSON.stringify({ tool: 'submit_verdict', input: pass })
    expect(await outcome(`echo '${call}' >${record.dir}/calls.jsonl; ${say(INIT, DONE)}`, record)).toMatchObject({
      verdict: 'ERROR',
      crashed: true,
    })
    const against = { ...judge(), dir: join(top, 'runs/against') }
    const no = file(against, { verdict: 'fail', nonce: 'n0nce', detail: 'no' })
    expect(await outcome(`${no}; ${say(INIT, PASS)}`, against)).toMatchObject({ verdict: 'FAIL' })
  })

  test('has neither the name of the file nor the nonce in its environment', async () => {
    const of = judge()
    await outcome(`env | cut -d= -f1 | grep ^MUSTER_ >env.txt; ${say(INIT, DONE)}`, of)
    const names = readFileSync(join(of.workspace, 'env.txt'), 'utf8')
    expect(names).not.toMatch(/NONCE|VERDICT|PROMPT/)
    expect(names).toContain('MUSTER_RUN_ID')
  })

  test('whose verdict is good and whose end is not is ERROR', async () => {
    const of = judge()
    expect(await outcome(`${file(of, pass)}; ${say(INIT, told('t1', pass))}; exit 1`, of)).toMatchObject({
      verdict: 'ERROR',
    })
  })

  test('is started with its tools, and with a shell where it cannot write; an author has neither', () => {
    const spec = { workspace: '/w', network: true, args: [], server: ['node', 'main.js', 'mcp'] } as const
    for (const adapter of [claude, codex]) {
      const line = (judges: boolean, confined: boolean) => {
        const { server, ...rest } = spec
        return adapter.commandLine({ ...rest, ...(judges ? { server } : {}), judge: judges, confined }).args.join(' ')
      }
      expect(line(true, true)).toContain(
        adapter === claude ? '"command":"node","args":["main.js","mcp"]' : 'command="node",args=["main.js","mcp"]',
      )
      expect(line(false, true)).not.toContain('muster')
    }
    const tools = (confined: boolean) =>
      /--tools (\S+)/.exec(claude.commandLine({ ...spec, judge: true, confined }).args.join(' '))?.[1]
    expect([tools(true), tools(false)]).toEqual(['Read,Grep,Glob,Bash', 'Read,Grep,Glob'])
  })
})

describe('limits that Muster keeps', () => {
  const tool = (id: number) =>
    `{"type":"item.started","item":{"id":"i${id}","type":"command_execution","command":"true"}}`
  const THREAD = '01a1ddf1-0a84-7863-93bc-5a2627e81043'
  const started = `{"type":"thread.started","thread_id":"${THREAD}"}`
  const forever = 'exec sleep 1000'
  const program = (agent: Partial<ProgramAgent>) => request({ runtime: 'codex', model: 'gpt-5.5', ...agent })

  test('turns, by the tools it uses', async () => {
    const ended = await outcome(`${say(started, tool(1), tool(2), tool(3))}; ${forever}`, program({ maxTurns: 2 }))
    expect(ended).toMatchObject({ verdict: 'FAIL', exit: 'stopped: turn-limit', session: THREAD, interrupted: false })
    expect(ended.detail).toContain('maxTurns: 2')
  })

  test('the budget, by what the program writes into its own file of the session (F-3, L37)', async () => {
    const day = join(
      top,
      'home/.codex/sessions',
      ...new Date(Number.parseInt('01a1ddf10a84', 16)).toISOString().slice(0, 10).split('-'),
    )
    mkdirSync(day, { recursive: true })
    const file = join(day, `rollout-2026-${THREAD}.jsonl`)
    const used = { input_tokens: 400_000, cached_input_tokens: 0, output_tokens: 10_000 }
    appendFileSync(
      file,
      `garbage\n${JSON.stringify({ payload: { type: 'token_count', info: { total_token_usage: used } } })}\n`,
    )
    const of = program({ maxBudgetUsd: 2 })
    const ended = await outcome(`${say(started, tool(1))}; ${forever}`, of)
    expect(ended).toMatchObject({ verdict: 'FAIL', exit: 'stopped: budget' })
    expect(ended.usage).toMatchObject({ inputTokens: 400_000, outputTokens: 10_000 })
    expect(ended.usage?.usd).toBeCloseTo(2.3, 6)
    expect(await runtime(codex).recover(of)).toEqual(ended)
    const resumed = {
      ...of,
      dir: join(top, 'runs/r'),
      resume: { session: THREAD, usage: { ...ended.usage, usd: 2.3 } as never },
    }
    const more = await outcome(
      `echo "$@" >args.txt; ${say(started, '{"type":"turn.completed","usage":{"input_tokens":400100,"output_tokens":10002}}')}`,
      resumed,
    )
    expect(more).toMatchObject({ verdict: 'PASS', usage: { inputTokens: 100, outputTokens: 2 } })
    expect(readFileSync(join(of.workspace, 'args.txt'), 'utf8')).toContain(`resume ${THREAD} -`)
  })

  test('silence ends it, as an ERROR, unless a tool runs; a pause stops that clock too', async () => {
    const quiet = program({ stallMs: 50 })
    expect(await outcome(`${say(started)}; ${forever}`, quiet)).toMatchObject({
      verdict: 'ERROR',
      exit: 'stopped: stalled',
    })
    // Long enough for a busy machine to start it; the tool takes longer than that.
    const busy = { ...program({ stallMs: 1000 }), dir: join(top, 'runs/busy') }
    const done = '{"type":"turn.completed","usage":{}}'
    expect(await outcome(`${say(started, tool(1))}; sleep 1.3; ${say(done)}`, busy)).toMatchObject({ verdict: 'PASS' })
  })

  test('one that told its end and does not go is ended, and its word counts', async () => {
    expect(await outcome(`${say(INIT, DONE)}; ${forever}`)).toMatchObject({
      verdict: 'PASS',
      exit: 'stopped: lingered',
    })
  })

  test('a timeout keeps what is known of the cost (L37)', async () => {
    const call = '{"type":"assistant","message":{"id":"m1","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}'
    const ended = await outcome(`${say(INIT, call)}; ${forever}`, request({ timeoutMs: 300 }))
    expect(ended).toMatchObject({
      verdict: 'FAIL',
      exit: 'timed out after 300ms',
      usage: { inputTokens: 7 },
      session: 's-1',
    })
  })

  test('what is stopped from outside is interrupted, and its session known', async () => {
    script(join(top, 'bin/claude'), `${say(INIT)}; ${forever}`)
    const ready = lineSeen('session s-1 (m)')
    const worker = await runtime().start(request(), ready.onLine)
    await ready.seen
    worker.setClock(false)
    worker.stop()
    expect(await worker.ended).toMatchObject({ verdict: 'ERROR', interrupted: true, session: 's-1' })
  })

  test('a rate limit says until when, where the program does', async () => {
    const limit = '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794728208}}'
    const failed =
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit","terminal_reason":"api_error"}'
    expect(await outcome(`${say(INIT, limit, failed)}; exit 1`)).toMatchObject({
      verdict: 'ERROR',
      retryAt: 1794728208_000,
      crashed: false,
    })
    const unknown = request({}, { dir: join(top, 'runs/u') })
    expect(await outcome(`${say(INIT, failed)}; exit 1`, unknown)).toMatchObject({ verdict: 'ERROR', retryAt: null })
  })
})

test('its environment is the allow-list, what is listed, and what its adapter sets, which the list may override', async () => {
  Object.assign(process.env, {
    MUSTER_TEST_SECRET: 'hunter2',
    CLAUDE_CONFIG_DIR: '/somewhere',
    CLAUDE_CODE_MAX_RETRIES: '0',
  })
  const of = request({ env: ['CLAUDE_CODE_MAX_RETRIES'] })
  await outcome(`env >env.txt; ${say(INIT, DONE)}`, of)
  const env = readFileSync(join(of.workspace, 'env.txt'), 'utf8')
  expect(env).toContain('CLAUDE_CONFIG_DIR=/somewhere')
  expect(env).toContain('CLAUDE_CODE_MAX_RETRIES=0')
  expect(env).toContain('DISABLE_AUTOUPDATER=1')
  expect(env).not.toContain('hunter2')
  for (const name of ['MUSTER_TEST_SECRET', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_MAX_RETRIES']) delete process.env[name]
})

test('one that harms its like while it starts begins when the one before has spoken or ended', async () => {
  // The real one makes a folder, which another one that starts may take away.
  script(
    join(top, 'bin/codex'),
    `mkdir "$HOME/starts" || touch harm; sleep 0.05; rmdir "$HOME/starts"; [ $MUSTER_RUN_ID = silent ] || ${say(DONE)}`,
  )
  const run = async (runId: string) => {
    const of = request({ runtime: 'codex' }, { runId, dir: join(top, 'runs', runId) })
    return (await runtime(codex).start(of, () => {})).ended
  }
  const ends = await Promise.all(['first', 'silent', 'third', 'fourth'].map(run))
  expect(ends.map(({ exit }) => exit)).toEqual(Array(4).fill('exit 0'))
  expect(existsSync(join(top, 'workspace/harm'))).toBe(false)
})
