/** A board of ten thousand tasks: it has them all, draws a few, and asks for no more than those. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'
import { openBoard, openBrowser, unrouted } from './browser.ts'
import { scriptBytes, scriptBytesMax } from './scripts.ts'

const browser = await openBrowser()
const tasks = 10_000
const page500 = 500
const at = '2026-01-01T00:00:00.000Z'

/** As the server lists it: making so many would take a minute. */
const lineOf = (n: number) => ({
  id: `t-${n}`,
  title: `Task number ${n}`,
  status: 'not-started',
  phase: null,
  stage: 'pending',
  round: 0,
  attempt: 0,
  story: null,
  agent: null,
  dependsOn: [],
  waitingFor: 'its turn',
  needsPerson: false,
  failureReason: null,
  updatedAt: at,
  version: 1,
})

describe.skipIf(browser === null)('ten thousand tasks', () => {
  const chromium = browser as Browser
  let api: Api
  beforeAll(async () => {
    api = await Api.of(await World.create())
  })
  afterAll(async () => {
    await chromium.close()
    await api.close()
  })

  test('S3.20 are on the board, of which what is in sight is drawn and asked for', async () => {
    const { page, context, complaints } = await openBoard(chromium, api.http.link())
    const asked: number[] = []
    await page.route('**/api/tasks?*', (route) => {
      const from = Number(/after=t-(\d+)/.exec(route.request().url())?.[1] ?? 0)
      const items = Array.from({ length: page500 }, (_, index) => lineOf(from + index + 1))
      const next = from + page500 < tasks ? `t-${from + page500}` : null
      return route.fulfill({ json: { items, next } })
    })
    await page.route('**/api/cards?*', (route) => {
      const ids = new URL(route.request().url()).searchParams.get('ids') ?? ''
      asked.push(ids.split(',').length)
      return route.fulfill({ json: { items: [] } })
    })
    const scripts = new Set<string>()
    page.on('request', (request) => request.resourceType() === 'script' && scripts.add(new URL(request.url()).pathname))
    await page.goto(`${api.http.url}/board`)
    await page.getByText('10000 tasks').waitFor()
    await page.getByRole('link', { name: 'Task number 1', exact: true }).waitFor()
    expect(await page.locator('.card').count()).toBeLessThan(60)
    const cards = page.getByRole('list', { name: 'Pending' })
    await cards.press('End')
    await page.getByRole('link', { name: 'Task number 10000' }).waitFor()
    expect(await page.locator('.card').count()).toBeLessThan(60)
    await page.getByRole('searchbox').fill('number 4242')
    await page.getByText('1 of 10000 tasks').waitFor()
    expect(new URL(page.url()).searchParams.get('text')).toBe('number 4242')
    expect(asked.reduce((sum, count) => sum + count, 0)).toBeLessThan(1000)
    expect(complaints).toEqual([])
    // The board's own script and nothing of other pages: what the bench holds against its limit, too.
    expect(scriptBytes(scripts)).toBeLessThan(scriptBytesMax)
    expect([...scripts].filter((path) => /\/(insights|palette|task)-/.test(path))).toEqual([])
    await unrouted(page)
    await context.close()
  })
})
