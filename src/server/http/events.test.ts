/** The stream of events: nothing is lost and nothing comes twice, whatever happens to the reader. */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../app.ts'
import type { EventReader } from '../../../test/support/http.ts'
import { Api } from '../../../test/support/http.ts'
import { BY_PERSON } from '../../../test/support/maps.ts'
import { World } from '../../../test/support/world.ts'
import type { Clock } from '../../ports/clock.ts'
import { heartbeatMs, queueBytesMax } from './limits.ts'

let api: Api
/** Heartbeats come when the test says so. */
const beats = new Set<() => void>()
const clock: Clock = {
  ...systemClock,
  after(ms, callback) {
    if (ms !== heartbeatMs) return systemClock.after(ms, callback)
    beats.add(callback)
    return () => void beats.delete(callback)
  },
}
function beat(): void {
  const due = [...beats]
  beats.clear()
  for (const callback of due) callback()
}

beforeAll(async () => {
  api = await Api.of(await World.create({ config: `phases: ${BY_PERSON}` }), clock)
  await api.world.submit('  - { id: 1, name: One }\n')
  await api.world.settled()
  await api.world.add('Alone', { dependsOn: ['s-1'] })
})
afterAll(() => api.close())

/** Stores an event, as the engine does, and tells it or not. */
async function happen(n: number, { told = true, task = 's-1' } = {}): Promise<number> {
  const event = { chain: `task:${task}`, type: 'noted', actor: 'tester', data: { n } } as const
  const [stored] = await api.world.store.commit({ at: n, events: [event] })
  if (told) api.hub.emit({ type: 'noted', task, actor: 'tester', n })
  return stored?.seq ?? 0
}

const seqs = (messages: readonly { id: string | null; event: string }[]) =>
  messages.filter(({ event }) => event === 'message').map(({ id }) => Number(id))

async function readied(reader: EventReader): Promise<number> {
  const ready = await reader.next()
  expect(ready).toMatchObject({ event: 'ready' })
  return Number(ready?.id)
}

test('fifty reconnects while things happen: every event once, in order', async () => {
  const first = await api.world.store.lastSeq()
  const events = 600
  const producing = (async () => {
    for (let n = 1; n <= events; n++) {
      await happen(n, { told: n % 3 !== 0 })
      if (n % 5 === 0) await setImmediate()
    }
    api.hub.emit({ type: 'noted', actor: 'tester' })
  })()
  const got: number[] = []
  let connections = 0
  for (let last = first; got.length < events; connections++) {
    const reader = await api.events('', { 'Last-Event-ID': String(last) })
    expect(await readied(reader)).toBe(last)
    // Few at a time until fifty have come and gone; the last one stays to the end.
    const most = connections < 50 ? 1 + (connections % 7) : events
    const part = seqs(
      await reader.until(
        ({ id }) => got.length + 1 === events || Number(id) >= last + most || Number(id) === first + events,
      ),
    )
    got.push(...part)
    last = got.at(-1) ?? last
    reader.leave()
  }
  await producing
  expect(connections).toBeGreaterThan(50)
  expect(got).toEqual(Array.from({ length: events }, (_, n) => first + 1 + n))
})

test('a reader that has much to catch up on while things happen gets all of it in order, and so does one that is there', async () => {
  const there = await api.events()
  const from = await readied(there)
  const producing = (async () => {
    for (let n = 1; n <= 900; n++) {
      await happen(n)
      if (n % 4 === 0) await setImmediate()
    }
  })()
  const behind = await api.events('?after=0')
  await readied(behind)
  const all = seqs(await behind.until(({ id }) => id === String(from + 900)))
  expect(all).toEqual(Array.from({ length: from + 900 }, (_, n) => n + 1))
  expect(seqs(await there.until(({ id }) => id === String(from + 900)))).toEqual(all.slice(from))
  await producing
  for (const reader of [there, behind]) reader.leave()
})

test('from now on, from a place on, of one task, of one story; a place beyond the end is the end', async () => {
  const from = await api.world.store.lastSeq()
  const [all, story, alone, ahead] = await Promise.all([
    api.events(`?after=${from}`),
    api.events(`?after=${from}&story=s`),
    api.events(`?after=${from}&task=task-1`),
    api.events('?after=999999'),
  ])
  for (const reader of [all, story, alone, ahead]) expect(await readied(reader)).toBe(from)
  const one = await happen(1)
  const two = await happen(2, { task: 'task-1' })
  const three = await happen(3)
  expect(seqs(await all.until(({ id }) => id === String(three)))).toEqual([one, two, three])
  expect(seqs(await ahead.until(({ id }) => id === String(three)))).toEqual([one, two, three])
  expect(seqs(await story.until(({ id }) => id === String(three)))).toEqual([one, three])
  expect(await alone.next()).toMatchObject({ id: String(two), data: { task: 'task-1', story: null, data: { n: 2 } } })
  const again = await api.events(`?after=${from}&story=s`)
  await readied(again)
  expect(seqs(await again.until(({ id }) => id === String(three)))).toEqual([one, three])
  const last = await api.events(`?after=${two}`)
  await readied(last)
  expect(await last.next()).toMatchObject({ id: String(three) })
  for (const reader of [all, story, alone, ahead, again, last]) reader.leave()
})

test('what is stored and not told comes with the next heartbeat, which every stream gets', async () => {
  const reader = await api.events()
  await readied(reader)
  const seq = await happen(1, { told: false })
  beat()
  expect(await reader.next()).toMatchObject({ event: 'comment' })
  expect(await reader.next()).toMatchObject({ id: String(seq) })
  reader.leave()
})

test('what agents print comes without an id, and only when asked for', async () => {
  const [plain, output, story] = await Promise.all([
    api.events(),
    api.events('?output=1'),
    api.events('?output=1&story=elsewhere'),
  ])
  for (const reader of [plain, output, story]) await readied(reader)
  api.hub.emit({ type: 'output', task: 's-1', run: 's-1.r1', line: '</script>\r\n\u2028id: 7' })
  const seq = await happen(1)
  expect(await output.next()).toEqual({
    id: null,
    event: 'news',
    data: { type: 'output', task: 's-1', run: 's-1.r1', line: '</script>\r\n\u2028id: 7' },
  })
  for (const reader of [plain, output]) expect(await reader.next()).toMatchObject({ id: String(seq) })
  // Who comes later hears the last line of what still runs, and of nothing else.
  api.hub.emit({ type: 'output', task: 's-1', run: 's-1.r1', line: 'two' })
  api.hub.emit({ type: 'output', task: 's-2', run: 's-2.r1', line: 'over soon' })
  api.hub.emit({ type: 'run-ended', task: 's-2', actor: 'muster' })
  const late = await api.events('?output=1')
  await readied(late)
  expect(await late.next()).toMatchObject({ event: 'news', data: { task: 's-1', line: 'two' } })
  api.hub.emit({ type: 'run-ended', task: 's-1', actor: 'muster' })
  const marked = await happen(2)
  expect(await late.next()).toMatchObject({ id: String(marked) })
  late.leave()
  for (const reader of [plain, output, story]) reader.leave()
})

test('a reader that does not read is cut off, with a bounded queue; others get everything', async () => {
  const good = await api.events('?output=1')
  await readied(good)
  const slow = await Promise.all(Array.from({ length: 3 }, () => api.events('?output=1')))
  for (const { response } of slow) response.pause()
  while (api.http.streams() < 4) await setImmediate()
  const line = 'x'.repeat(64 * 1024)
  let sent = 0
  for (; api.http.streams() > 1; sent++) {
    api.hub.emit({ type: 'output', task: 's-1', line, n: sent })
    await good.next()
    // Of what is sent, the queue holds one megabyte, and the system's own buffers some more.
    expect(sent * line.length).toBeLessThan(128 * queueBytesMax)
  }
  const seq = await happen(1)
  expect(seqs(await good.until(({ id }) => id === String(seq)))).toEqual([seq])
  good.leave()
})

test('nothing is kept of readers that have left', async () => {
  const readers = await Promise.all(Array.from({ length: 50 }, () => api.events()))
  expect(api.http.streams()).toBe(50)
  for (const reader of readers) reader.leave()
  while (api.http.streams() > 0) await setImmediate()
  expect(beats.size).toBe(1)
  beat()
  expect(beats.size).toBe(0)
})

test('a server that ends, ends its streams', async () => {
  const reader = await api.events()
  await readied(reader)
  const log = await api.stream('/api/attempts/s-1.r1/log')
  await api.http.close()
  expect(await reader.next()).toBeNull()
  await log.until(() => false)
  await expect(api.get('/api/health')).rejects.toThrow('ECONNREFUSED')
})
