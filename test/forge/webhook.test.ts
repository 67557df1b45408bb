/** The webhook: whoever has the secret may say that something happened, once, and nothing else. */
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'
import { GitHubWorld } from './support.ts'

const SECRET = 'a secret of the webhook'
const PATH = '/api/webhooks/github'

function signed(body: string, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

describe('with a secret', () => {
  let here: GitHubWorld
  let api: Api
  beforeEach(async () => {
    here = await GitHubWorld.create({ forge: 'webhookSecretEnv: HOOK_SECRET' })
    here.world.env['HOOK_SECRET'] = SECRET
    here.world.agent('s-1', 'echo one >one.txt; verdict pass')
    api = await Api.of(here.world)
  })
  afterEach(async () => {
    await api.close()
    await here.dispose()
  })

  const deliver = (body: string, signature: string, id = '72d3162e-cc78') =>
    api.ask(
      'POST',
      PATH,
      {
        Authorization: '',
        'content-type': 'application/json',
        'x-github-event': 'pull_request_review',
        'x-github-delivery': id,
        'x-hub-signature-256': signature,
      },
      body,
    )

  test('a delivery is a sign to look, and what it says is not believed', async () => {
    const { world, github } = here
    await world.submit('  - { id: 1, name: One }\n')
    await world.settled()
    const lie = JSON.stringify({ action: 'submitted', review: { state: 'approved' }, pull_request: { number: 1 } })
    expect(await deliver(lie, signed(lie))).toMatchObject({ status: 202, json: { news: true } })
    await world.settled()
    expect(await world.task('s-1')).toMatchObject({ phase: 'await-review' })
    github.review('APPROVED')
    const body = '{"action":"submitted"}'
    expect(await deliver(body, signed(body), '99')).toMatchObject({ status: 202, json: { news: true } })
    await world.until(({ type, task }) => type === 'task-completed' && task === 's-1')
  })

  test('forged, unsigned or changed on its way: refused, and nobody looks', async () => {
    const asked = here.github.asked.length
    const body = '{"action":"submitted"}'
    for (const signature of [
      '',
      'sha256=',
      signed(body, 'another'),
      signed('{}'),
      `${signed(body)}0`,
      signed(body).slice(7),
      `sha256=${'é'.repeat(64)}`,
      `sha256=${'é'.repeat(32)}`,
    ]) {
      expect(await deliver(body, signature)).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
    }
    expect(here.github.asked).toHaveLength(asked)
  })

  test('replayed, under the same id or another: taken once', async () => {
    const body = '{"action":"submitted"}'
    expect(await deliver(body, signed(body))).toMatchObject({ status: 202, json: { news: true } })
    expect(await deliver(body, signed(body))).toMatchObject({ status: 202, json: { news: false } })
    expect(await deliver(body, signed(body), 'another id')).toMatchObject({ status: 202, json: { news: false } })
    const other = '{"action":"edited"}'
    expect(await deliver(other, signed(other))).toMatchObject({ status: 202, json: { news: false } })
    expect(await deliver(other, signed(other), 'a third')).toMatchObject({ json: { news: false } })
  })

  test('oversize: refused before it is read, whatever its signature', async () => {
    const body = `{"x":"${'x'.repeat(1024 * 1024)}"}`
    expect(await deliver(body, signed(body))).toMatchObject({ status: 413, json: { code: 'too_large' } })
  })

  test('needs no token, but the name of the server; and only this path goes without', async () => {
    const body = '{}'
    const headers = { Authorization: '', Host: 'evil.example.org', 'x-hub-signature-256': signed(body) }
    expect(await api.ask('POST', PATH, headers, body)).toMatchObject({ status: 403 })
    for (const path of [PATH, '/api/tasks']) {
      expect(await api.ask('GET', path, { Authorization: '' })).toMatchObject({ status: 401 })
    }
  })
})

test('without a secret there is no such path', async () => {
  const world = await World.create()
  const api = await Api.of(world)
  try {
    const said = await api.ask('POST', PATH, { Authorization: '', 'x-hub-signature-256': signed('{}', '') }, '{}')
    expect(said).toMatchObject({ status: 404, json: { code: 'not_found' } })
  } finally {
    await api.close()
  }
})
