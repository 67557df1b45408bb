/**
 * Who decides, where agents are not kept in: a person at a terminal, or on the board that they opened from one. An agent
 * that runs as the same user can read the token, reach the socket and start `muster`, and gets no decision for it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Explanation } from '../../src/engine/views/explain.ts'
import { BY_PERSON } from '../support/maps.ts'
import type { ErrorDocument, Repo, StatusDocument } from '../support/muster.ts'
import { cliWords, exited, makeRepo, planText } from '../support/muster.ts'

const hasScript = (() => {
  try {
    execFileSync('script', ['--version'])
    return true
  } catch {
    return false
  }
})()

const PERSON = `decisions: person\nphases: ${BY_PERSON}`

/** A task that waits for a person's word. */
async function waiting(config = PERSON, agent?: string): Promise<Repo> {
  const repo = makeRepo({ config, ...(agent === undefined ? {} : { agent }) })
  repo.write('plan.yaml', planText('p', { 1: '' }))
  exited(await repo.here('run', 'plan.yaml'), 8)
  return repo
}

const stageOf = async (repo: Repo, id: string) =>
  (await repo.here('status', '--all', '--json')).json<StatusDocument>().tasks.find((task) => task.id === id)?.stage

const historyOf = async (repo: Repo) =>
  (await repo.here('explain', 'p-1', '--json')).json<Explanation>().history.map(({ text }) => text)

test('L16 a command without a terminal decides nothing, and says how a person does', async () => {
  const repo = await waiting()
  for (const words of [['accept'], ['approve'], ['reject', '-m', 'no'], ['cancel'], ['retry'], ['submit']]) {
    const { error } = exited(await repo.muster(...words, 'p-1', '--json'), 4).json<ErrorDocument>()
    expect(error.message).toContain('Muster cannot tell that a person decides this')
    expect(error.hint).toContain('decisions: scripted')
  }
  exited(await repo.muster('ship', 'p', '--json'), 4)
  expect(await stageOf(repo, 'p-1')).toBe('review')
})

test('with decisions: scripted they do, and the history and run say so', async () => {
  const repo = await waiting(`decisions: scripted\nphases: ${BY_PERSON}`)
  exited(await repo.here('accept', 'p-1'), 0)
  expect(await historyOf(repo)).toContain('tester said accept (scripts may decide)')
  expect((await repo.here('run')).stderr).toContain('and decide in your name (decisions: scripted in muster.yaml)')
})

test.skipIf(!hasScript)('a person at a terminal decides, with an engine at work and without one', async () => {
  const repo = await waiting()
  exited(await repo.musterWith({ terminal: true }, 'reject', 'p-1', '-m', 'shorter'), 0)
  expect(await historyOf(repo)).toContain('tester said reject: shorter (at a terminal)')
  exited(await repo.here('run'), 8)
  const serving = repo.start('serve', '--port', '0', '--json')
  await serving.saw(/"url"/)
  exited(await repo.muster('accept', 'p-1'), 4)
  exited(await repo.musterWith({ terminal: true }, 'accept', 'p-1'), 0)
  expect(await historyOf(repo)).toContain('tester said accept (at a terminal)')
  serving.signal('SIGINT')
  await serving.ended
})

/** What the page of the board gets for its link, and what it then may. */
async function throughBoard(link: string, path: string): Promise<{ status: number; text: string }> {
  const { origin, hash } = new URL(link)
  const json = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ key: hash.slice('#key='.length) })
  const entered = await fetch(`${origin}/api/session`, { method: 'POST', headers: json, body })
  const { session } = (await entered.json()) as { session: string }
  const headers = { ...json, Authorization: `Bearer ${session}` }
  expect((await fetch(`${origin}/api/tasks`, { headers })).status).toBe(200)
  const said = await fetch(origin + path, { method: 'POST', headers, body: '{}' })
  return { status: said.status, text: await said.text() }
}

test.skipIf(!hasScript)(
  'a page of the board decides if a terminal opened it; the token and its links read',
  async () => {
    const repo = await waiting()
    const serving = repo.start('serve', '--port', '0', '--json')
    const [, link = ''] = await serving.saw(/"link":"([^"]+)"/)
    const { origin } = new URL(link)
    const token = readFileSync(join(repo.dataDir(), 'serve.token'), 'utf8').trim()
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const ask = (path: string) => fetch(origin + path, { method: 'POST', headers, body: '{}' })

    const byToken = await ask('/api/tasks/p-1/accept')
    expect(byToken.status).toBe(403)
    expect(await byToken.text()).toContain('agents run without a sandbox and can read the token')
    // Nobody at a terminal started this server; a link that the token asked for is worth no more.
    expect(await throughBoard(link, '/api/tasks/p-1/accept')).toMatchObject({ status: 403 })
    const { link: other } = (await (await ask('/api/link')).json()) as { link: string }
    expect(await throughBoard(other, '/api/tasks/p-1/accept')).toMatchObject({ status: 403 })

    // A person asks the server for a link of their own.
    const { stdout } = exited(await repo.musterWith({ terminal: true }, 'serve', '--port', '0'), 1)
    const own = /once: (\S+)/.exec(stdout)?.[1] ?? ''
    expect(await throughBoard(own, '/api/tasks/p-1/accept')).toMatchObject({ status: 200 })
    expect(await historyOf(repo)).toContain('tester said accept (on the board)')
    serving.signal('SIGINT')
    await serving.ended
  },
)

/**
 * What an agent of one task tries for another that waits: by itself, at a terminal that it made, as an orphan of its own
 * at such a terminal, and at the socket, with a claim that is another's.
 */
const ACTS = (repo: string) => `
[ "$MUSTER_TASK_ID" = p-1 ] && { echo x >x.txt; exit 0; }
clean="env -i PATH=$PATH HOME=$HOME MUSTER_HOME=$HOME/../state USER=tester"
cd ${repo}
$clean ${cliWords} accept p-1 >"$HOME/plain" 2>&1; echo "$?" >>"$HOME/plain"
$clean script -qefc "${cliWords} accept p-1" /dev/null >"$HOME/terminal" 2>&1; echo "$?" >>"$HOME/terminal"
( setsid $clean sh -c 'script -qefc "${cliWords} accept p-1" /dev/null >"$HOME/orphan.part" 2>&1; echo "$?" >>"$HOME/orphan.part"; mv "$HOME/orphan.part" "$HOME/orphan"' & )
while [ ! -e "$HOME/orphan" ]; do sleep 0.05; done
$clean ${process.execPath} socket.cjs >"$HOME/socket" 2>&1
true`

const SOCKET = `
const { connect } = require('node:net'), { openSync, readdirSync } = require('node:fs')
const [project] = readdirSync(process.env.MUSTER_HOME)
const socket = connect(process.env.MUSTER_HOME + '/' + project + '/engine.sock')
const params = { kind: 'accept', task: 'p-1', message: '', by: 'tester' }
const send = (id, method, from) => socket.write(JSON.stringify({ id, method, params, from }) + '\\n')
let rest = '', answers = 0
socket.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const said = JSON.parse(line)
    console.log(JSON.stringify(said))
    if (said.id !== 1) { if (++answers === 4) socket.end(); continue }
    const descriptor = openSync(said.result)
    send(2, 'decide')
    send(3, 'decide', { pid: process.pid, descriptor })
    send(4, 'decide', { pid: 1, descriptor })
    send(5, 'decide', { pid: process.ppid, descriptor: 0 })
  }
})
send(1, 'prove')
`

test.skipIf(!hasScript)('L16 an agent decides nothing for another task, whatever it makes of itself', async () => {
  const repo = makeRepo({ config: PERSON, agent: null })
  repo.write('socket.cjs', SOCKET)
  repo.script('agent.sh', ACTS(repo.dir))
  repo.write('plan.yaml', planText('p', { 1: '', bad: 'depends_on: []' }))
  exited(await repo.muster('run', 'plan.yaml'), 8)
  const found = (name: string) => readFileSync(join(repo.home, name), 'utf8')
  for (const name of ['plain', 'terminal', 'orphan']) {
    expect(found(name), name).toMatch(/Muster cannot tell that a person decides this[^]*\r?\n4\n$/)
  }
  expect(found('orphan')).toContain('newer than the first agent')
  const answers = found('socket')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; error?: { code: string } })
  expect(answers.toSorted((a, b) => a.id - b.id).map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    ...[2, 3, 4, 5].map((id) => [id, 'not_allowed']),
  ])
  expect(await stageOf(repo, 'p-1')).toBe('review')
})
