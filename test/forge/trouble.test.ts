/** What goes wrong between Muster and GitHub: limits, tokens, rules. Nothing of it costs a round, and all of it is told. */
import { wordsOf } from '../../src/domain/task/reasons.ts'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { attach } from '../../src/app.ts'
import { explain } from '../../src/engine/views/explain.ts'
import { GitHubHttp } from '../../src/forge/github/http.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { openProject } from '../../src/project.ts'
import { GitHubWorld, ONE } from './support.ts'

let here: GitHubWorld
afterEach(() => here.dispose())

async function begun(options: Parameters<typeof GitHubWorld.create>[0] = {}): Promise<GitHubWorld> {
  here = await GitHubWorld.create(options)
  here.world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  return here
}

const waitOf = async () => {
  const reason = (await here.world.store.task('s-1'))?.state.wait ?? null
  return reason === null ? '' : wordsOf(reason)
}

describe('the token', () => {
  test('none: nothing begins', async () => {
    const { world } = await begun()
    const project = await openProject(world.repository, world.env)
    const env = { ...world.env, FAKE_TOKEN: ' ' }
    await expect(attach(project, env)).rejects.toMatchObject({
      code: 'config',
      hint: expect.stringContaining('FAKE_TOKEN'),
    })
    await world.start()
  })

  test('none: the task waits, and is told what to set, with its permissions', async () => {
    const { world, github } = await begun()
    delete world.env['FAKE_TOKEN']
    await world.run(ONE)
    expect(await waitOf()).toMatch(/the environment has no FAKE_TOKEN.*"Contents", "Pull requests".*scope repo/s)
    expect(await world.task('s-1')).toMatchObject({ phase: 'open-pr', round: 0, status: 'in-progress' })
    expect(github.asked).toEqual([])
  })

  test('with a line break in it: told as such, and not shown', async () => {
    const { world, github } = await begun()
    world.env['FAKE_TOKEN'] = 'ghp_one\nghp_two'
    await world.run(ONE)
    expect(await waitOf()).toContain('the environment has no usable FAKE_TOKEN')
    expect(await waitOf()).not.toContain('ghp_')
    expect(github.asked).toEqual([])
  })

  test('expired: told as such, and goes on when there is another', async () => {
    const { world } = await begun({ forge: 'remoteUrl: "REMOTE"' })
    world.env['FAKE_TOKEN'] = 'ghp_old'
    await world.run(ONE)
    expect(await waitOf()).toMatch(/GitHub refuses git|does not know the token in FAKE_TOKEN/)
    expect(await waitOf()).not.toContain('ghp_old')
    world.env['FAKE_TOKEN'] = here.github.token
    await here.happened()
    expect(await world.task('s-1')).toMatchObject({ phase: 'await-review' })
  })

  test('expired, where git needs none: the API says so', async () => {
    const { world } = await begun()
    world.env['FAKE_TOKEN'] = 'ghp_old'
    await world.run(ONE)
    expect(await waitOf()).toMatch(
      /GitHub does not know the token in FAKE_TOKEN: Bad credentials.*expired or was revoked/s,
    )
  })

  test('may too little: the missing permission is named', async () => {
    const { world, github } = await begun()
    github.forbidden.push(/^POST \/pulls$/)
    await world.run(ONE)
    expect(await waitOf()).toMatch(
      /is not allowed to do this at acme\/shop: Resource not accessible.*"Pull requests: write".*scope repo/s,
    )
  })

  test('sees no such repository: the name and the permission are named', async () => {
    const { world, github } = await begun()
    github.next.push({
      status: 404,
      body: { message: 'Not Found', documentation_url: 'https://docs.invalid', status: '404' },
    })
    await world.run(ONE)
    expect(await waitOf()).toMatch(
      /shows the token in \w+ nothing at acme\/shop\/pulls.*check forge\.repository in muster\.yaml.*"Pull requests: write"/s,
    )
  })

  test('a repository that was renamed is told as such, and nobody follows with the token', async () => {
    const { world, github } = await begun()
    const elsewhere = { location: 'https://elsewhere.example.org/' }
    github.next.push({ status: 301, body: { message: 'Moved Permanently' }, headers: elsewhere })
    await world.run(ONE)
    expect(await waitOf()).toMatch(/acme\/shop has moved to another name.*forge\.repository/s)
    github.wrong.length = 0
  })

  test('is not passed on by a task that is older than the forge', async () => {
    const { world, github } = await begun({ config: 'phases: direct\n' })
    const file = join(world.repository, 'muster.yaml')
    const now = readFileSync(file, 'utf8')
    writeFileSync(file, now.replace(/^forge:.*$/m, '').replaceAll('verdict: file,', 'verdict: file, env: [FAKE_TOKEN]'))
    world.agent('s-1', 'echo "got: ${FAKE_TOKEN-nothing}" >one.txt; verdict pass')
    await world.start()
    await world.submit(ONE)
    await world.stop()
    writeFileSync(file, now)
    process.env['FAKE_TOKEN'] = github.token
    try {
      await world.start()
      await world.settled()
    } finally {
      delete process.env['FAKE_TOKEN']
    }
    expect(world.git('show', 'muster/story/s:one.txt')).toBe('got: nothing')
  })

  test('is nowhere but at GitHub: no file, no log, no prompt, no environment, no history', async () => {
    const { world, github } = await begun({ forge: 'remoteUrl: "REMOTE"' })
    process.env['FAKE_TOKEN'] = github.token
    try {
      world.agent('s-1', 'env >env.txt; cp /proc/$PPID/environ parent.txt 2>/dev/null; echo 1 >one.txt; verdict pass')
      await world.run(ONE)
      github.review('APPROVED')
      await here.happened()
    } finally {
      delete process.env['FAKE_TOKEN']
    }
    expect(await world.task('s-1')).toMatchObject({ status: 'completed' })
    await world.engine.stop()
    await world.store.close()
    const basic = Buffer.from(`x-access-token:${github.token}`).toString('base64')
    const leaks = filesIn(world.top).filter((file) => {
      const bytes = readFileSync(file)
      return bytes.includes(github.token) || bytes.includes(basic)
    })
    expect(leaks).toEqual([])
    const told = JSON.stringify(world.events)
    expect([told.includes(github.token), told.includes(basic)]).toEqual([false, false])
    expect(github.git.run('show', `${github.pull().mergedAs}:env.txt`)).not.toContain('FAKE_TOKEN')
  })
})

test('git that does not reach GitHub is tried again by itself', async () => {
  const { world } = await begun({ forge: 'remoteUrl: "http://127.0.0.1:1/acme/shop.git"' })
  await world.start()
  await world.submit(ONE)
  await world.until(({ type, name, outcome }) => type === 'run-ended' && name === 'open-pr' && outcome === 'WAIT')
  expect(await waitOf()).toMatch(/^git cannot reach GitHub: /)
  expect((await world.store.task('s-1'))?.state).toMatchObject({
    wait: { params: { busy: true } },
    errors: 0,
    round: 0,
  })
})

test('a GitHub that does not answer keeps nobody from ending Muster', { timeout: 20_000 }, async () => {
  const { world, github } = await begun()
  // It holds on to a question, and to what git asks it.
  const silent = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  github.beforeAnswer = () => (asked.resolve(), silent.promise)
  await world.start()
  await world.submit(ONE)
  await asked.promise
  await world.engine.stop()
  silent.resolve()
  github.beforeAnswer = () => undefined
  await world.store.close()
  await world.start()
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', round: 0 })
  expect(github.pulls).toHaveLength(1)
})

test('nothing is asked of GitHub any more when Muster has ended, though a look at it was about to begin', async () => {
  const { world } = await begun()
  await world.run(ONE)
  const { workspaces, forge } = world.engine.parts
  const asked: string[] = []
  const [came, held] = [Promise.withResolvers<void>(), Promise.withResolvers<null>()]
  workspaces.personalHead = () => (came.resolve(), held.promise)
  const { read } = forge
  forge.read = (pull) => (asked.push(pull.id), read(pull))
  world.engine.look()
  await came.promise
  await world.engine.stop()
  held.resolve(null)
  await new Promise<void>((resolve) => void setImmediate(resolve))
  expect(asked).toEqual([])
})

test('an answer that no GitHub gives keeps the task waiting, and the engine going', async () => {
  const { world, github } = await begun()
  github.next.push({ status: 200, body: { surprise: true } })
  await world.run(ONE)
  expect(await waitOf()).toContain('GitHub gave an unexpected answer')
  github.wrong.length = 0
  await here.happened()
  expect(await world.task('s-1')).toMatchObject({ phase: 'await-review', round: 0 })
})

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
}

describe('limits', () => {
  test('a secondary limit pauses everything for as long as it asks, costs nothing, and is told', async () => {
    const { world, github } = await begun()
    github.next.push({
      status: 403,
      body: {
        message: 'You have exceeded a secondary rate limit. Please wait.',
        documentation_url: 'https://docs.invalid',
      },
      headers: { 'retry-after': '3600' },
    })
    await world.start()
    await world.submit(ONE)
    const limited = (wanted: string) =>
      world.until(
        ({ type, run, detail }) => type === 'run-ended' && run === wanted && String(detail).includes('secondary'),
      )
    await limited('s-1.r3')
    const asked = github.asked.length
    world.engine.look()
    await limited('s-1.r4')
    expect(github.asked).toHaveLength(asked)
    const task = await world.store.task('s-1')
    expect(task?.state).toMatchObject({ round: 0, errors: 0, wait: { params: { busy: true } } })
    if (task === null) return
    expect((await explain(world.store, task)).waitingFor).toMatch(
      /GitHub does not answer now: secondary rate limit\. Muster asks again at 20/,
    )
  })

  test('waits as long as GitHub says and no longer, longer each time it does not answer, and asks by tags', async () => {
    const { github } = await begun()
    await here.world.start()
    let now = Date.now()
    const clock: Clock = { now: () => now, steady: () => now, soon: () => undefined, after: () => () => undefined }
    const parts = { apiUrl: github.url, repository: 'acme/shop', tokenEnv: 'T', token: () => github.token, clock }
    const random = { nonce: () => '0'.repeat(32) }
    const http = new GitHubHttp({ ...parts, random, over: new AbortController().signal })
    const ask = () => http.ask('GET', '/pulls?state=all')
    const limit = (status: number, headers: Record<string, string>, message = 'API rate limit exceeded') =>
      github.next.push({ status, body: { message, documentation_url: 'https://docs.invalid' }, headers })
    const isPausedFor = async (ms: number) => {
      const asked = github.asked.length
      await expect(ask()).rejects.toMatchObject({ code: 'busy' })
      now += ms - 1
      await expect(ask()).rejects.toMatchObject({ code: 'busy' })
      expect(github.asked).toHaveLength(asked + 1)
      now += 1
    }
    limit(429, { 'retry-after': '7' })
    await isPausedFor(7000)
    now = Math.ceil(now / 1000) * 1000
    limit(403, { 'retry-after': new Date(now + 11_000).toUTCString() })
    await isPausedFor(11_000)
    const reset = Math.ceil(now / 1000) + 90
    limit(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) })
    await isPausedFor(reset * 1000 - now)
    limit(403, {}, 'You have exceeded a secondary rate limit')
    await isPausedFor(60_000)
    for (const ms of [2000, 4000, 8000]) {
      limit(502, {}, 'Bad gateway')
      await isPausedFor(ms)
    }
    const first = await ask()
    const again = await ask()
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('content-length')).toBeNull()
    // One that answered is asked at once the next time it does not.
    limit(500, {}, 'oops')
    await isPausedFor(2000)
  })

  test('an answer without end is not read to its end', async () => {
    await begun()
    await here.world.start()
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const server = createServer((_, outgoing) => {
      // As much as is taken, for as long as somebody takes it.
      const more = () => void (!outgoing.destroyed && outgoing.write(piece, more))
      more()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const clock: Clock = { now: () => 0, steady: () => 0, soon: () => undefined, after: () => () => undefined }
    const random = { nonce: () => '0'.repeat(32) }
    const { signal: over } = new AbortController()
    const parts = { apiUrl, repository: 'acme/shop', tokenEnv: 'T', token: () => 't', clock, random, over }
    const http = new GitHubHttp(parts)
    try {
      await expect(http.ask('GET', '/pulls')).rejects.toThrow('its answer is too large')
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
