/** What people are told, over which channel, and how often: through a real engine to a receiver on loopback. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { servedFile } from '../../src/served.ts'
import { MusterError } from '../../src/domain/errors.ts'
import type { Notice } from '../../src/ports/channel.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { Receiver } from '../support/receiver.ts'
import { receiver } from '../support/receiver.ts'
import { World } from '../support/world.ts'

const REVIEWED =
  'phases: { implement: { run: agent implementer, on_pass: review }, review: { run: signal human-approval, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'
const ONE = '  - { id: 1, name: One }\n'

let world: World
let hook: Receiver
beforeEach(async () => void (hook = await receiver()))
afterEach(async () => {
  await world.dispose()
  hook.close()
})

async function create(notify: string, config = ''): Promise<void> {
  world = await World.create({ config: `notify: ${notify}\n${config}` })
  world.env['HOOK'] = hook.url
}

const told = () => hook.received.map(({ body }) => JSON.parse(body) as Notice)
const everything = '[{ webhook: { urlEnv: HOOK } }]'

test('S2.18 who comes to a gate of a person’s is told of, with what answers it and where the board shows it', async () => {
  await create(everything, REVIEWED)
  await world.start()
  writeFileSync(servedFile(world.project), JSON.stringify({ url: 'http://127.0.0.1:4747', pid: process.pid }))
  await world.submit('  - { id: 1, name: "Add a </script> \\u202E form" }\n')
  await world.settled()
  await hook.got(1)
  expect(told()).toMatchObject([
    {
      kind: 'needs-you',
      subject: 's-1 waits at review',
      text: 's-1 is waiting: a person must decide (human-approval)',
      title: 'Add a </script> \u202E form',
      next: ['muster diff s-1', 'muster accept s-1', 'muster reject s-1 -m "what must change"'],
      link: 'http://127.0.0.1:4747/tasks/s-1',
    },
  ])
  // A second look, and a decision that is taken, tell nothing new.
  await world.engine.settled('s')
  await world.accept('s-1')
  await world.settled()
  await hook.got(2)
  expect(
    told()
      .map(({ kind, text, next, link }) => ({ kind, text, next, link }))
      .slice(1),
  ).toEqual([
    {
      kind: 'needs-you',
      text: 'story s is ready to ship: muster ship s',
      next: ['muster story show s', 'muster ship s'],
      link: 'http://127.0.0.1:4747/',
    },
  ])
})

test('L16 a forge that does not answer for a moment, while a review is waited for, has nobody told twice', async () => {
  await create(everything, 'phases: pull-request\n')
  let silent = false
  await world.start((parts) => {
    const read: Forge['read'] = async (pull) => {
      if (silent) throw new MusterError('busy', 'no answer')
      return parts.forge.read(pull)
    }
    return { ...parts, forge: { ...parts.forge, read } }
  })
  world.agent('s-1', 'echo one >one.txt; verdict pass')
  await world.submit(ONE)
  await world.settled()
  for (const reason of ['no answer', 'a person must review it']) {
    silent = reason === 'no answer'
    const asked = world.events.length
    world.engine.look()
    await world.until((event) => event.reason === reason && world.events.indexOf(event) >= asked)
  }
  await world.accept('s-1')
  await world.settled()
  await hook.got(2)
  expect(told().map(({ text }) => text)).toEqual([
    's-1 is waiting: a person must review it',
    'story s is ready to ship: muster ship s',
  ])
})

test('L16, E-30 each channel is told what it asked for, once, across restarts', async () => {
  await create(
    '[{ webhook: { urlEnv: HOOK }, on: [crash] }, { webhook: { urlEnv: HOOK }, on: [failed] }]',
    'limits: { maxTaskRounds: 2 }',
  )
  world.agent('default', 'exit 0')
  hook.answer(503)
  await world.start()
  await world.submit('  - { id: 1, name: One }\n  - { id: 2, name: Two, depends_on: [1] }\n')
  await world.settled()
  await world.until(({ type, tries }) => type === 'notice_failed' && tries === 1)
  await world.stop()
  hook.answer(200)
  const before = hook.received.length
  world.agent('default', 'verdict pass')
  await world.start()
  await hook.got(before + 4)
  await world.stop()
  const taken = hook.received.slice(before).map(({ body }) => JSON.parse(body) as Notice)
  expect(taken.map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual([
    'crash crash:s-1.r1',
    'crash crash:s-1.r2',
    'failed deadlock:s-1:2:2',
    'failed failed:s-1:2:2',
  ])
  expect(taken.find(({ kind }) => kind === 'crash')?.next).toContain('muster logs s-1 --run s-1.r1')
  await world.start()
  await world.settled()
  await world.stop()
  expect(hook.received).toHaveLength(before + 4)
})

test('L16 a notice that is under way when Muster ends at once is waited for: nobody is told twice', async () => {
  await create(everything)
  hook.answer(200, 100)
  await world.start()
  await world.submit(ONE)
  await world.settled()
  await hook.got(1)
  await world.stop()
  await world.start()
  expect(world.events.findLast(({ type }) => type === 'engine-started')).toMatchObject({ resumed: 0 })
  expect(hook.received).toHaveLength(1)
})

test('the story tells of its own tasks: one notice for one thing, and one when it is out (L16)', async () => {
  await create(everything, 'deploy: "exit 7"')
  await world.start()
  await world.submit(ONE)
  await world.settled()
  await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  await hook.got(2)
  expect(told().map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    'needs-you story s: SHIPPABLE',
    'needs-you story s: SHIPPABLE',
  ])
  expect(told()[1]?.text).toMatch(/^story s is not shipped: .*To continue: muster ship s --resume$/)
})

test('a story that is deployed and validated is told as shipped', async () => {
  await create('[{ webhook: { urlEnv: HOOK }, on: [shipped] }]', 'deploy: "true"')
  await world.start()
  await world.submit(ONE)
  await world.settled()
  await world.commands.ship({ story: 's', how: 'ship', message: '', by: 'tester' })
  await world.settled()
  await hook.got(1)
  expect(told().map(({ kind, subject, next }) => ({ kind, subject, next }))).toEqual([
    { kind: 'shipped', subject: 'story s: REVIEW_READY', next: ['muster story show s'] },
  ])
})

test('the stored configuration holds no address and no name of one', async () => {
  await create('[{ webhook: "https://hooks.example.org/hunter2" }, { slack: { urlEnv: HOOK } }]')
  world.agent('default', 'exit 1')
  await world.start()
  await world.submit(ONE)
  const task = await world.store.task('s-1')
  const stored = await world.store.config(task?.spec.configHash ?? '')
  expect(stored).toContain('"notify":[]')
  expect(stored).not.toContain('hunter2')
})
