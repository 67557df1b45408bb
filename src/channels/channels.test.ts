import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { logChannel } from './log.ts'
import { webhookChannel } from './webhook.ts'

const notice = { key: 'held:s-1:1:0', at: 0, taskId: 's-1', subject: 's-1 held', text: 's-1 waits for a person' }
const never = new AbortController().signal
const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

/** A receiver on loopback that answers with this status. */
async function receiver(status: number): Promise<{ url: string; received: { key: unknown; body: unknown }[] }> {
  const received: { key: unknown; body: unknown }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ key: request.headers['idempotency-key'], body: JSON.parse(body) })
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=secret`, received }
}

test('L16, E-30 the log channel writes a notice once, however often it is sent', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-channel-'))
  cleanups.push(() => rmSync(dir, { recursive: true }))
  const channel = logChannel(join(dir, 'notices.jsonl'))
  await channel.send(notice, never)
  await channel.send(notice, never)
  await channel.send({ ...notice, key: 'held:s-1:1:01' }, never)
  const lines = readFileSync(join(dir, 'notices.jsonl'), 'utf8').trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual(['held:s-1:1:0', 'held:s-1:1:01'])
})

test('a webhook gets the notice as JSON with its key', async () => {
  const { url, received } = await receiver(204)
  await webhookChannel(url, 0).send(notice, never)
  expect(received).toEqual([{ key: notice.key, body: { ...notice, at: '1970-01-01T00:00:00.000Z' } }])
})

test('a webhook that refuses, redirects or is not there is an error, and its address stays secret', async () => {
  for (const status of [500, 404, 302]) {
    const { url } = await receiver(status)
    await expect(webhookChannel(url, 0).send(notice, never)).rejects.toThrow(/^127\.0\.0\.1:\d+(:| answered)/)
    await expect(webhookChannel(url, 0).send(notice, never)).rejects.not.toThrow('secret')
  }
  await expect(webhookChannel('http://127.0.0.1:1/?token=secret', 0).send(notice, never)).rejects.not.toThrow('secret')
  expect(webhookChannel('http://127.0.0.1:1/?token=secret', 1).name).toBe('webhook-2:127.0.0.1:1')
})
