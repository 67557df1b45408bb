/** The web board as it is served: its files, the link that lets a browser in, and what a session is good for. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../../app.ts'
import { TurnedClock } from '../../../test/support/clock.ts'
import { Api, enter } from '../../../test/support/http.ts'
import { BY_PERSON } from '../../../test/support/maps.ts'
import { World } from '../../../test/support/world.ts'
import { linkMs, sessionMs } from './limits.ts'
import { sessionsOf } from './sessions.ts'
import { Web } from './web.ts'

let api: Api
beforeAll(async () => {
  api = await Api.of(await World.create({ config: `phases: ${BY_PERSON}` }))
  await api.world.submit('  - { id: 1, name: One }\n')
  await api.world.settled()
})
afterAll(() => api.close())

const stranger = { Authorization: '' }
describe('files', () => {
  test('the page is for everybody, strict about what it runs, and never kept', async () => {
    const said = await api.get('/', stranger)
    expect(said).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(said.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
    })
    expect(said.headers['content-security-policy']).not.toMatch(/unsafe|\*/)
    expect(said.text).not.toMatch(/<script(?! type="module")[^>]*>|<style|style=|https?:/)
  })

  test('what has a hash in its name is kept for ever; what is not there is said to be gone', async () => {
    const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec((await api.get('/', stranger)).text) ?? []
    expect(await api.get(script, stranger)).toMatchObject({
      status: 200,
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringMatching(/javascript/),
      },
    })
    expect(await api.get('/assets/gone-12345678.js', stranger)).toMatchObject({
      status: 404,
      json: { code: 'not_found' },
    })
  })

  test('every other path is the page, and none is a file outside of it', async () => {
    const page = (await api.get('/', stranger)).text
    for (const path of [
      '/board',
      '/tasks/s-1',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/muster.db',
      '/serve.token',
      '//etc/passwd',
    ]) {
      expect(await api.get(path, stranger), path).toMatchObject({ status: 200, text: page })
    }
    const raw = `GET /../../package.json HTTP/1.1\r\nHost: 127.0.0.1:${api.http.port}\r\nConnection: close\r\n\r\n`
    expect(await api.raw(raw)).toContain('<!doctype html>')
    expect(await api.get('/api', stranger)).toMatchObject({ status: 401 })
    expect(await api.get('/', { ...stranger, Host: 'evil.example' })).toMatchObject({ status: 403 })
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect(await api.ask(method, '/board', stranger)).toMatchObject({ status: 405, headers: { allow: 'GET' } })
    }
    expect(await api.ask('HEAD', '/board', stranger)).toMatchObject({ status: 200, text: '' })
  })

  test('only files of known kinds are taken, and a board that is not built says how to build it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-web-'))
    expect(() => new Web(join(folder, 'none')).at('/')).toThrow('the web board has not been built')
    mkdirSync(join(folder, 'assets'))
    for (const name of ['index.html', 'assets/a.js', 'assets/.env', 'key.pem']) writeFileSync(join(folder, name), name)
    const web = new Web(folder)
    expect(web.at('/assets/a.js').body.toString()).toBe('assets/a.js')
    expect(web.at('/key.pem').body.toString()).toBe('index.html')
    expect(() => web.at('/assets/.env')).toThrow('no such file')
  })
})

describe('the link', () => {
  const keyOf = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('key')

  test('lets one page in, once, and its key goes to no server with the address', async () => {
    const link = api.http.link()
    expect(new URL(link)).toMatchObject({ pathname: '/', search: '' })
    const ask = () => api.post('/api/session', { key: keyOf(link) }, stranger)
    const said = await ask()
    expect(said).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
    expect(said.headers).not.toHaveProperty('set-cookie')
    const Authorization = `Bearer ${String(said.json['session'])}`
    expect(await api.get('/api/tasks', { Authorization })).toMatchObject({ status: 200 })
    expect(await ask()).toMatchObject({ status: 401, json: { hint: 'muster serve prints a new one' } })
  })

  test('is given anew to who may ask', async () => {
    expect(await api.post('/api/link', undefined, stranger)).toMatchObject({ status: 401 })
    const { link } = (await api.post('/api/link')).json as { link: string }
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[0-9a-f]{64}$/)
  })

  test('is too old after ten minutes, and a session after a month; a restart with the same token keeps it', () => {
    const clock = new TurnedClock()
    const sessions = sessionsOf(1, 'token', clock, systemRandom)
    const [old, fresh] = [sessions.key(false), sessions.key(false)]
    const session = sessions.open(fresh) ?? ''
    clock.turn(linkMs)
    expect(sessions.open(old)).toBe(null)
    expect(sessionsOf(1, 'token', clock, systemRandom).knows(session)).toBe('token')
    expect(sessionsOf(2, 'token', clock, systemRandom).knows(session)).toBe(null)
    expect(sessionsOf(1, 'other', clock, systemRandom).knows(session)).toBe(null)
    clock.turn(sessionMs)
    expect(sessions.knows(session)).toBe(null)
  })

  test('a person’s session decides until the server ends; after that it reads', () => {
    const clock = new TurnedClock()
    const sessions = sessionsOf(1, 'token', clock, systemRandom)
    const session = sessions.open(sessions.key(true)) ?? ''
    const [words, signed] = [session.split('.').slice(0, 2).join('.'), session.split('.')[2] ?? '']
    expect(sessions.knows(session)).toBe('board')
    expect(sessions.knows(`${words}.${signed}`)).toBe('token')
    expect(sessions.knows(`${words}.${signed}.${signed}`)).toBe('token')
    expect(sessionsOf(1, 'token', clock, systemRandom).knows(session)).toBe('token')
  })
})

describe('the session', () => {
  test.each(['=', 'x', `9999999999999.00.${'0'.repeat(64)}`, `.${'0'.repeat(64)}`, '1.2.3.4'])(
    'is no good as "%s"',
    async (value) => {
      expect(await api.get('/api/tasks', { Authorization: `Bearer ${value}` })).toMatchObject({ status: 401 })
    },
  )

  test('is good in a header alone: what a browser sends by itself lets nobody in', async () => {
    const session = await enter(api.http.link())
    const Cookie = `muster-${api.http.port}=${session}`
    const ours = { Origin: `http://127.0.0.1:${api.http.port}`, 'Sec-Fetch-Site': 'same-origin' }
    expect(await api.get('/api/tasks', { ...stranger, ...ours, Cookie })).toMatchObject({ status: 401 })
    expect(await api.post('/api/link', undefined, { ...stranger, ...ours, Cookie })).toMatchObject({ status: 401 })
  })

  test.each(['http://127.0.0.1:1', 'http://localhost:3000', 'https://example.com', 'null'])(
    'is no good from a page of another origin: %s',
    async (Origin) => {
      const headers = { Authorization: `Bearer ${await enter(api.http.link())}`, Origin }
      expect(await api.get('/api/tasks', headers)).toMatchObject({ status: 403 })
      expect(await api.post('/api/link', undefined, headers)).toMatchObject({ status: 403 })
    },
  )
})
