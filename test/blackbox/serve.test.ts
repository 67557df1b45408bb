/** muster serve as a user has it: one process that works on everything and answers, and all other commands beside it. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { enter } from '../support/http.ts'
import type { Repo, RunDocument, Running } from '../support/muster.ts'
import { exited, isAlive, makeRepo, planText } from '../support/muster.ts'
import { BY_PERSON } from '../support/maps.ts'

interface Served {
  url: string
  tokenFile: string
  pid: number
}

async function serving(repo: Repo, ...args: string[]): Promise<{ running: Running; served: Served; token: string }> {
  const running = repo.start('serve', '--port', '0', '--json', ...args)
  await running.saw(/"pid":\d+\}\n/)
  // Its address is where the next one looks for it, too.
  const { url } = JSON.parse(readFileSync(join(repo.dataDir(), 'serve.json'), 'utf8')) as Served
  const tokenFile = join(repo.dataDir(), 'serve.token')
  return { running, served: { url, tokenFile, pid: running.pid }, token: readFileSync(tokenFile, 'utf8').trim() }
}

const ask = async (url: string, token: string, body?: object) => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url, init)
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

describe.concurrent('muster serve', () => {
  test('prints one line, works on what is open and on what comes, and ends when it is asked to (DESIGN 11)', async () => {
    const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
    exited(await repo.muster('add', 'Left open'), 0)
    const { running, served, token } = await serving(repo)
    expect(statSync(served.tokenFile).mode & 0o777).toBe(0o600)
    await running.saw(/task-1 implement → review/)

    const story = await ask(`${served.url}/api/stories`, token, { name: 'Shop', tasks: [{ name: 'A' }] })
    expect(story).toMatchObject({ status: 201, json: { added: ['shop-1'] } })
    await running.saw(/shop-1 implement → review/)
    expect(await ask(`${served.url}/api/tasks/shop-1/accept`, token, {})).toMatchObject({ status: 200 })
    await running.saw(/shop-1 completed/)

    repo.write('plan.yaml', planText('p', { a: 'phases: direct' }))
    const run = await repo.muster('run', 'plan.yaml', '--json')
    expect(run, run.stderr).toMatchObject({ code: 0 })
    expect(run.stderr).toContain('another muster is at work here; following it')
    expect(run.json<RunDocument>()).toMatchObject({ tasks: [{ id: 'p-a', status: 'completed' }] })
    const told = exited(await repo.muster('reject', 'task-1', '-m', 'again'), 0)
    expect(told.stderr).toContain('task-1 rejected')
    await running.saw(/task-1 review → implement/)

    for (const port of ['0', new URL(served.url).port]) {
      const second = exited(await repo.muster('serve', '--port', port), 1)
      expect(second.stderr).toContain(`muster serve is already running: ${served.url} (process ${served.pid})`)
      const [another = ''] = /http:\S+#key=[0-9a-f]+/.exec(second.stderr) ?? []
      expect(await enter(another)).toMatch(/^\d+\.[0-9a-f]+(?:\.[0-9a-f]{64}){2}$/)
    }

    running.signal('SIGTERM')
    const ended = await running.ended
    expect(ended).toMatchObject({ code: 0 })
    const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#key=[0-9a-f]{64}$/) as string
    expect(JSON.parse(ended.stdout)).toEqual({ ...served, link })
    expect(existsSync(join(repo.dataDir(), 'serve.json'))).toBe(false)
    expect(isAlive(served.pid)).toBe(false)
    expect(await repo.muster('doctor')).toMatchObject({ code: 0 })
  })

  test('goes on by itself after a decision from another terminal', async () => {
    const repo = makeRepo({ config: `phases: ${BY_PERSON}` })
    const { running } = await serving(repo)
    exited(await repo.muster('add', 'Land this'), 0)
    await running.saw(/task-1 implement → review/)
    const told = exited(await repo.muster('accept', 'task-1'), 0)
    expect(told.stderr).toContain('task-1 accepted; it may land on main\n  the running muster continues with it')
    await running.saw(/task-1 completed/)
    running.signal('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  test('keeps its token over a restart, and leaves no false address when it is killed', async () => {
    const repo = makeRepo()
    const first = await serving(repo)
    first.running.signal('SIGKILL')
    await first.running.ended
    const second = await serving(repo)
    expect(second.token).toBe(first.token)
    expect(second.served.url).not.toBe(first.served.url)
    second.running.signal('SIGINT')
    expect(await second.running.ended).toMatchObject({ code: 0 })
  })

  test('begins nothing for a port that is taken, an address that is not allowed, or an agent', async () => {
    const repo = makeRepo()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const taken = exited(await repo.muster('serve', '--port', String(port)), 1)
    expect(taken.stderr).toMatch(/another program already listens on 127\.0\.0\.1:\d+/)
    other.close()
    const open = exited(await repo.muster('serve', '--host', '0.0.0.0', '--port', '0'), 2)
    expect(open.stderr).toMatch(/refuses to listen on 0\.0\.0\.0[^]*serve: \{ allowHosts:/)
    expect(exited(await repo.muster('serve', '--port', 'http'), 2).stderr).toContain('--port http is not a port')
    const inside = await repo.musterWith({ env: { MUSTER_TASK_ID: 't-1' } }, 'serve', '--port', '0')
    expect(exited(inside, 4).stderr).toContain('muster serve is refused')
    expect(existsSync(join(repo.dataDir(), 'muster.db'))).toBe(false)
  })
})
