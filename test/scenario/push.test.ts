/** `landing: { push: true }`: what Ship and approve land reaches the user's remote, or a person is told what to type (S1.18, H-6). */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
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
  const text = `main is at ${here.slice(0, 12)} here and not pushed: ${why}. Then type: ${next}`
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
    { why: 'origin does not take main: pre-receive hook declined', next: 'git push origin main:main' },
  ])
  writeFileSync(hook, '#!/bin/sh\nexit 0\n')
  await world.add('Second')
  await world.engine.settled(null)
  expect(there('log', '--format=%s', 'main').split('\n')).toEqual(['Second', 'First', 'Start'])
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
  expect((await status()).unpushed).toMatchObject([{ why: expect.stringMatching(/^git does not reach origin: /) }])
})

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
