/** Who is told of what a pull request waits for: a person who has to act, once; of what ends by itself, nobody. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { needsView } from '../../src/engine/views/needs.ts'
import type { Notice } from '../../src/ports/channel.ts'
import { GitHubWorld } from './support.ts'

let here: GitHubWorld
afterEach(() => here.dispose())

const MAP =
  'phases: { implement: { run: agent implementer, on_pass: ci }, ci: { run: signal ci, on_pass: review, on_fail: implement }, review: { run: signal pr-review, on_pass: ready, on_fail: implement }, ready: { run: action mark-ready, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }\n'

async function checking(): Promise<GitHubWorld> {
  here = await GitHubWorld.create({ config: MAP, forge: 'requiredChecks: [build]' })
  here.world.agent('s-1', 'echo "$MUSTER_ATTEMPT" >one.txt; verdict pass')
  await here.world.start()
  await here.world.submit('  - { id: 1, name: One }\n')
  await waits('no check has started')
  return here
}

async function waits(words: string): Promise<void> {
  here.world.engine.look()
  await here.world.until(({ type, reason }) => type === 'waiting' && String(reason).includes(words))
}

/** Everything that was told when nothing is under way any more. */
async function told(): Promise<Pick<Notice, 'subject' | 'text' | 'next'>[]> {
  await here.world.stop()
  const lines = readFileSync(join(here.world.project.dataDir, 'notices.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Notice).map(({ subject, text, next }) => ({ subject, text, next }))
}

test('S2.18 checks that run are told to nobody; a pull request that waits for its review is, once, with its link', async () => {
  const { world, github } = await checking()
  github.check('build', null)
  await waits('checks are running on')
  expect((await needsView(world.store, 10, 0)).items).toEqual([])
  github.check('build', 'success')
  await here.happened()
  const head = github.headOf(github.pull()).slice(0, 12)
  const url = `${github.url}/acme/shop/pull/1`
  expect((await needsView(world.store, 10, 0)).items).toMatchObject([
    {
      kind: 'review',
      reason: `its pull request is waiting: no approving review of ${head} yet: ${url}`,
      actions: ['accept', 'reject', 'cancel'],
    },
  ])
  github.review('COMMENTED', 'I am looking')
  await here.happened()
  await world.stop()
  await world.start()
  await here.happened()
  expect(await told()).toEqual([
    {
      subject: 's-1 waits at review',
      text: `s-1 is waiting: no approving review of ${head} yet: ${url}`,
      next: ['muster diff s-1', 'muster accept s-1', 'muster reject s-1 -m "what must change"'],
    },
  ])
})

test('a check that was skipped does not go on by itself: that is told, and where', async () => {
  const { github } = await checking()
  github.check('build', 'skipped')
  await waits('skipped or neutral')
  expect(await told()).toMatchObject([
    {
      subject: 's-1 waits at ci',
      text: expect.stringContaining(`which does not count as passed: build: ${github.url}/acme/shop/pull/1`),
    },
  ])
})

test('L16 a refusal that is tried again is told once, and what is in the way of a review that is waited for as well', async () => {
  const { world, github } = await checking()
  github.check('build', 'success')
  github.forbidden.push(/^PUT \/pulls/)
  await here.happened()
  world.env['FAKE_TOKEN'] = 'ghp_expired'
  await here.happened()
  world.env['FAKE_TOKEN'] = github.token
  github.review('APPROVED')
  for (let look = 0; look < 3; look++) await here.happened()
  expect(github.asked.filter((asked) => asked === 'PUT /pulls/1/merge').length).toBeGreaterThan(1)
  expect(await told()).toMatchObject([
    { subject: 's-1 waits at review', text: expect.stringContaining('is waiting: no approving review of') },
    {
      subject: 's-1 cannot continue at review',
      text: expect.stringContaining('GitHub does not know the token in FAKE_TOKEN'),
    },
    { subject: 's-1 waits at land', text: expect.stringContaining('is not allowed to do this') },
  ])
})
