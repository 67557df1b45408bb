/** Insights, the palette and the help in a real browser, on what four weeks of work left behind. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEED_KINDS } from '../../src/domain/task/need.ts'
import type { Api } from '../support/http.ts'
import { violationsOn } from './axe.ts'
import { openBoard, openBrowser, unrouted } from './browser.ts'
import { pastMonth } from './month.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { documentElement: { scrollWidth: number; dataset: { theme: string } } }
declare const window: { innerWidth: number }

describe.skipIf(browser === null)('Insights', () => {
  const chromium = browser as Browser
  let api: Api
  beforeAll(async () => {
    api = await pastMonth()
  })
  afterAll(async () => {
    await chromium.close()
    await api.close()
  })

  test('F-5, F-3 rounds, pass rates, overrides, cost and time as charts and tables, of all or of one story', async () => {
    const { page, context, complaints } = await openBoard(chromium, api.http.link())
    await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    const chart = (name: string) => page.getByRole('figure', { name })
    await chart('Rounds per task').waitFor()
    for (const name of ['Pass rate by agent and role', 'Overrides of checkers', 'Cost by day', 'Time by story'])
      expect(await chart(name).locator('svg [data-point]').count(), name).toBeGreaterThan(0)

    const { json } = await api.get('/api/stats')
    const { by } = json['rounds'] as { by: { rounds: number; tasks: number }[] }
    const rounds = chart('Rounds per task')
    expect(await rounds.getByRole('img').first().getAttribute('aria-label')).toBe(
      `never sent back: ${by[0]?.tasks} tasks`,
    )
    await rounds.getByRole('img').first().focus()
    await page.keyboard.press('ArrowRight')
    await rounds.locator('.chart-said', { hasText: `sent back once: ${by[1]?.tasks} tasks` }).waitFor()
    await rounds.getByText('As a table').click()
    expect(await rounds.getByRole('row').nth(1).textContent()).toBe(`0${by[0]?.tasks}`)
    await chart('Cost by day').getByRole('img').last().hover()
    await chart('Cost by day')
      .locator('.chart-said', { hasText: /: \$\d+\.\d\d, \d+ runs/ })
      .waitFor()

    // Live: what ends now is counted without a reload.
    const over = (json['rounds'] as { tasks: number }).tasks
    await page.locator('.figures', { hasText: `Finished tasks${over} ` }).waitFor()
    const { id } = await api.world.add('Never mind')
    await api.world.commands.cancel({ task: id, reason: '', by: 'tester' })
    await page.locator('.figures', { hasText: `Finished tasks${over + 1} ` }).waitFor()

    const { json: spent } = await api.get('/api/cost?story=auth')
    await page.getByRole('combobox', { name: 'Story' }).selectOption('auth')
    const runs = (spent['total'] as { runs: number }).runs
    await page.locator('.figures', { hasText: `${runs} runs` }).waitFor()
    expect(new URL(page.url()).searchParams.get('story')).toBe('auth')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the palette, with the keyboard alone: to a task by a few letters, what can be done to it, pages, themes', async () => {
    const { id } = await api.world.add('Expire sessions after 30 minutes')
    const { page, context, complaints } = await openBoard(chromium, api.http.link())
    await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor()
    const field = page.getByRole('combobox', { name: 'Task, story, page or action' })
    const open = async (words: string) => {
      await page.keyboard.press('Control+k')
      await field.waitFor()
      await page.keyboard.type(words)
    }
    const chosen = (text: string) => page.locator('[role=option][aria-selected=true]', { hasText: text }).waitFor()
    await open('title')
    await chosen('Title of')
    expect(await page.getByRole('dialog').getByRole('option').count()).toBe(12)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await open('exp sess')
    await chosen('Expire sessions')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Expire sessions after 30 minutes' }).waitFor()

    await page.locator('#why').waitFor()
    await page.keyboard.press('e')
    await page.locator('#why:focus').waitFor()
    await open('')
    await chosen('Cancel…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /^Cancel/ }).waitFor()
    await page.keyboard.type('the gateway does it')
    await page.keyboard.press('Control+Enter')
    await page.locator('h1 + .badge', { hasText: 'Cancelled' }).waitFor()
    expect(await api.world.task(id)).toMatchObject({ status: 'cancelled' })

    await open('invoice exp')
    await chosen('Story')
    await page.keyboard.press('Enter')
    await page.waitForURL(/invoices/)
    await open('dark')
    await chosen('Dark')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    expect(await page.getByLabel('Theme').inputValue()).toBe('dark')
    await open('insi')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await chosen('Insights')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Insights' }).waitFor()
    await open('zzzz')
    await page.getByText('No results').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('S1.16 every kind of need is told apart, and a pause is told live and ended with one press', async () => {
    const { page, context, complaints } = await openBoard(chromium, api.http.link())
    await page.getByText('Nothing needs you').waitFor()
    await api.world.commands.pause({ paused: true })
    const row = page.getByRole('listitem', { name: 'Muster is paused' })
    await row.locator('.badge', { hasText: 'Paused' }).waitFor()
    await row.focus()
    await page.keyboard.press('a')
    await row.waitFor({ state: 'detached' })
    await page.route('**/api/needs', (route) => route.fulfill({ json: { items: NEED_KINDS.map(needOf), more: false } }))
    await page.reload()
    await page.locator('.need').first().waitFor()
    const told = await page.locator('.need-kind').allTextContents()
    expect(new Set(told).size).toBe(NEED_KINDS.length)
    expect(await violationsOn(page)).toEqual([])
    expect(complaints).toEqual([])
    await unrouted(page)
    await context.close()
  })

  test('axe finds nothing, and nothing is wider than a phone', async () => {
    const { page, context, complaints } = await openBoard(chromium, api.http.link(), { width: 390, height: 800 })
    await page.goto(`${api.http.url}/insights`)
    await page.locator('.chart [data-point]').first().waitFor()
    await page.locator('.chart summary').first().click()
    expect(await violationsOn(page)).toEqual([])
    for (const [key, name] of [
      ['Control+k', 'Find and do'],
      ['?', 'Keys'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name }).waitFor()
      expect(await violationsOn(page, 'dialog'), name).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })
})

const needOf = (kind: string) => ({
  kind,
  id: kind,
  title: `A task that is ${kind}`,
  story: null,
  reason: 'something is so',
  report: null,
  request: null,
  pr: null,
  since: new Date(0).toISOString(),
  round: 1,
  version: 1,
  actions: [],
  reasonNeeded: false,
})
