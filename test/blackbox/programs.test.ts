/** Agent programs as a user meets them: a `claude` that is a little script and speaks like the real one. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exited, makeRepo, planText, type Repo, type StatusDocument } from '../support/muster.ts'

const INIT = '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}'
const say = (...lines: string[]): string => lines.map((line) => `echo '${line}'`).join('\n')

/** A repository whose agent is `claude`: this script, on a PATH of its own. */
function withClaude(script: string, config = ''): { repo: Repo; env: Record<string, string> } {
  const repo = makeRepo({ agent: null })
  repo.write(
    'muster.yaml',
    `version: 1\nphases: direct\nsandbox: off\nagents: { implementer: { runtime: claude } }\n${config}`,
  )
  const bin = join(repo.home, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'claude'),
    `#!/bin/sh\ncase "$1" in --version) echo "2.1.400 (Claude Code)"; exit;; esac\n${script}\n`,
  )
  chmodSync(join(bin, 'claude'), 0o755)
  return { repo, env: { PATH: `${bin}:${process.env['PATH']}` } }
}

test.concurrent('a limit that lasts days ends the run with 8; run, status and explain say until when (L33, L38)', async () => {
  const until = Math.ceil(Date.now() / 1000) + 3 * 24 * 3600
  const limit = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":${until}}}`
  const end =
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit","terminal_reason":"api_error"}'
  const { repo, env } = withClaude(`${say(INIT, limit, end)}; exit 1`)
  repo.write('plan.yaml', planText('p', { 1: '', 2: '' }))
  const run = exited(await repo.musterWith({ env }, 'run', 'plan.yaml'), 8)
  const words = `claude is limited until ${new Date(until * 1000).toISOString()}`
  expect(run.stdout).toContain(`${words}: then muster run goes on with 2 of these`)
  expect((await repo.muster('status')).stdout).toContain(words)
  const status = (await repo.muster('status', '--json')).json<StatusDocument & { limited: unknown[] }>()
  expect(status.limited).toEqual([{ program: 'claude', until: new Date(until * 1000).toISOString() }])
  expect(status.tasks.map(({ waitingFor, round }) => [waitingFor, round])).toEqual([
    [words, 0],
    [words, 0],
  ])
  expect((await repo.muster('explain', 'p-2')).stdout).toContain(`waits for  ${words}`)
})
