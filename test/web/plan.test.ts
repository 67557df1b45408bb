/** A plan that waits for a person, in a real browser: read, sent back and approved on the task's page. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/http.ts'
import { violationsOn } from './axe.ts'
import { openBoard, openBrowser } from './browser.ts'
import { planWaits } from './plan-stage.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)('a plan', () => {
  const chromium = browser as Browser
  let api: Api
  beforeAll(async () => {
    api = await planWaits('Write it down', '1. Write <b>one.txt</b>.\n\u202e[approve](javascript:alert(1))')
  })
  afterAll(async () => {
    await chromium.close()
    await api.close()
  })

  test('is shown as text where it is decided, with its versions; a rejection and an approval are one press each', async () => {
    const { page, context, complaints } = await openBoard(chromium, api.http.link())
    page.setDefaultTimeout(30_000)
    const { world } = api
    await page.locator('.need', { hasText: 'Its plan is written' }).getByRole('link', { name: 'Write it down' }).click()
    const shown = page.getByRole('region', { name: 'The plan', exact: true })
    expect(await shown.textContent()).toBe('1. Write <b>one.txt</b>.\n⟨U+202E⟩[approve](javascript:alert(1))')
    expect(await shown.locator('a, b').count()).toBe(0)
    expect(await violationsOn(page, 'main')).toEqual([])

    world.agent('planner', `tell '{"answer":"A better plan."}'; verdict pass`)
    await page.getByRole('button', { name: 'Send back…' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('say where')
    await page.getByRole('dialog').getByRole('button', { name: 'Send back' }).click()
    await page.getByText('A better plan.').waitFor()
    expect(await page.getByText('Earlier version').count()).toBe(1)
    await page.getByRole('button', { name: 'Approve the plan' }).click()
    await world.until(({ type, task }) => type === 'decision' && task === 's-1')
    await page.getByRole('heading', { name: /^Plan · approved by/ }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
