/** The real Claude Code as a person's program: it finds Muster's tools, over stdio and over HTTP, and uses them. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startModelServer, type ModelServer } from '../model-server/server.ts'
import { cliFile, makeRepo, type Repo } from '../support/muster.ts'
import { bin } from './model.ts'
import { PROGRAMS } from './stage.ts'

const { there = false, title = '' } = PROGRAMS.find(({ name }) => name === 'claude') ?? {}

let model: ModelServer
beforeAll(async () => void (model = await startModelServer()))
afterAll(() => model.close())

/** Claude Code in the repository, with this server and a model that lists tasks; gives what the model was told. */
async function listedBy(repo: Repo, server: object): Promise<string> {
  const play = model.play({ steps: [{ muster: { tool: 'list_tasks', input: { open: true } } }, { say: 'Done.' }] }, '')
  const config = JSON.stringify({ mcpServers: { muster: server } })
  const settings = JSON.stringify({ env: { ANTHROPIC_BASE_URL: play.url } })
  const words = '-p --model sonnet --output-format json --permission-mode dontAsk --strict-mcp-config'.split(' ')
  const allowed = ['--allowedTools', 'mcp__muster__list_tasks']
  const args = [...words, ...allowed, '--settings', settings, '--mcp-config', config, '--', 'What is open?']
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: repo.home,
    ANTHROPIC_API_KEY: 'dummy',
    ENABLE_TOOL_SEARCH: 'false',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
  const child = spawn(join(bin, 'claude'), args, { cwd: repo.dir, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, said).toBe(0)
  return JSON.stringify(play.calls.map(({ body }) => body))
}

async function withTask(): Promise<Repo> {
  const repo = makeRepo({ config: 'phases: reviewed\nchecks: {}' })
  mkdirSync(join(repo.home, '.claude'))
  writeFileSync(join(repo.home, '.claude.json'), '{}')
  expect((await repo.here('add', 'Write it down for Claude')).code).toBe(0)
  return repo
}

/** Its tools, by the names that the program gives them, and what one of them said. */
const LISTED = /mcp__muster__create_task[^]*mcp__muster__request_ship[^]*Write it down for Claude/

test.skipIf(!there)(`${title} lists tasks through muster mcp`, async () => {
  const repo = await withTask()
  const env = { MUSTER_HOME: repo.musterHome, HOME: repo.home }
  expect(await listedBy(repo, { command: process.execPath, args: [cliFile, 'mcp'], env })).toMatch(LISTED)
})

test.skipIf(!there)(`${title} lists tasks through /mcp of muster serve`, async () => {
  const repo = await withTask()
  const serving = repo.start('serve', '--port', '0', '--json')
  await serving.saw(/task-1 .*review/)
  const { url } = JSON.parse(readFileSync(join(repo.dataDir(), 'serve.json'), 'utf8')) as { url: string }
  const token = readFileSync(join(repo.dataDir(), 'serve.token'), 'utf8').trim()
  const server = { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } }
  expect(await listedBy(repo, server)).toMatch(LISTED)
  serving.signal('SIGTERM')
  await serving.ended
})
