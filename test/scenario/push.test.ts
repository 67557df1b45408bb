/** `landing: { push: true }`: what Ship and approve land reaches the user's remote, or a person is told what to type (S1.18, H-6). */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { needsView } from '../../src/engine/views/needs.ts'
import { statusView } from '../../src/engine/views/overview.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const ONE = '  - { id: 1, name: One }\n'
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', '-c', 'protocol.file.allow=always']
const remote = () => join(world.top, 'remote.git')
const there = (...args: string[]) => execFileSync('git', args, { cwd: remote(), encoding: 'utf8' }).trimEnd()
const ship = () => world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
const pushes = () => there('reflog', 'show', 'main').split('\n').length
const needs = async () => (await needsView(world.store, 20, 0)).items.filter(({ kind }) => kind === 'push')
const status = () => statusView(world.store, world.project.dataDir, { limit: 10 }, 0, null)

/** A bare repository that keeps a log of what it was pushed. */
function bare(dir: string, from: string): void {
  execFileSync('git', ['clone', '-q', '--bare', from, dir], { stdio: 'pipe' })
  execFileSync('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: dir })
}

async function create(config = ''): Promise<void> {
  world = await World.create({ config: `landing: { push: true }\n${config}` })
  world.agent('default', 'echo "$MUSTER_TASK_ID" >>"$MUSTER_TASK_ID.txt"; verdict pass')
  bare(remote(), world.repository)
  world.git('remote', 'add', 'origin', remote())
}

test('what Ship lands is pushed once, as it was verified; story branches are not', async () => {
  await create()
  await world.run(ONE)
  expect(there('branch', '--list')).toBe('* main')
  await ship()
  await world.settled()
  expect(there('rev-parse', 'main')).toBe(world.git('rev-parse', 'main'))
  expect(world.git('rev-parse', 'origin/main')).toBe(world.git('rev-parse', 'main'))
  expect([pushes(), there('branch', '--list')]).toEqual([1, '* main'])
  expect(await world.store.lastEvent('task:s.ship.1', 'pushed')).toMatchObject({
    data: { branch: 'main', by: 'muster' },
  })
  expect([await needs(), await world.store.pendingIntents()]).toEqual([[], []])
})

test('what approve lands goes to the branch and the remote that the user pushes to', async () => {
  await create()
  bare(join(world.top, 'fork.git'), world.repository)
  world.git('remote', 'add', 'fork', join(world.top, 'fork.git'))
  world.git('config', 'branch.main.remote', 'fork')
  world.git('config', 'branch.main.merge', 'refs/heads/trunk')
  await world.start()
  const { id } = await world.add('Something')
  await world.engine.settled(null)
  await world.commands.decide({ kind: 'approve', task: id, message: '', by: 'tester' })
  await world.engine.settled(null)
  expect(world.git('ls-remote', 'fork', 'refs/heads/trunk')).toContain(world.git('rev-parse', 'main'))
  expect(there('rev-parse', 'main')).toBe(world.git('rev-parse', 'main~1'))
})

test('E-23 a remote that has moved is left alone: it is told, nothing here changes, and what the user types goes through', async () => {
  await create()
  await world.run(ONE)
  const moved = world.commitOn('main', 'theirs', '')
  there('fetch', '-q', world.repository, moved)
  there('update-ref', 'refs/heads/main', moved)
  await ship()
  await world.settled()
  const here = world.git('rev-parse', 'main')
  expect(there('rev-parse', 'main')).toBe(moved)
  const why = 'origin has commits on main that are not here'
  const next = 'git fetch origin, bring both together, then git push origin main:main'
  const text = `main is at ${here.slice(0, 12)} here and was not pushed: ${why}. Next: ${next}`
  expect(await needs()).toMatchObject([{ id: 'main', title: 'main is not pushed', reason: text }])
  expect((await status()).unpushed).toEqual([{ branch: 'main', commit: here, why, next }])
  expect((await world.notices()).map((notice) => notice.text)).toContain(text)
  expect(await world.store.standing('s')).toMatchObject({ standing: { state: 'REVIEW_READY' } })
  // A start that finds the same says it once.
  await world.stop()
  await world.start()
  await world.engine.settled()
  expect((await world.store.events('task:s.ship.1')).filter(({ type }) => type === 'push-refused')).toHaveLength(1)
  world.git(...identity, 'merge', '-q', '--no-edit', moved)
  world.git('push', '-q', 'origin', 'main:main')
  await world.stop()
  await world.start()
  await world.engine.settled()
  expect([await needs(), await world.store.pendingIntents()]).toEqual([[], []])
  expect(await world.store.lastEvent('task:s.ship.1', 'pushed')).toMatchObject({ data: { by: 'somebody' } })
})

test('a remote whose rules refuse it is told in its words; the next push that goes through has both', async () => {
  await create('protected: []')
  const hook = join(remote(), 'hooks/pre-receive')
  mkdirSync(join(remote(), 'hooks'), { recursive: true })
  writeFileSync(hook, '#!/bin/sh\necho "only on weekdays" >&2\nexit 1\n')
  chmodSync(hook, 0o755)
  await world.start()
  await world.add('First')
  await world.engine.settled(null)
  expect((await status()).unpushed).toMatchObject([
    {
      why: 'origin refuses main: pre-receive hook declined (only on weekdays)',
      next: 'git push origin main:main',
    },
  ])
  await world.add('Between')
  await world.engine.settled(null)
  // One push by hand takes both along.
  expect((await status()).unpushed).toMatchObject([{ branch: 'main', commit: world.git('rev-parse', 'main') }])
  expect(await needs()).toHaveLength(1)
  writeFileSync(hook, '#!/bin/sh\nexit 0\n')
  await world.add('Second')
  await world.engine.settled(null)
  expect(there('log', '--format=%s', 'main').split('\n')).toEqual(['Second', 'Between', 'First', 'Start'])
  expect([await needs(), await world.store.pendingIntents()]).toEqual([[], []])
})

test('without a remote, or with one that cannot be reached, it says what to type', async () => {
  await create('protected: []')
  world.git('remote', 'remove', 'origin')
  await world.start()
  await world.add('First')
  await world.engine.settled(null)
  expect((await status()).unpushed).toMatchObject([
    { why: 'main has no remote to push to', next: 'git remote add origin <address>' },
  ])
  world.git('remote', 'add', 'origin', join(world.top, 'nowhere'))
  await world.stop()
  await world.start()
  await world.engine.settled()
  expect((await status()).unpushed).toMatchObject([{ why: expect.stringMatching(/^git cannot reach origin: /) }])
})

test('over ssh, it says why ssh was not let in, not what git says whatever the reason is', async () => {
  await create('protected: []')
  const ssh = join(world.top, 'ssh')
  writeFileSync(ssh, '#!/bin/sh\necho "me@example.invalid: Permission denied (publickey)." >&2\nexit 255\n')
  chmodSync(ssh, 0o755)
  world.git('config', 'core.sshCommand', ssh)
  world.git('remote', 'set-url', 'origin', 'ssh://me@example.invalid/shop.git')
  await world.start()
  await world.add('First')
  await world.engine.settled(null)
  expect((await status()).unpushed).toMatchObject([
    {
      why: 'git cannot reach origin: me@example.invalid: Permission denied (publickey)',
      next: 'git push origin main:main',
    },
  ])
})

test('over http, with the password of a credential helper; without it, it says so and nothing is asked', async ({
  skip,
}) => {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend')
  skip(!existsSync(backend), 'git has no http-backend here')
  await create('protected: []')
  there('config', 'http.receivepack', 'true')
  const server = gitServer(backend, world.top, 'me:right')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    world.git('remote', 'set-url', 'origin', `${address}/remote.git`)
    await world.start()
    await world.add('First')
    await world.engine.settled(null)
    expect((await status()).unpushed).toMatchObject([
      { why: `git cannot reach origin: fatal: could not read Username for '${address}': terminal prompts disabled` },
    ])
    world.git('config', 'credential.helper', '!f() { echo username=me; echo password=right; }; f')
    await world.add('Second')
    await world.engine.settled(null)
    expect(there('rev-parse', 'main')).toBe(world.git('rev-parse', 'main'))
    expect([await needs(), await world.store.pendingIntents()]).toEqual([[], []])
  } finally {
    server.close()
  }
})

/** git's own server program behind HTTP, for who knows the password. */
function gitServer(backend: string, root: string, password: string): Server {
  return createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const said = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
    if (said !== password) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    const env = {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'me',
    }
    const child = execFile(backend, { env, encoding: 'buffer' }, (_, all) => {
      const end = all.indexOf('\r\n\r\n')
      const heads = all.subarray(0, end).toString().split('\r\n')
      for (const head of heads) response.appendHeader(...(head.split(': ') as [string, string]))
      response.end(all.subarray(end + 4))
    })
    if (child.stdin !== null) request.pipe(child.stdin)
  })
}

test('S1.18 a submodule’s commit is pushed before what names it, and one that is refused keeps both back', async () => {
  await create('protected: []')
  const origin = join(world.top, 'lib-origin')
  mkdirSync(origin)
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: origin, stdio: 'pipe' })
  git('init', '-q', '-b', 'trunk')
  writeFileSync(join(origin, 'line'), 'zero\n')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  const lib = join(world.top, 'lib.git')
  bare(lib, origin)
  world.git(...identity, 'submodule', '--quiet', 'add', lib, 'lib')
  world.git(...identity, 'commit', '-qm', 'Add the library')
  world.git('push', '-q', 'origin', 'main')
  const before = there('rev-parse', 'main')
  world.agent('default', 'echo "$MUSTER_TASK_ID" >>lib/line; verdict pass')
  await world.start()
  const inLib = (...args: string[]) => execFileSync('git', args, { cwd: lib, encoding: 'utf8' }).trimEnd()
  const parted = execFileSync('git', [...identity, 'commit-tree', 'trunk^{tree}', '-m', 'Theirs'], {
    cwd: lib,
    encoding: 'utf8',
  }).trim()
  const start = inLib('rev-parse', 'trunk')
  inLib('update-ref', 'refs/heads/trunk', parted)
  await world.add('First')
  await world.engine.settled(null)
  const named = world.git('rev-parse', 'main:lib')
  expect((await status()).unpushed).toMatchObject([
    {
      why: expect.stringContaining('origin has commits on trunk that are not here'),
      next: `git -C lib fetch origin, bring both together, then git -C lib push origin ${named.slice(0, 12)}:trunk`,
    },
  ])
  expect([there('rev-parse', 'main'), inLib('rev-parse', 'trunk')]).toEqual([before, parted])
  inLib('update-ref', 'refs/heads/trunk', start)
  const hook = join(remote(), 'hooks/pre-receive')
  writeFileSync(hook, `#!/bin/sh\ngrep -q ${named} ${lib}/refs/heads/trunk\n`)
  chmodSync(hook, 0o755)
  await world.stop()
  await world.start()
  await world.engine.settled()
  expect([there('rev-parse', 'main'), inLib('rev-parse', 'trunk')]).toEqual([world.git('rev-parse', 'main'), named])
})
