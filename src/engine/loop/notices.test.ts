/** How fast notices go, in which order, and what is left when nobody waits for them any more. */
import { expect, test } from 'vitest'
import { noticeGapMs, noticesBurstMax } from '../../domain/limits.ts'
import type { Channel, Notice } from '../../ports/channel.ts'
import type { ProbeEvent } from '../../ports/probe.ts'
import type { Store } from '../../ports/store.ts'
import { Notices } from './notices.ts'
import type { EngineParts } from './parts.ts'

/** A clock that stands still until the test turns it; each callback is one that waits. */
function still() {
  let now = 1_000_000
  const waiting = new Map<() => void, number>()
  return {
    now: () => now,
    steady: () => now,
    soon: (callback: () => void) => callback(),
    after(ms: number, callback: () => void) {
      waiting.set(callback, now + ms)
      return () => void waiting.delete(callback)
    },
    turn(ms: number) {
      now += ms
      for (const [callback, at] of waiting) if (at <= now && waiting.delete(callback)) callback()
    },
  }
}

function stage(paced: boolean, send: (notice: Notice) => Promise<void> = async () => undefined) {
  const clock = still()
  const sent: string[] = []
  const settled: string[] = []
  const events: ProbeEvent[] = []
  const channel: Channel = {
    name: 'c',
    on: [],
    paced,
    async send(notice) {
      sent.push(notice.key)
      await send(notice)
    },
  }
  const parts: Partial<EngineParts> = {
    channels: [channel],
    clock,
    board: async () => null,
    store: { isPending: async (key: string) => !settled.includes(key) } as Partial<Store> as Store,
    probe: { emit: (event) => void events.push(event) },
  }
  const notices = new Notices(parts as EngineParts, async (key) => void settled.push(key))
  const deliver = (key: string, to = 'c') =>
    notices.deliver({
      key,
      kind: 'notify',
      taskId: null,
      data: { key, kind: 'needs-you', channel: to, subject: '', text: '', next: [], at: 0 },
      pinned: null,
    })
  return { clock, sent, settled, events, notices, deliver }
}

/** Lets everything happen that needs no clock. */
const quiet = () => new Promise((resolve) => setImmediate(resolve))
const keys = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)

test('a flood is held back: so many at once, in order, the rest one at a time, and what is left stays pending', async () => {
  const { clock, sent, settled, notices, deliver } = stage(true)
  const all = keys(noticesBurstMax + 3)
  const under = Promise.all(all.map((key) => deliver(key)))
  await quiet()
  expect(sent).toEqual(all.slice(0, noticesBurstMax))
  clock.turn(noticeGapMs)
  await quiet()
  expect(sent).toEqual(all.slice(0, noticesBurstMax + 1))
  notices.giveUp()
  await under
  expect(settled).toEqual(all.slice(0, noticesBurstMax + 1))
})

test('a channel for nobody’s eyes is not held back, and one that is not configured any more is let go', async () => {
  const { settled, deliver } = stage(false)
  await Promise.all(keys(100).map((key) => deliver(key)))
  await deliver('gone', 'old')
  expect(settled).toEqual([...keys(100), 'gone'])
})

test('five tries, each further apart; then it stays pending, and the next one has its turn', async () => {
  const { clock, sent, settled, events, deliver } = stage(true, async ({ key }) => {
    if (key === 'bad') throw new Error('no')
  })
  const under = Promise.all([deliver('bad'), deliver('good')])
  for (let tries = 0; tries < 5; tries++) {
    await quiet()
    clock.turn(250 * 2 ** (tries + 1))
  }
  await under
  expect(sent).toEqual([...Array<string>(5).fill('bad'), 'good'])
  expect(settled).toEqual(['good'])
  expect(events.map(({ type, tries }) => [type, tries])).toEqual([1, 2, 3, 4, 5].map((n) => ['notice_failed', n]))
})
