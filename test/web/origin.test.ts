/** A page that an agent's server shows on another port, opened in the browser that has the board open: it gets nothing. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { Api } from '../support/http.ts'
import { BY_PERSON } from '../support/maps.ts'
import { World } from '../support/world.ts'
import { openBoard, openBrowser } from './browser.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { cookie: string; createElement(name: string): Record<string, unknown> & { submit(): void } }
declare const localStorage: { length: number }
declare const setTimeout: (then: (value: unknown) => void, ms: number) => void
declare const window: { open(url: string): { localStorage: { length: number } } | null }

const DECISIONS = ['/api/tasks/s-1/accept', '/api/tasks/s-1/approve', '/api/stories/s/ship']

describe.skipIf(browser === null)('S1.21, L36 a page on another port of this machine', () => {
  const chromium = browser as Browser
  afterAll(() => chromium.close())

  test('is sent nothing that lets anybody in, reads nothing and decides nothing, nor does a program with what it got', async () => {
    const api = await Api.of(await World.create({ config: `phases: ${BY_PERSON}` }))
    await api.world.submit('  - { id: 1, name: Secret plan }\n')
    await api.world.settled()
    const heard: IncomingHttpHeaders[] = []
    const hostile = createServer(({ headers }, answer) => {
      heard.push(headers)
      answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>dev server</title>')
    })
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    const { port } = hostile.address() as AddressInfo
    const { page, context } = await openBoard(chromium, api.http.link())
    await page.getByText('Secret plan').first().waitFor()
    expect(page.url()).toBe(`${api.http.url}/`)
    expect(await context.cookies()).toEqual([])

    const other = await context.newPage()
    await other.goto(`http://127.0.0.1:${port}/`)
    const tried = await other.evaluate(
      async ({ board, decisions }) => {
        const read = async (init: object) =>
          fetch(`${board}/api/tasks`, init).then(
            (said) => said.text(),
            () => 'refused',
          )
        const send = async (path: string, init: object) =>
          fetch(board + path, { method: 'POST', body: '{}', ...init }).then(
            ({ type }) => type,
            () => 'refused',
          )
        const opened = window.open(board)
        // Until it has gone there it is a page of its opener's.
        let stored = 'its own'
        for (let tries = 0; stored === 'its own' && tries < 200; tries += 1) {
          await new Promise((resolve) => setTimeout(resolve, 50))
          try {
            void opened?.localStorage.length
          } catch {
            stored = 'refused'
          }
        }
        const sent = []
        for (const path of decisions) {
          sent.push(await send(path, { credentials: 'include', headers: { 'Content-Type': 'application/json' } }))
          // A browser sends these without asking first.
          sent.push(await send(path, { credentials: 'include', mode: 'no-cors' }))
        }
        return {
          cookie: document.cookie,
          own: localStorage.length,
          stored,
          read: [await read({ credentials: 'include' }), await read({ headers: { Authorization: 'Bearer x' } })],
          sent,
        }
      },
      { board: api.http.url, decisions: DECISIONS },
    )
    expect(tried).toEqual({
      cookie: '',
      own: 0,
      stored: 'refused',
      read: ['refused', 'refused'],
      sent: DECISIONS.flatMap(() => ['refused', 'refused']),
    })

    for (const headers of heard) {
      expect(headers).not.toHaveProperty('cookie')
      expect(headers).not.toHaveProperty('authorization')
      const forged = { Authorization: '', Origin: api.http.url, 'Sec-Fetch-Site': 'same-origin' }
      for (const path of DECISIONS) expect(await api.post(path, {}, forged)).toMatchObject({ status: 401 })
      expect(await api.get('/api/tasks', forged)).toMatchObject({ status: 401 })
    }
    expect(heard.length).toBeGreaterThan(0)
    expect(await api.world.task('s-1')).toMatchObject({ stage: 'review', findings: [] })

    // The board itself goes on.
    await page.reload()
    await page.getByText('Secret plan').first().waitFor()
    await context.close()
    await new Promise((resolve) => hostile.close(resolve))
    await api.close()
  })
})
