/** Every channel against a receiver on loopback: what arrives, what is kept back, and what becomes of hostile words. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Received, Receiver } from '../../test/support/receiver.ts'
import { receiver } from '../../test/support/receiver.ts'
import type { NotifyConfig } from '../domain/config.ts'
import { NOTICE_KINDS, bounded } from '../domain/notice.ts'
import type { Channel, Notice } from '../ports/channel.ts'
import type { ProbeEvent } from '../ports/probe.ts'
import { channelProblems, channels } from './channels.ts'

const notice: Notice = {
  key: 'held:s-1:1:0',
  kind: 'needs-you',
  at: 0,
  taskId: 's-1',
  subject: 's-1 held',
  text: 's-1 needs you:  the budget is used up',
  title: 'Add a login form',
  next: ['muster retry s-1'],
  link: 'http://127.0.0.1:4747/tasks/s-1',
}
/** What a task's title, an agent's output or a judge's report may hold. */
const hostile: Notice = {
  ...notice,
  text: '\u001B]0;owned\u0007\u001B[2J<!channel> <https://evil.example|click> @channel @here\r\nX-Injected: 1 \u202Egnp.exe',
  title: '"; [win](https://evil.example) www.evil.example <@U123> \u0007\u009B31m日本',
}
const never = new AbortController().signal
const env = { HOOK_SECRET: 's3cret', NTFY_TOKEN: 'tk_1', NOT_AN_ADDRESS: 'hunter2', EMPTY: '' }
const on = NOTICE_KINDS

let target: Receiver
let dataDir: string
let told: ProbeEvent[]
beforeEach(async () => {
  target = await receiver()
  dataDir = mkdtempSync(join(tmpdir(), 'muster-channel-'))
  told = []
})
afterEach(() => {
  target.close()
  rmSync(dataDir, { recursive: true })
})

function made(notify: NotifyConfig[], more: Record<string, string> = {}): Channel[] {
  const probe = { emit: (event: ProbeEvent) => void told.push(event) }
  return channels({ notify, env: { ...env, ...more }, dataDir, clock: { now: () => 1_700_000_000_500 }, probe })
}

/** The one that the entry makes, beside the log. */
function channel(entry: NotifyConfig): Channel {
  const [, one] = made([entry])
  if (one === undefined) throw new Error('it makes no channel')
  return one
}

/** What came first. */
function received(): Received {
  const [first] = target.received
  if (first === undefined) throw new Error('nothing came')
  return first
}

const ENTRIES = {
  webhook: (): NotifyConfig => ({ type: 'webhook', on, url: target.url, secretEnv: null }),
  slack: (): NotifyConfig => ({ type: 'slack', on, url: target.url }),
  ntfy: (): NotifyConfig => ({ type: 'ntfy', on, url: target.url, tokenEnv: 'NTFY_TOKEN' }),
}

test('L16, E-30 the log channel writes a notice once, however often it is sent', async () => {
  const [log] = made([])
  for (const key of ['held:s-1:1:0', 'held:s-1:1:0', 'held:s-1:1:01']) await log?.send({ ...notice, key }, never)
  const lines = readFileSync(join(dataDir, 'notices.jsonl'), 'utf8').trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual(['held:s-1:1:0', 'held:s-1:1:01'])
  expect(log?.on).toEqual(NOTICE_KINDS)
})

describe.each(Object.entries(ENTRIES))('%s', (type, entry) => {
  test('is named by its place and host, and delivers what answers the notice', async () => {
    const one = channel(entry())
    expect(one.name).toBe(`${type}-1:${new URL(target.url).host}`)
    await one.send(notice, never)
    expect(target.received).toHaveLength(1)
    const { path, body, headers } = received()
    expect(path).toBe('/hook?token=hunter2')
    expect(body).toContain('muster retry s-1')
    expect(`${body}${String(headers['click'])}`).toContain(notice.link)
  })

  test('an address that refuses, redirects or is not there is an error, and stays secret', async () => {
    const one = channel(entry())
    for (const status of [500, 404, 429, 302]) {
      target.answer(status)
      await expect(one.send(notice, never)).rejects.toThrow(/^127\.0\.0\.1:\d+(:| answered)/)
      await expect(one.send(notice, never)).rejects.not.toThrow('hunter2')
    }
    expect(target.received.every(({ path }) => path.startsWith('/hook'))).toBe(true)
    target.close()
    await expect(one.send(notice, never)).rejects.not.toThrow('hunter2')
    const gone = new AbortController()
    gone.abort()
    await expect(one.send(notice, gone.signal)).rejects.toThrow('127.0.0.1')
  })

  test('hostile words arrive, and inject nothing', async () => {
    await channel(entry()).send(hostile, never)
    const { headers, body } = received()
    expect(headers).not.toHaveProperty('x-injected')
    // oxlint-disable-next-line no-control-regex -- that none of these is there is what is looked at
    expect(type === 'webhook' ? '' : body).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
    expect(body).toContain('owned')
  })
})

test('a webhook gets the notice as JSON with its key', async () => {
  await channel(ENTRIES.webhook()).send({ ...notice, key: 'at-prüfen:s-1' }, never)
  const { headers, body } = received()
  expect(headers['idempotency-key']).toBe('at-pr%C3%BCfen:s-1')
  expect(headers).not.toHaveProperty('muster-signature')
  expect(JSON.parse(body)).toEqual({ ...notice, key: 'at-prüfen:s-1', at: '1970-01-01T00:00:00.000Z' })
})

test('a webhook with a secret is signed over its time and its very bytes', async () => {
  await channel({ type: 'webhook', on, url: target.url, secretEnv: 'HOOK_SECRET' }).send(hostile, never)
  const { headers, body } = received()
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['muster-signature'])) ?? []
  expect(seconds).toBe('1700000000')
  expect(digest).toBe(createHmac('sha256', 's3cret').update(`${seconds}.${body}`).digest('hex'))
  expect(body).not.toContain('s3cret')
})

test('Slack: words mention nobody and link nowhere, the board alone is a link', async () => {
  await channel(ENTRIES.slack()).send(hostile, never)
  const { text, ...rest } = JSON.parse(target.received[0]?.body ?? '{}') as { text: string }
  expect(rest).toEqual({})
  expect(text).toContain('&lt;!channel&gt;')
  expect(text).not.toMatch(/[<>]|@(?:channel|here|U123)|https:\/\/evil|www\.|\]\(|&(?!(?:amp|lt|gt);)/)
  expect(text.match(/:\/\/\S+/g)).toEqual(['://127.0.0.1:4747/tasks/s-1'])
  expect(text.split('\n').at(-1)).toBe(notice.link)
})

test('ntfy: title, priority, tags, click and token are headers, in ASCII; the message is bounded', async () => {
  const one = channel(ENTRIES.ntfy())
  await one.send({ ...notice, kind: 'crash', subject: 's-1 日本 crashed', text: '語'.repeat(2000) }, never)
  await one.send({ ...notice, kind: 'shipped', link: null }, never)
  const [first, second] = target.received
  expect(first?.headers).toMatchObject({
    priority: '4',
    tags: 'boom',
    click: notice.link,
    authorization: 'Bearer tk_1',
  })
  expect(Buffer.from(String(first?.headers['title']).slice('=?UTF-8?B?'.length, -2), 'base64').toString()).toBe(
    's-1 日本 crashed',
  )
  expect(Buffer.byteLength(first?.body ?? '')).toBeLessThan(4096)
  expect(first?.body).not.toContain('\uFFFD')
  expect(second?.headers).toMatchObject({ title: 's-1 held', priority: '3', tags: 'rocket' })
  expect(second?.headers).not.toHaveProperty('click')
})

test('a terminal is told in words that act on nothing', async () => {
  const one = channel({ type: 'terminal', on: ['crash'] })
  expect([one.name, one.on]).toEqual(['terminal', ['crash']])
  await one.send(hostile, never)
  const [event] = told
  expect(event).toMatchObject({ type: 'notice', task: 's-1', kind: 'needs-you', subject: 's-1 held' })
  const { lines } = event as { lines: string[] } & ProbeEvent
  const shown = lines.join('\n')
  // oxlint-disable-next-line no-control-regex -- that none of these is there is what is looked at
  expect(shown).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
  expect(shown).toContain('\\u{1b}]0;owned\\u{7}')
})

test('what the environment does not have is told by its name, and nothing is sent unsigned or half', () => {
  const notify: NotifyConfig[] = [
    { type: 'slack', on, url: { urlEnv: 'NOT_SET' } },
    { type: 'webhook', on, url: target.url, secretEnv: 'EMPTY' },
    { type: 'slack', on, url: { urlEnv: 'NOT_AN_ADDRESS' } },
    { type: 'slack', on, url: { urlEnv: 'WITH_PASSWORD' } },
    { type: 'ntfy', on, url: target.url, tokenEnv: 'TWO_LINES' },
    { type: 'slack', on, url: { urlEnv: 'RIGHT' } },
  ]
  const more = { WITH_PASSWORD: 'http://a:b@127.0.0.1/', TWO_LINES: 'a\nb', RIGHT: ` ${target.url}\n` }
  expect(channelProblems(notify, { ...env, ...more })).toEqual([
    'notify.0 (slack) sends nothing: the variable NOT_SET is not set',
    'notify.1 (webhook) sends nothing: the variable EMPTY is not set',
    'notify.2 (slack) sends nothing: the variable NOT_AN_ADDRESS does not hold an http or https address',
    'notify.3 (slack) sends nothing: the variable WITH_PASSWORD does not hold an http or https address',
    'notify.4 (ntfy) sends nothing: the variable TWO_LINES does not hold a token',
  ])
  const host = new URL(target.url).host
  expect(made(notify, more).map(({ name }) => name)).toEqual(['log', `slack-6:${host}`])
})

test('a notice is no longer than channels take', () => {
  const long = bounded({ ...notice, subject: 'x'.repeat(1000), text: `${'y'.repeat(1998)}😀${'z'.repeat(9000)}` })
  expect([long.subject.length, long.text.length, long.text.isWellFormed()]).toEqual([200, 2000, true])
})
