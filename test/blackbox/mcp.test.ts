/** `muster mcp` as a person's program starts it: a process of its own, over stdin and stdout, by the official client. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, describe, expect, test } from 'vitest'
import { mcpLineCharsMax } from '../../src/domain/limits.ts'
import { Tools, WAYS } from '../support/mcp.ts'
import { cliFile, makeRepo, type Repo } from '../support/muster.ts'

let tools: Tools | undefined
afterEach(async () => {
  await tools?.close()
  tools = undefined
})

async function connect(repo: Repo, mode = WAYS['2025-11-25']): Promise<Tools> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: repo.home, MUSTER_HOME: repo.musterHome }
  const transport = new StdioClientTransport({ command: process.execPath, args: [cliFile, 'mcp'], cwd: repo.dir, env })
  return (tools = await Tools.over(transport, mode))
}

describe.each(Object.entries(WAYS))('a client of %s', (version, mode) => {
  test('creates a task beside no engine; muster run does it, and the client sees that', async () => {
    const repo = makeRepo({ config: 'protected: []' })
    const connected = await connect(repo, mode)
    expect(connected.client.getNegotiatedProtocolVersion()).toBe(version)
    expect(connected.client.getInstructions()).toContain('ask a person for decisions')
    expect((await connected.call('list_tasks')).json).toEqual({ tasks: [], next: null })
    expect((await connected.call('create_task', { title: 'Write it down' })).json).toMatchObject({ id: 'task-1' })
    expect((await repo.here('run')).code).toBe(0)
    expect((await connected.call('get_task', { task: '1' })).json).toMatchObject({ status: 'completed' })
    expect(await connected.read('muster://tasks/task-1/report')).toContain('"status": "completed"')
  })
})

test('beside a running serve it asks that one, and a person decides', async () => {
  const repo = makeRepo({ config: 'phases: reviewed\nchecks: {}' })
  const serving = repo.start('serve', '--port', '0', '--json')
  await serving.saw(/"url"/)
  const { call } = await connect(repo)
  const use = call.bind(tools)
  await use('create_task', { title: 'Write it down' })
  await serving.saw(/task-1 .*review/)
  expect((await use('request_accept', { task: 'task-1', reason: 'it works' })).json).toMatchObject({ id: 'task-1' })
  expect((await repo.muster('explain', 'task-1')).stdout).toContain('mcp: an agent asked to accept it: it works')
  expect((await use('get_task', { task: 'task-1' })).json).toMatchObject({ stage: 'review' })
  serving.signal('SIGTERM')
  await serving.ended
})

test('F-6 an agent at work gets no powers by it', async () => {
  const repo = makeRepo()
  const inside = await repo.musterWith({ env: { MUSTER_TASK_ID: 's-1' }, input: '' }, 'mcp')
  expect([inside.code, inside.stdout]).toEqual([4, ''])
  expect(inside.stderr).toContain('muster mcp is refused: this terminal belongs to the agent of task s-1')
})

test('it answers what it was asked before its input ended, and goes on after what is no message', async () => {
  const repo = makeRepo()
  const request = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const hello = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const input = [
    request(1, 'initialize', hello),
    '{',
    '[]',
    'null',
    '{"jsonrpc":"1.0","id":9,"method":"ping"}',
    `"${'x'.repeat(mcpLineCharsMax + 10)}"`,
    request(2, 'resources/subscribe', { uri: 'muster://tasks/x/report' }),
    request(3, 'tools/call', { name: { toString: 1 } }),
    request(4, 'tools/call', { name: 'list_tasks', arguments: 'none' }),
    request(5, 'tools/call', { name: 'list_tasks' }),
    request(6, 'no/such', {}),
  ].join('\n')
  const { code, stdout, stderr } = await repo.musterWith({ input: `${input}\n` }, 'mcp')
  expect([code, stderr]).toEqual([0, ''])
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } })
  const codes = (id: number | null) => said.filter((one) => one.id === id).map(({ error }) => error?.code)
  expect(said.find(({ id }) => id === 1)).toMatchObject({
    id: 1,
    result: { protocolVersion: '2025-11-25', serverInfo: { name: 'muster' } },
  })
  expect(codes(null)).toEqual([-32700, -32600, -32600, -32600, -32700])
  expect([2, 3, 4, 6].map((id) => codes(id))).toEqual([[-32601], [-32602], [-32602], [-32601]])
  expect(said.find(({ id }) => id === 5)).toMatchObject({ result: { isError: false } })
})

test('without a project it says what is missing', async () => {
  const repo = makeRepo()
  const { code, stderr } = await repo.musterWith({ cwd: repo.home, input: '' }, 'mcp')
  expect(code).not.toBe(0)
  expect(stderr).toContain('git repository')
  const dir = await repo.here('mcp', '--dir', 'x')
  expect([dir.code, dir.stderr]).toEqual([2, expect.stringContaining('--dir only works with --role judge') as string])
})
