/** What the board shows of a task with a pull request, and of an agent that asks for a decision. */
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ask } from '../../src/engine/asking.ts'
import { GitHubWorld } from '../forge/support.ts'
import { Api } from '../support/http.ts'
import { violationsOn } from './axe.ts'
import { openBoard, openBrowser } from './browser.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)('a pull request on the board', () => {
  test('S2.19, L16 a link leads there, its wait is on the card, and what an agent asks is in Needs you', async () => {
    const here = await GitHubWorld.create()
    const { world, github } = here
    world.agent('s-1', 'echo one >one.txt; verdict pass')
    const api = await Api.of(world)
    await world.submit('  - { id: 1, name: Export endpoint }\n')
    await world.settled()
    const url = `${github.url}/acme/shop/pull/1`
    const head = github.headOf(github.pull()).slice(0, 12)
    const chromium = browser as Browser
    const on = await openBoard(chromium, api.http.link(), {})
    try {
      const { page } = on
      await page.goto(api.http.url)
      const row = page.getByRole('listitem', { name: 'Export endpoint' })
      await row.getByText(`Its pull request is waiting: no approving review of ${head} yet: ${url}`).waitFor()
      expect(await row.getByRole('link', { name: 'open its pull request' }).getAttribute('href')).toBe(url)
      const reason = 'all is green <img src=x onerror="window.taken=1">'
      await ask(world.engine, { what: 'accept', id: 's-1', reason, by: 'mcp' })
      await row.getByText(`An agent asks you to decide: “${reason}”`).waitFor()
      expect(await violationsOn(page)).toEqual([])
      await page.goto(`${api.http.url}/board`)
      await page.locator('.card').getByText(`no approving review of ${head} yet: ${url}`).waitFor()
      await page.goto(`${api.http.url}/tasks/s-1`)
      const fact = page.locator('.facts > div', { hasText: 'Pull request' })
      const link = fact.getByRole('link', { name: url })
      expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([url, 'noreferrer'])
      expect(await page.locator(`main a[href^="http"]`).count()).toBe(1)
      expect(await page.locator('main img').count()).toBe(0)
      // Asked once more for what came after, it would be another request: this one was about the commit before.
      await world.reject('s-1', 'say two')
      await world.settled()
      await page.goto(api.http.url)
      await row.waitFor()
      expect(await row.getByText('An agent asks').count()).toBe(0)
      expect(on.complaints).toEqual([])
    } finally {
      await chromium.close()
      await api.close()
      await here.dispose()
    }
  })
})
