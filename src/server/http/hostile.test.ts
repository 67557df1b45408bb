/** Requests that nobody should send: each gets the right status and code, and nothing has changed. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemRandom } from '../../app.ts'
import { Api } from '../../../test/support/http.ts'
import { BY_PERSON } from '../../../test/support/maps.ts'
import { World } from '../../../test/support/world.ts'
import { openPort, tokenFile } from '../../serve.ts'
import { ANSWERS } from './answers.ts'
import { guardOf } from './guards.ts'
import { bodyBytesMax, silentMax } from './limits.ts'
import { tokenIn } from './token.ts'

let api: Api
let before: { seq: number; version: number | undefined }

const standing = async () => ({
  seq: await api.world.store.lastSeq(),
  version: (await api.world.store.task('s-1'))?.version,
})

beforeAll(async () => {
  api = await Api.of(await World.create({ config: `phases: ${BY_PERSON}` }))
  await api.world.submit('  - { id: 1, name: "One\\r\\nSet-Cookie: a=b" }\n')
  await api.world.settled()
  before = await standing()
})
afterEach(async () => {
  assert.deepEqual(await standing(), before)
})
afterAll(() => api.close())

const accept = '/api/tasks/s-1/accept'
const json = { 'Content-Type': 'application/json' }

interface Case {
  name: string
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
  status: number
  code: string
}

const deep = (depth: number) => `{"message":${'['.repeat(depth)}${']'.repeat(depth)}}`

const CASES: Case[] = [
  { name: 'no token', headers: { Authorization: '' }, status: 401, code: 'unauthorized' },
  { name: 'another token', headers: { Authorization: `Bearer ${'0'.repeat(64)}` }, status: 401, code: 'unauthorized' },
  { name: 'an empty token', headers: { Authorization: 'Bearer ' }, status: 401, code: 'unauthorized' },
  { name: 'another scheme', headers: { Authorization: 'Basic YTpi' }, status: 401, code: 'unauthorized' },
  { name: 'a foreign host', headers: { Host: 'evil.example' }, status: 403, code: 'not_allowed' },
  {
    name: 'a name that only begins like ours',
    headers: { Host: 'localhost.evil.example' },
    status: 403,
    code: 'not_allowed',
  },
  { name: 'loopback with another port', headers: { Host: '127.0.0.1:1' }, status: 403, code: 'not_allowed' },
  { name: 'a foreign origin', headers: { Origin: 'http://evil.example' }, status: 403, code: 'not_allowed' },
  { name: 'no origin at all, said so', headers: { Origin: 'null' }, status: 403, code: 'not_allowed' },
  { name: 'another port as origin', headers: { Origin: 'http://127.0.0.1:1' }, status: 403, code: 'not_allowed' },
  {
    name: 'a form',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a body without a type',
    headers: { 'Content-Type': '' },
    body: '{}',
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'another charset',
    headers: { 'Content-Type': 'application/json; charset=utf-7' },
    body: '{}',
    status: 415,
    code: 'unsupported_media_type',
  },
  { name: 'too large a body', headers: json, body: `"${'x'.repeat(bodyBytesMax)}"`, status: 413, code: 'too_large' },
  {
    name: 'too large a body, in chunks',
    headers: { ...json, 'Transfer-Encoding': 'chunked' },
    body: 'x'.repeat(bodyBytesMax + 1),
    status: 413,
    code: 'too_large',
  },
  { name: 'no JSON', headers: json, body: '{"message":', status: 400, code: 'usage' },
  { name: 'JSON nested ten thousand levels deep', headers: json, body: deep(10_000), status: 400, code: 'usage' },
  { name: 'brackets without an end', headers: json, body: '['.repeat(500_000), status: 400, code: 'usage' },
  { name: 'quotes without an end', headers: json, body: '"\\"'.repeat(300_000), status: 400, code: 'usage' },
  { name: 'an array for an object', headers: json, body: '[]', status: 400, code: 'usage' },
  { name: 'null for an object', headers: json, body: 'null', status: 400, code: 'usage' },
  { name: 'a number for words', headers: json, body: '{"message":1}', status: 400, code: 'usage' },
  { name: 'a key that is not known', headers: json, body: '{"force":true}', status: 400, code: 'usage' },
  { name: 'a prototype', headers: json, body: '{"__proto__":{"message":"x"}}', status: 400, code: 'usage' },
  { name: 'NUL in words', headers: json, body: '{"message":"a\\u0000b"}', status: 400, code: 'usage' },
  { name: 'a version of long ago', headers: { 'If-Match': '"1"' }, status: 409, code: 'conflict' },
  { name: 'a version to come', headers: { 'If-Match': '"999999999"' }, status: 409, code: 'conflict' },
  { name: 'no version for one', headers: { 'If-Match': 'latest' }, status: 400, code: 'usage' },
  { name: 'a task that is not there', path: '/api/tasks/s-2/accept', status: 404, code: 'not_found' },
  { name: 'the end of an id', path: '/api/tasks/1/accept', status: 404, code: 'not_found' },
  { name: 'a path for an id', path: '/api/tasks/..%2F..%2Fserve.token/accept', status: 404, code: 'not_found' },
  { name: 'a header in an id', path: '/api/tasks/s-1%0d%0aSet-Cookie:%20a=b/accept', status: 404, code: 'not_found' },
  { name: 'half an escape in an id', path: '/api/tasks/%E0%A4%A/accept', status: 404, code: 'not_found' },
  { name: 'a path that is not there', path: '/api/tasks/s-1/merge', status: 404, code: 'not_found' },
  { name: 'the wrong method', method: 'DELETE', path: '/api/tasks/s-1', status: 405, code: 'method_not_allowed' },
  { name: 'a question for permission', method: 'OPTIONS', status: 405, code: 'method_not_allowed' },
  { name: 'GET where something is changed', method: 'GET', status: 405, code: 'method_not_allowed' },
  {
    name: 'a log out of its folder',
    method: 'GET',
    path: '/api/attempts/..%2f..%2fserve.token/log',
    status: 404,
    code: 'not_found',
  },
  {
    name: 'a prompt out of its folder',
    method: 'GET',
    path: '/api/attempts/%2e%2e%2fserve.token/prompt',
    status: 404,
    code: 'not_found',
  },
  { name: 'a story that is not there', method: 'GET', path: '/api/tasks?story=x', status: 404, code: 'not_found' },
  { name: 'a page of nothing', method: 'GET', path: '/api/tasks?limit=0', status: 400, code: 'usage' },
  { name: 'a page of everything', method: 'GET', path: '/api/tasks?limit=1000000', status: 400, code: 'usage' },
  { name: 'a query that is not known', method: 'GET', path: '/api/tasks?where=1', status: 400, code: 'usage' },
  {
    name: 'a place in the events that is none',
    method: 'GET',
    path: '/api/events?after=x',
    status: 400,
    code: 'usage',
  },
  {
    name: 'a Last-Event-ID that is none',
    method: 'GET',
    path: '/api/events',
    headers: { 'Last-Event-ID': '1;2' },
    status: 400,
    code: 'usage',
  },
  {
    name: 'a story with the id of a path',
    path: '/api/stories',
    headers: json,
    body: '{"id":"../x","name":"X","tasks":[{"name":"A"}]}',
    status: 400,
    code: 'config',
  },
  {
    name: 'a story without tasks',
    path: '/api/stories',
    headers: json,
    body: '{"name":"X","tasks":[]}',
    status: 400,
    code: 'usage',
  },
  {
    name: 'a task without a title',
    path: '/api/tasks',
    headers: json,
    body: '{"title":"  "}',
    status: 400,
    code: 'usage',
  },
  {
    name: 'a defect out of the project',
    path: '/api/tasks',
    headers: json,
    body: '{"title":"X","defect":"../../etc/passwd"}',
    status: 400,
    code: 'usage',
  },
]

test.each(CASES)(
  '$name: $status $code',
  async ({ method = 'POST', path = accept, headers = {}, body, status, code }) => {
    const said = await api.ask(method, path, headers, body)
    expect([said.status, said.json['code']], said.text).toEqual([status, code])
    expect(ANSWERS.Problem.parse(said.json)).toEqual(said.json)
    expect(said.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(said.headers).not.toHaveProperty('access-control-allow-origin')
    expect(said.headers).not.toHaveProperty('set-cookie')
  },
)

test('our own origin is welcome, and so is HEAD where it starts nothing', async () => {
  const origin = { Origin: `http://127.0.0.1:${api.http.port}` }
  expect((await api.get('/api/tasks', origin)).status).toBe(200)
  expect((await api.get('/api/tasks', { Host: `localhost:${api.http.port}` })).status).toBe(200)
  expect((await api.get('/api/tasks', { Host: `[::1]:${api.http.port}` })).status).toBe(200)
  expect(await api.ask('HEAD', '/api/tasks/s-1', {})).toMatchObject({ status: 200, text: '' })
  expect(await api.ask('HEAD', '/api/events', {})).toMatchObject({ status: 405, text: '' })
  expect(api.http.streams()).toBe(0)
})

test('health tells nothing but that it is there, and only by our name', async () => {
  expect(await api.get('/api/health', { Authorization: '' })).toMatchObject({ status: 200, text: '{"ok":true}\n' })
  expect((await api.get('/api/health', { Authorization: '', Host: 'evil.example' })).status).toBe(403)
})

test('titles with line breaks stay in the body', async () => {
  const said = await api.get('/api/tasks/s-1')
  expect(said.json['title']).toContain('Set-Cookie')
  expect(said.headers).not.toHaveProperty('set-cookie')
})

test('requests in one go are answered one after the other; nonsense ends its connection alone', async () => {
  const host = `Host: 127.0.0.1:${api.http.port}\r\n`
  const health = `GET /api/health HTTP/1.1\r\n${host}\r\n`
  const two = await api.raw(health + health.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect(two.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  const smuggled = `POST ${accept} HTTP/1.1\r\n${host}Authorization: Bearer ${api.token}\r\n`
  expect(await api.raw(`${smuggled}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400/,
  )
  expect(await api.raw('GET /api/health HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
  expect(await api.raw(`GET /api/tasks/a\u0000b HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 400/)
  expect(await api.raw(`GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 4(14|31)/)
  expect(await api.raw(`GET http://evil.example/api/tasks HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toMatch(
    / 401 /,
  )
  const cut = `${smuggled}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"mess`
  await api.raw(cut, { cut: true })
  await api.raw(`${smuggled}Content-Le`, { cut: true })
  expect((await api.get('/api/health')).status).toBe(200)
})

test('a mistake of ours tells nothing of itself, and is written down', async () => {
  const { commands } = api.world
  const { retry } = commands
  commands.retry = async () => Promise.reject(new Error('secret of the inside'))
  const said = await api.post('/api/tasks/s-1/retry')
  commands.retry = retry
  expect(said).toMatchObject({ status: 500, json: { code: 'internal' } })
  expect(said.text).not.toMatch(/secret|at .*\.ts/)
  expect(api.world.events).toContainEqual(
    expect.objectContaining({ type: 'http-failed', error: expect.stringContaining('secret of the inside') }),
  )
})

test('the token is in a file of its owner’s alone; one that others could have read is replaced', async () => {
  const file = tokenFile(api.world.project)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  const other = join(mkdtempSync(join(tmpdir(), 'muster-token-')), 'token')
  const first = await tokenIn(other, systemRandom)
  expect(await tokenIn(other, systemRandom)).toBe(first)
  writeFileSync(other, 'short\n')
  const second = await tokenIn(other, systemRandom)
  expect(second).not.toBe(first)
  const shown = `${other}.shown`
  writeFileSync(shown, `${second}\n`, { mode: 0o644 })
  expect(await tokenIn(shown, systemRandom)).not.toBe(second)
  expect(statSync(shown).mode & 0o777).toBe(0o600)
})

test('under a configured name only that name counts, whatever the port; a proxy may speak TLS', () => {
  const guard = guardOf({
    host: '0.0.0.0',
    port: 4747,
    names: ['build.example.org'],
    token: 'x',
    sessions: { knows: () => null },
  })
  const isWelcome = (host: string, origin?: string) => {
    try {
      guard.place({ host, origin, authorization: undefined })
      return true
    } catch {
      return false
    }
  }
  expect(isWelcome('Build.example.org')).toBe(true)
  expect(isWelcome('build.example.org:8443', 'https://build.example.org:8443')).toBe(true)
  expect(isWelcome('127.0.0.1:4747', 'http://127.0.0.1:4747')).toBe(true)
  expect(isWelcome('build.example.org', 'https://evil.example')).toBe(false)
  expect(isWelcome('127.0.0.1:4747', 'https://127.0.0.1:4747')).toBe(false)
  for (const host of [
    '0.0.0.0:4747',
    'x.build.example.org',
    'build.example.org.evil.example',
    'build.example.org:x',
    '',
  ]) {
    expect(isWelcome(host), host).toBe(false)
  }
})

test('it does not listen where other machines reach it, unless a name is configured', async () => {
  const { project } = api.world
  for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
    await expect(openPort(project, { host, port: 0 })).rejects.toMatchObject({
      code: 'config',
      hint: expect.stringContaining('serve: { allowHosts:'),
    })
  }
  await expect(openPort(project, { host: '127.0.0.1', port: api.http.port })).rejects.toMatchObject({ code: 'busy' })
})

test('connections that say nothing keep nobody out: of too many the oldest are closed', async () => {
  const more = 40
  const closed = Promise.withResolvers<void>()
  let left = more
  const silent = Array.from({ length: silentMax + more }, () => {
    const socket = connect(api.http.port, '127.0.0.1')
    socket.on('error', () => undefined)
    return socket.once('close', () => (left -= 1) === 0 && closed.resolve())
  })
  await closed.promise
  expect(await api.get('/api/health')).toMatchObject({ status: 200 })
  expect(silent.filter((socket) => !socket.destroyed).length).toBeGreaterThanOrEqual(silentMax - 1)
  for (const socket of silent) socket.destroy()
})
