/** Stories in a real browser: from a goal to REVIEW_READY by clicks, and what happens when the validation fails. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsOn } from './axe.ts'
import { openBoard, openBrowser, unrouted } from './browser.ts'
import type { ShopDay } from './story-stage.ts'
import { shopDay, VAGUE } from './story-stage.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { activeElement: { textContent: string } | null; documentElement: { scrollWidth: number } }
declare const window: { innerWidth: number }

describe.skipIf(browser === null)('stories', () => {
  const chromium = browser as Browser
  let day: ShopDay
  let page: Page
  let context: BrowserContext
  let complaints: string[]
  beforeAll(async () => {
    day = await shopDay()
    ;({ page, context, complaints } = await openBoard(chromium, day.api.http.link()))
    page.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await chromium.close()
    await day.api.close()
  })

  const go = (path: string, on = page) => on.goto(day.api.http.url + path)
  const button = (name: string | RegExp, on = page) => on.getByRole('button', { name })
  const badge = (word: string, on = page) => on.locator('h1 + .badge', { hasText: word })
  const head = (branch: string) => day.api.world.git('rev-parse', branch)

  /** Nothing for axe to find, and no wider than a phone. */
  async function looksRight(where: string): Promise<void> {
    expect(await violationsOn(page), where).toEqual([])
    const size = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), where).toBe(true)
    if (size !== null) await page.setViewportSize(size)
  }

  test('S0.21–S0.26 a goal becomes a draft, which is read, edited, kept over a reload and a newer draft, and approved', async () => {
    await go('/stories')
    await page.getByText('No stories yet').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'New story from a goal' }).first().click()
    await page.getByLabel('What do you want to achieve?').fill('Customers can export their invoices as CSV')
    await looksRight('a goal')
    await button('Draft it').click()
    await badge('Being drafted…').waitFor()
    await page.getByText('Reading src/invoices.ts').waitFor()
    await day.gates.drafting.open()

    const criterion = page.getByRole('textbox', { name: 'Criterion 2 of task 1' })
    const warning = page.getByText('means something different to everyone')
    await warning.waitFor()
    expect(await criterion.inputValue()).toBe(VAGUE)
    await page.getByText('Better:').waitFor()
    await page.getByText('It contains invisible characters: “A line in CHANGELOG.md.⟨U+200B⟩”').waitFor()
    await looksRight('a draft')

    await criterion.fill('`ls README.md` exits 0')
    await warning.waitFor({ state: 'detached' })
    const second = page.getByRole('listitem', { name: 'Task 2', exact: true })
    await second.getByLabel('Name').fill('')
    await second.getByText('must not be empty').waitFor()
    expect(await button('Approve as edited').isDisabled()).toBe(true)
    await second.getByLabel('Name').fill('Totals with VAT')
    // Moved before the first, it still waits for it.
    await button('Move Totals with VAT up').click()
    await page.reload()
    const first = page.getByRole('listitem', { name: 'Task 1', exact: true })
    expect(await first.getByLabel('Name').inputValue()).toBe('Totals with VAT')
    await first.getByText('Waits for 2').waitFor()
    await button('Move Totals with VAT down').click()

    await button('Request changes…').click()
    await page.getByLabel('What must change').fill('name the columns')
    await button('Send back').click()
    await page.getByText('There is a newer draft.').waitFor()
    expect(await second.getByLabel('Name').inputValue()).toBe('Totals with tax')
    await button('Replace the newer draft with mine').click()
    expect(await second.getByLabel('Name').inputValue()).toBe('Totals with VAT')
    expect(day.api.world.prompt('task-1.r3')).toContain('name the columns')

    await button('Approve as edited').click()
    await page.waitForURL('**/stories/invoice-export')
    expect((await day.api.world.task('invoice-export-2')).title).toBe('Totals with VAT')
    expect((await day.api.world.task('invoice-export-1')).acceptanceCriteria).toContain('`ls README.md` exits 0')
  })

  test('S0.1–S0.8, S0.51–S0.54 its tasks run on the page, live; a checker that failed is sent back, another overruled', async () => {
    const graph = page.getByRole('region', { name: 'Tasks by what they wait for' })
    await graph.getByRole('link', { name: 'Export endpoint Running' }).waitFor()
    await graph.getByRole('link', { name: 'Announce it Blocked' }).waitFor()
    await looksRight('an open story')
    expect(await button(/^Ship/).count()).toBe(0)
    await day.gates.writing.open()
    const row = (title: string) => page.getByRole('row').filter({ hasText: title })
    await row('Totals with VAT').getByText('Checker failed').waitFor()
    await row('Document the export').getByText('Checker failed').waitFor()
    await graph.getByRole('link', { name: 'Totals with VAT' }).click()
    await page.getByText('the row says net, not gross').first().waitFor()
    await button('Send back…').click()
    await page.getByLabel('What must change').fill('gross, please')
    await button('Send back').last().click()
    await day.api.world.until(({ type, task }) => type === 'task-completed' && task === 'invoice-export-2')
    await go('/')
    const need = page.getByRole('listitem', { name: 'Document the export' })
    await need.getByText('docs/api.md names no path').waitFor()
    await need.getByRole('button', { name: 'Accept anyway…' }).click()
    await page.getByLabel('Reason').fill('the path is generated')
    await button('Accept anyway').last().click()
    await page.getByRole('link', { name: 'Story: Invoice export' }).click()
    await badge('Shippable').waitFor()
    await page.getByText('4 of 4 top-level tasks completed').waitFor()
    await row('Document the export').getByText('Overruled').waitFor()
  })

  test('S0.9, S0.47–S0.50 Ship names the commit and ships no other; pressed in two tabs it is one; its log and end are seen', async () => {
    const tab = await context.newPage()
    await go('/stories/invoice-export', tab)
    const named = () => `Ship ${head('muster/story/invoice-export').slice(0, 7)}`
    await button(`${named()} to main…`, tab).click()
    const asked = tab.getByRole('dialog')
    await asked.getByText(`only if main is still ${head('main').slice(0, 7)}`).waitFor()
    await asked.getByText('deploy.sh from main, 15m limit').waitFor()
    expect(await tab.content()).not.toContain('SHOP_TOKEN')
    const { world } = day.api
    world.git('update-ref', 'refs/heads/main', world.commitOn('main', 'hotfix', 'now\n'))
    world.git('reset', '-q', '--hard')
    await button(named(), tab).last().click()
    await asked.getByText('the story has changed: main is at').waitFor()
    await asked.getByText('check what Ship would do now').waitFor()
    await asked.getByRole('button', { name: 'Not now' }).click()
    await tab.getByText('main has changed since the story started').waitFor()
    await button(`${named()} to main…`, tab).click()
    await asked.getByText(`only if main is still ${head('main').slice(0, 7)}`).waitFor()

    await button(`${named()} to main…`).click()
    await page.getByRole('dialog').getByText('4 of 4').waitFor()
    await looksRight('the question before a Ship')
    await button(named()).last().click()
    await badge('Shipping…').waitFor()
    const deploy = page.getByRole('region', { name: 'Log: Deploy' })
    await deploy.getByText('Uploading invoice-export').waitFor()
    await button(named(), tab).last().click()
    await asked.getByText('cannot be shipped: it is SHIPPING').waitFor()
    await asked.getByRole('button', { name: 'Not now' }).click()
    await badge('Shipping…', tab).waitFor()
    expect(await button(/^Ship/, tab).count()).toBe(0)

    await day.gates.deploying.open()
    await deploy.getByText('Deployed <b>it</b>').waitFor()
    // A log that is over leaves its connection to others: a browser has six, and each tab shows two logs and the events.
    const smoke = (on: Page) => on.getByRole('region', { name: 'Log: Validate the deployment' }).getByText('Waiting')
    await Promise.all([smoke(page).waitFor(), smoke(tab).waitFor()])
    await day.gates.smoking.open()
    await badge('Review ready').waitFor()
    await page.getByRole('listitem', { name: 'Validate the deployment' }).getByText('done, took').waitFor()
    await tab.route(/\/api\/stories\?/, async (route) => {
      const { items } = (await (await route.fetch()).json()) as { items: object[] }
      await route.fulfill({ json: { items: items.map((story) => ({ ...story, validated: false })), next: null } })
    })
    await tab.reload()
    await badge('Review ready, not validated', tab).waitFor()
    await tab.getByText('Validate the deployment: nothing to run').waitFor()
    await page.getByRole('link', { name: 'evidence' }).first().click()
    await page.getByRole('heading', { name: 'Ship: Invoice export' }).waitFor()
    await unrouted(tab)
    await tab.close()
  })

  test('with the keyboard alone: Ship; a validation that fails, its findings, and tasks that fix it', async () => {
    const { world } = day.api
    await world.submit('  - { id: 1, name: Catalogue }\n  - { id: 2, name: Order form, depends_on: [1] }\n')
    await world.until(({ type, task }) => type === 'task-completed' && task === 's-2')
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    const row = page.getByRole('listitem', { name: 'A story' })
    await row.getByText('Shippable').waitFor()
    await looksRight('the stories')
    while (!(await row.evaluate((element) => element === document.activeElement))) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await button(`Ship ${head('muster/story/s').slice(0, 7)} to main…`).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      `Ship ${head('muster/story/s').slice(0, 7)}`,
    )
    await page.keyboard.press('Enter')
    await badge('Needs fix').waitFor()
    await page.getByText('What the validation found').waitFor()
    await page.getByRole('region', { name: 'Shipping' }).getByText('GET /: 500').first().waitFor()
    await looksRight('a story that needs a fix')
    world.agent('implementer', 'echo 1 >fixed; verdict pass')
    await page.keyboard.press('a')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /Fix: GET \/: 500/ }).waitFor()
    await badge('Shippable').waitFor()
    await go('/')
    await page.getByRole('listitem', { name: 'A story' }).getByRole('button', { name: 'Ship…' }).click()
    const commits = [head('muster/story/s').slice(0, 7), 'main']
    await page.getByRole('dialog', { name: `Ship “A story”: ${commits.join(' to ')}?` }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click()
  })

  test('H-10 a story is cancelled with a reason, archived, found among the archived ones and shown again', async () => {
    await go('/stories/s')
    await button('Cancel story…').click()
    await page.getByRole('dialog').getByLabel('Why').fill('somebody else did it')
    await looksRight('the question whether to cancel')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the story' }).click()
    await badge('Cancelled').waitFor()
    await page.getByText('Somebody else did it').waitFor()
    await button('Archive').click()
    await button('Show in lists again').waitFor()
    await go('/stories')
    await button('Show 1 archived').click()
    await looksRight('the stories with archived ones')
    await page.getByRole('listitem', { name: 'A story' }).getByRole('link', { name: 'A story' }).click()
    await button('Show in lists again').click()
    await button('Archive').waitFor()
    const refused = /status of 409/
    expect(complaints.filter((text) => !refused.test(text))).toEqual([])
  })
})
