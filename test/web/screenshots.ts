/** `npm run screenshots`: pictures of every page, light and dark, into docs/screenshots. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Api } from '../support/http.ts'
import { openBoard, openBrowser } from './browser.ts'
import { pastMonth } from './month.ts'
import { planWaits } from './plan-stage.ts'
import { review } from './review-stage.ts'
import { usualDay } from './stage.ts'
import { shopDay } from './story-stage.ts'

const folder = join(import.meta.dirname, '../../docs/screenshots')
mkdirSync(folder, { recursive: true })

/** `before`: what somebody does there before the picture is taken. */
type Shot = readonly [name: string, path: string, shows: string, before?: (page: Page) => Promise<void>]

const PAGES: readonly Shot[] = [
  ['needs', '/', '.need'],
  ['board', '/board', '.card .badge'],
  ['task', '/tasks/s-3', '.criteria'],
  ['findings', '/tasks/s-6?tab=findings', '.findings'],
  ['logs', '/tasks/s-4?tab=logs', '.log-line'],
  ['stories', '/stories', '.story-row'],
  ['story', '/stories/s', '.ship-plan'],
]

/** Of a day on which a story can be shipped and another is drafted. */
const SHOP_PAGES: typeof PAGES = [
  ['elaborate', '/elaborate', '.goal'],
  ['draft', '/elaborate/task-1', '.lint'],
  ['ship', '/stories/s', '.ship-plan'],
]

const REVIEW: readonly Shot[] = [
  ['diff', '/tasks/s-1?tab=diff', '.tone-word', comment],
  ['timeline', '/tasks/s-2?tab=logs&attempt=s-2.r1', '.kind-final'],
  ['prompts', '/tasks/s-1?tab=prompts', '.log-line'],
]

const PLAN = `1. src/session.ts: keep startedAt in the session, and refuse one that is older than 30 minutes in isValid().
   renew() does not touch startedAt, so that no session lives forever.
2. src/token.ts stays as it is: old tokens without startedAt count as expired.
3. test/session.test.ts: refused at 30:01, kept at 29:59, refused after any number of renewals.

Not clear: should the page warn before a session ends? I would leave that to another task.`

async function comment(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Comment on line 18 of src/session.ts' }).click()
  await page.keyboard.type('This lets a session live forever: look at startedAt, too.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('not sent yet').waitFor()
}

async function draw(browser: Browser, api: Api, pages: readonly Shot[]): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    for (const [look, size] of [
      ['', {}],
      ['-phone', { width: 390, height: 800 }],
    ] as const) {
      const { page, context, complaints } = await openBoard(browser, api.http.link(), { theme, ...size })
      for (const [name, path, shows, before] of pages) {
        if (look !== '' && theme === 'dark') continue
        await page.goto(api.http.url + path)
        // On a phone some of it is left out.
        await page.waitForSelector(shows, { state: 'attached' })
        await before?.(page)
        await page.screenshot({ path: join(folder, `${name}-${theme}${look}.png`) })
      }
      if (complaints.length > 0) console.error(complaints.join('\n'))
      await context.close()
    }
  }
}

const browser = await openBrowser()
if (browser === null) process.exit(1)
const { api, open } = await usualDay()
await draw(browser, api, PAGES)
await open()
const month = await pastMonth()
for (const theme of ['light', 'dark'] as const) {
  const { page, context } = await openBoard(browser, month.http.link(), { theme, height: 1180 })
  await page.goto(`${month.http.url}/insights`)
  await page.waitForSelector('.chart [data-point]')
  await page.screenshot({ path: join(folder, `insights-${theme}.png`) })
  await context.close()
}
await month.close()
await api.close()
const reviewed = await review()
await draw(browser, reviewed.api, REVIEW)
await reviewed.api.close()
const planned = await planWaits('Expire sessions after 30 minutes', PLAN)
const { page, context } = await openBoard(browser, planned.http.link(), { theme: 'light' })
await page.goto(`${planned.http.url}/tasks/s-1`)
await page.getByRole('region', { name: 'The plan' }).waitFor()
await page.screenshot({ path: join(folder, 'plan-light.png') })
await context.close()
await planned.close()
const shop = await shopDay('checked')
const { world } = shop.api
await world.commands.elaborate({ goal: 'Customers can export their invoices as CSV', config: world.project.config })
await shop.gates.drafting.open()
await world.until(({ type, task, to }) => type === 'phase-entered' && task === 'task-1' && to === 'draft')
await world.submit(
  `  - { id: 1, name: Catalogue, checks: [unit, types], acceptance_criteria: Every article has a price }
  - { id: 2, name: Basket, checks: [unit], depends_on: [1] }
  - { id: 3, name: Prices with tax, checks: [unit, types], depends_on: [1] }
  - { id: 4, name: Order form, checks: [unit, types], depends_on: [2, 3] }
`,
  'Open the shop',
)
await world.until(({ type, to }) => type === 'story-moved' && to === 'SHIPPABLE')
await draw(browser, shop.api, SHOP_PAGES)
await shop.api.close()
await browser.close()
