/** The server as a program starts it: a process of its own, spoken to over its stdin and stdout. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { verdictBytesMax } from '../domain/limits.ts'
import type { JudgeFile } from '../ports/runtime.ts'
import { tempDir } from '../process/fixtures/temp.ts'

const main = join(import.meta.dirname, '../cli/main.ts')
const JUDGE: JudgeFile = {
  task: 'auth-1',
  attempt: 2,
  commit: 'abc',
  criteria: ['c1', 'c2'],
  warns: false,
  contract: 'It works.',
}

interface Answer {
  id: number
  result?: object
  error?: object
}

interface Result {
  content: { text: string }[]
  isError: boolean
}

/** Starts it in the environment of a judge's run, and talks to it. */
function server(args: string[] = []) {
  const dir = tempDir()
  writeFileSync(join(dir, 'judge.json'), JSON.stringify(JUDGE))
  const env = { HOME: dir, PATH: '/usr/bin:/bin', MUSTER_VERDICT_FILE: join(dir, 'verdict') }
  const child = spawn(process.execPath, [main, 'mcp', '--role', 'judge', ...args], { env, cwd: dir })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let id = 0
  const next = async () => JSON.parse(((await lines.next()) as { value: string }).value) as Answer
  const ask = async (method: string, params: object = {}) => {
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const answer = await next()
    expect(answer.id).toBe(id)
    return answer.result
  }
  const call = async (name: string, input: object): Promise<[string, boolean]> => {
    const { content, isError } = (await ask('tools/call', { name, arguments: input })) as Result
    return [content[0]?.text ?? '', isError]
  }
  const end = async (): Promise<number> => {
    child.stdin.end()
    const [code] = (await once(child, 'exit')) as [number]
    return code
  }
  const told = (): string[] =>
    existsSync(join(dir, 'calls.jsonl')) ? readFileSync(join(dir, 'calls.jsonl'), 'utf8').trim().split('\n') : []
  return { next, ask, call, end, told, child }
}

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const ANSWERS = [
  { id: 'c1', status: 'PASS', note: 'ran it' },
  { id: 'c2', status: 'PASS' },
]

test('muster mcp --role judge: a judge reads the contract, reports, is corrected, and gives its verdict', async () => {
  const { ask, call, end, told } = server()
  expect(await ask('initialize', HELLO)).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'muster' },
  })
  const { tools } = (await ask('tools/list')) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toEqual(['get_contract', 'report_finding', 'submit_verdict'])
  const [contract] = await call('get_contract', {})
  expect(contract).toContain('task auth-1, attempt 2, commit abc')
  expect(contract).toContain('It works.')
  expect(contract).toContain('c1, c2')
  const wrong: [string, object, string][] = [
    [
      'report_finding',
      { severity: 'BAD', message: 'x' },
      'report_finding.severity is "BAD": it must be one of FAIL, WARN',
    ],
    [
      'report_finding',
      { severity: 'FAIL', message: 'I do not like it' },
      'a FAIL must name a criterion, a file or a command',
    ],
    ['report_finding', { severity: 'WARN', message: 'x', line: 0 }, 'it must be a whole number from 1 on'],
    [
      'submit_verdict',
      { verdict: 'great', nonce: 'n' },
      'submit_verdict.verdict is "great": it must be one of PASS, WARN, FAIL',
    ],
    ['submit_verdict', { verdict: 'PASS' }, 'submit_verdict lacks nonce'],
    ['submit_verdict', { verdict: 'PASS', nonce: 'n', task: 'x' }, 'submit_verdict has no field "task"'],
    [
      'submit_verdict',
      { verdict: 'PASS', nonce: 'n', criteria: ['c1'] },
      'submit_verdict.criteria[0] must be an object',
    ],
    ['submit_verdict', { verdict: 'PASS', nonce: 'n', criteria: ANSWERS.slice(1) }, 'its PASS says nothing about c1'],
    ['submit_verdict', { verdict: 'WARN', nonce: 'n', criteria: ANSWERS }, 'only PASS and FAIL are allowed'],
    [
      'submit_verdict',
      { verdict: 'FAIL', nonce: 'n', findings: [{ severity: 'WARN', message: 'x' }] },
      'names no unmet criterion',
    ],
    ['drop_tables', {}, 'there is no tool "drop_tables"'],
  ]
  for (const [tool, input, why] of wrong) {
    const [text, refused] = await call(tool, input)
    expect([text.includes(why), refused], `${why}: ${text}`).toEqual([true, true])
  }
  const [reported, isError] = await call('report_finding', { severity: 'WARN', message: 'slow' })
  expect([reported.startsWith('Recorded'), isError]).toEqual([true, false])
  expect((await call('submit_verdict', { verdict: 'PASS', nonce: 'n', criteria: ANSWERS }))[0]).toContain(
    'Recorded: PASS',
  )
  expect(JSON.parse(told().at(-1) ?? '')).toEqual({
    tool: 'submit_verdict',
    input: { verdict: 'PASS', nonce: 'n', criteria: ANSWERS },
  })
  expect(await end()).toBe(0)
})

test('what it does not understand it says so, and goes on; what is too much it does not take', async () => {
  const { child, next, call, end, told } = server()
  const long = 'x'.repeat(verdictBytesMax + 10)
  child.stdin.write(`\n[]\n{"id":\n${long}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`)
  for (const code of [-32600, -32700, -32700]) expect(await next()).toMatchObject({ error: { code } })
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
  child.stdin.write(
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"submit_verdict","arguments":{"verdict":${deep}}}}\n`,
  )
  expect(await next()).toMatchObject({ id: 7, result: { isError: true } })
  const big = { severity: 'WARN', message: 'x'.repeat(verdictBytesMax / 2) }
  expect((await call('report_finding', big))[1]).toBe(false)
  expect(await call('report_finding', big)).toEqual([expect.stringContaining('the text is too long') as string, true])
  expect(told()).toHaveLength(1)
  expect(await end()).toBe(0)
})

test('without a run it says what it needs', async () => {
  const { child } = server(['--dir', 'nowhere'])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(5)
  expect(said).toContain("no judge's run in")
})
