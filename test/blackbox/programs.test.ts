/** Agent programs as a user meets them: a `claude` that is a little script and speaks like the real one. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exited, fileText, makeRepo, planText, type RunDocument, type StatusDocument } from '../support/muster.ts'

const INIT = '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
const say = (...lines: string[]): string => lines.map((line) => `echo '${line}'`).join('\n')

/** A repository whose agent is `claude`: this script, on a PATH of its own. */
function withClaude(script: string, config = '') {
  const repo = makeRepo({ agent: null })
  repo.write(
    'muster.yaml',
    `version: 1\nphases: direct\nsandbox: off\nagents: { implementer: { runtime: claude } }\n${config}`,
  )
  const bin = join(repo.home, 'bin')
  mkdirSync(bin)
  const claude = (text: string, version = '2.1.400') => {
    const status = '[ -e "$HOME/logged-in" ]; exit'
    const first = `case "$1" in --version) echo "${version} (Claude Code)"; exit;; auth) ${status};; esac`
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${first}\n${text}\n`)
    chmodSync(join(bin, 'claude'), 0o755)
  }
  claude(script)
  return { repo, claude, env: { PATH: `${bin}:${process.env['PATH']}` } }
}

test.concurrent('a limit that lasts days ends the run with 8; run, status and explain say until when (L33, L38)', async () => {
  const until = Math.ceil(Date.now() / 1000) + 3 * 24 * 3600
  const limit = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":${until}}}`
  const end =
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit","terminal_reason":"api_error"}'
  const { repo, env } = withClaude(`${say(INIT, limit, end)}; exit 1`)
  repo.write('plan.yaml', planText('p', { 1: '', 2: '' }))
  const run = exited(await repo.musterWith({ env }, 'run', 'plan.yaml'), 8)
  const words = `claude is at its rate limit until ${new Date(until * 1000).toISOString()}`
  expect(run.stdout).toContain(`${words}; after that, muster run continues 2 of these`)
  expect((await repo.here('status')).stdout).toContain(words)
  const status = (await repo.here('status', '--json')).json<StatusDocument & { limited: unknown[] }>()
  expect(status.limited).toEqual([{ program: 'claude', until: new Date(until * 1000).toISOString() }])
  expect(status.tasks.map(({ waitingFor, round }) => [waitingFor, round])).toEqual([
    [words, 0],
    [words, 0],
  ])
  expect((await repo.here('explain', 'p-2')).stdout).toContain(`waiting    ${words}`)
})

const call = (id: string, ...content: object[]) =>
  JSON.stringify({ type: 'assistant', message: { id, content, usage: { input_tokens: 100, output_tokens: 4 } } })
const result = (id: string, content: string, failed: boolean) =>
  JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: failed }] },
  })
const done = (usd: number) =>
  `{"type":"result","subtype":"success","is_error":false,"result":"All done.","total_cost_usd":${usd},"modelUsage":{"m":{"inputTokens":210,"outputTokens":9}}}`

const STREAM = [
  INIT,
  call(
    'm1',
    { type: 'text', text: 'I look first.' },
    { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } },
  ),
  result('t1', 'Exit code 2', true),
  call('m2', { type: 'tool_use', id: 't2', name: 'Write', input: { file_path: 'a.txt' } }),
  result('t2', 'written', false),
  done(0.25),
]

test.concurrent('logs tells what a program did, with exit codes, edits and what it cost; --raw has its stream', async () => {
  const { repo, env } = withClaude(`${say(...STREAM)}; echo a >a.txt; echo "a deprecation" >&2`)
  const run = exited(await repo.musterWith({ env }, 'run', 'Write the file', '--json'), 0)
  const [task = { id: '' }] = run.json<RunDocument>().tasks
  expect((await repo.here('logs', task.id)).stdout).toBe(
    [
      'session s-1 (m)',
      'I look first.',
      '▸ Bash: npm test',
      '  so far: 100 tokens in, 4 out',
      '  ✗ exit 2',
      '▸ Write: a.txt',
      '  so far: 200 tokens in, 8 out',
      '  ✓',
      '  so far: $0.2500, 210 tokens in, 9 out',
      'done',
      '',
      'stderr:',
      'a deprecation',
      '',
    ].join('\n'),
  )
  expect((await repo.muster('logs', task.id, '--raw')).stdout).toBe(`${STREAM.join('\n')}\n`)
  const document = (await repo.here('logs', task.id, '--json')).json<{ timeline: string[] }>()
  expect(document.timeline).toContain('▸ Bash: npm test')
  expect((await repo.here('show', task.id)).stdout).toMatch(/cost +\$0\.2500, 210 tokens in, 9 out/)
})

test.concurrent('logs -f follows a program at work to its end', async () => {
  const { repo, env } = withClaude(
    `${say(INIT)}; echo up >"$HOME/up"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; echo a >a.txt; ${say(done(0.25))}`,
  )
  const run = repo.startWith({ env }, 'run', 'Write the file')
  await fileText(join(repo.home, 'up'))
  const logs = repo.start('logs', '1', '-f')
  await logs.saw(/session s-1/)
  writeFileSync(join(repo.home, 'go'), '')
  expect(exited(await logs.ended, 0).stdout).toMatch(/done\n$/)
  expect(await run.ended).toMatchObject({ code: 0 })
})

test.concurrent('init takes the programs that are there; doctor says which, whether logged in, and what to do if not', async () => {
  const { repo, env, claude } = withClaude('')
  expect((await repo.musterWith({ env }, 'init', '--force')).stderr).toContain('agent   Claude Code (runtime claude)')
  expect(repo.read('muster.yaml')).toContain('implementer: { runtime: claude, timeout: 30m }')
  const doctor = async (more: Record<string, string> = {}) => repo.musterWith({ env: { ...env, ...more } }, 'doctor')
  const out = exited(await doctor(), 1).stdout
  expect(out).toContain('Claude Code 2.1.400, but not logged in')
  expect(out).toContain('run claude once to log in, or add ANTHROPIC_API_KEY to env')

  const key = { ANTHROPIC_API_KEY: 'dummy' }
  await repo.musterWith({ env: { ...env, ...key } }, 'init', '--force')
  expect(repo.read('muster.yaml')).toContain('env: [ANTHROPIC_API_KEY] }')
  expect(exited(await doctor(key), 0).stdout).toContain(
    'Claude Code 2.1.400, with ANTHROPIC_API_KEY of your environment',
  )
  writeFileSync(join(repo.home, 'logged-in'), '')
  expect(exited(await doctor(), 0).stdout).toContain('Claude Code 2.1.400, logged in')

  claude('', '2.0.1')
  expect(exited(await doctor(), 1).stdout).toContain(
    '2.1.325 or later is needed: npm install --global @anthropic-ai/claude-code',
  )
  const gone = exited(await repo.musterWith({ env: { PATH: '/usr/bin:/bin' } }, 'run', 'Write the file'), 2)
  expect(gone.stderr).toContain('(install it: npm install --global @anthropic-ai/claude-code)')
})
