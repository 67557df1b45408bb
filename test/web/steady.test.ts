/** What is on the screen stays right, and what somebody was about to do stays possible, when things happen at a bad moment. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerFor, openPort } from '../../src/serve.ts'
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'
import { openBoard, openBrowser, unrouted } from './browser.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { activeElement: { ariaLabel: string | null; textContent: string } | null }
declare const window: { dispatchEvent(event: Event): void }

describe.skipIf(browser === null)('the board at a bad moment', () => {
  const chromium = browser as Browser
  let api: Api
  beforeAll(async () => {
    api = await Api.of(await World.create())
    api.world.engine.settled(undefined).catch(() => undefined)
  })
  afterAll(async () => {
    await chromium.close()
    await api.close()
  })

  test('an event that comes while the answer to the one before is under way is not lost; nor is one without a network', async () => {
    const { world } = api
    const gate = world.gate('writing')
    world.agent('implementer', 'echo 1 >"$MUSTER_TASK_ID.txt"; verdict pass')
    world.agent('s-1', 'gate writing; work; verdict pass')
    const { page, context } = await openBoard(chromium, api.http.link())
    await page.goto(`${api.http.url}/board`)
    await page.getByText('No tasks yet').waitFor()
    await page.evaluate(() => window.dispatchEvent(new Event('offline')))
    const slow = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route('**/api/cards?*', async (route) => {
      const response = await route.fetch()
      asked.resolve()
      await slow.promise
      await route.fulfill({ response })
    })
    await world.submit(
      '  - { id: 1, name: Slowly told }\n  - { id: 2, name: Write the catalogue, phases: reviewed }\n  - { id: 3, name: Write the prices, phases: reviewed }\n',
    )
    await world.until(({ type, task }) => type === 'run-started' && task === 's-1')
    await asked.promise
    await gate.open()
    await world.until(({ type, task }) => type === 'task-completed' && task === 's-1')
    // The page has heard of it: what needs somebody is renewed by the same events.
    await page.locator('nav .count', { hasText: '2' }).waitFor()
    slow.resolve()
    await page.getByRole('region', { name: /^Done/ }).getByText('Slowly told').waitFor()
    expect(await page.locator('.stale').count()).toBe(0)
    await unrouted(page)
    await context.close()
  })

  test('with the keyboard: words that were not sent are there again, and the focus is where one goes on', async () => {
    const { page, context } = await openBoard(chromium, api.http.link())
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)
    const row = page.getByRole('listitem', { name: 'Write the catalogue' })
    const back = row.getByRole('button', { name: 'Send back…' })
    await back.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('half a sentence')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Send back…')
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('What must change').inputValue()).toBe('half a sentence')
    await page.getByRole('button', { name: 'Not now' }).click()
    await row.focus()
    await page.keyboard.press('Control+k')
    await page.locator('.palette').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.palette').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Write the catalogue')
    await page.keyboard.press('a')
    await row.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Write the prices')
    // As somebody writes it by hand.
    await page.goto(`${api.http.url}/board?text=3`)
    await page.getByText('1 of 3 tasks').waitFor()
    await context.close()
  })

  test('without a server a page that is not loaded yet says so, and comes with the server; a pause meanwhile is seen', async () => {
    const { page, context } = await openBoard(chromium, api.http.link())
    await page.getByRole('listitem', { name: 'Write the prices' }).waitFor()
    await api.http.close()
    await page.getByText('Not connected to Muster.').waitFor()
    await page.getByRole('link', { name: 'Insights' }).click()
    await page.getByText('This part of the board could not be loaded').waitFor()
    await page.getByRole('link', { name: /Needs you/ }).click()
    await page.getByRole('listitem', { name: 'Write the prices' }).waitFor()
    const { world, hub } = api
    await world.commands.pause({ paused: true })
    const again = await openPort(world.project, { host: '127.0.0.1', port: api.http.port })
    const { commands } = world
    const stopReading = await answerFor(again, world.project, world.env, {
      commandsOf: () => commands,
      hub,
      by: 'tester',
    })
    await page.getByRole('listitem', { name: 'Muster is paused' }).waitFor()
    await page.getByRole('link', { name: 'Insights' }).click()
    await page.getByRole('heading', { name: 'Insights' }).waitFor()
    expect(await page.locator('.stale').count()).toBe(0)
    await context.close()
    await again.close()
    await stopReading()
  })
})
