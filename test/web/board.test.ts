/** The web board in a real browser, on a project in the middle of its work. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerFor, openPort } from '../../src/serve.ts'
import type { Api } from '../support/http.ts'
import { violationsOn } from './axe.ts'
import type { Look } from './browser.ts'
import { openBoard, openBrowser } from './browser.ts'
import { usualDay } from './stage.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { title: string; activeElement: unknown; documentElement: { scrollWidth: number } }
declare const window: { innerWidth: number }

describe.skipIf(browser === null)('the board', () => {
  let api: Api
  let open: () => Promise<void>
  const chromium = browser as Browser
  beforeAll(async () => {
    ;({ api, open } = await usualDay())
  })
  afterAll(async () => {
    await chromium.close()
    await open()
    await api.close()
  })

  /** A page that has been let in, gone when the test is over; it must have had nothing to complain of. */
  async function board(
    path: string,
    run: (on: Awaited<ReturnType<typeof openBoard>>) => Promise<void>,
    look: Look = {},
  ) {
    const on = await openBoard(chromium, api.http.link(), look)
    try {
      await on.page.goto(api.http.url + path)
      await run(on)
      expect(on.complaints).toEqual([])
    } finally {
      await on.context.close()
    }
  }

  test('axe finds nothing on any page', async () => {
    const pages = [
      ['/', '.need'],
      ['/board', '.card .badge'],
      ['/tasks/s-3', '.criteria .code'],
      ['/tasks/s-6?tab=findings', '.findings'],
      ['/tasks/s-4?tab=logs', '.log-line'],
      ['/tasks/s-3?tab=events', '.events'],
    ] as const
    await board('/', async ({ page, context }) => {
      for (const [path, shows] of pages) {
        await page.goto(api.http.url + path)
        await page.waitForSelector(shows)
        expect(await violationsOn(page), path).toEqual([])
      }
      expect(context.pages()).toHaveLength(1)
    })
  })

  test('who is not let in is told how, and sees nothing of the project', async () => {
    const { page, context } = await openBoard(chromium, api.http.url)
    await page.getByText('You need a sign-in link').waitFor()
    expect(await page.content()).not.toContain('Expire sessions')
    await context.close()
  })

  test('S0.51 what waits for a person is accepted with one press, and lands', async () => {
    await board('/', async ({ page }) => {
      const row = page.getByRole('listitem', { name: 'PDF page breaks' })
      await row.locator('.badge', { hasText: 'Review' }).waitFor()
      await row.getByRole('button', { name: 'Accept', exact: true }).click()
      await row.waitFor({ state: 'detached' })
      await page.goto(`${api.http.url}/tasks/s-10`)
      await page.locator('h1 + .badge', { hasText: 'Completed' }).waitFor()
    })
    expect(await api.world.task('s-10')).toMatchObject({ status: 'completed', waiver: null })
  })

  test('S0.54, D-9 a checker that failed: its report, and accepting over it with a reason that stays; live, without a reload', async () => {
    await board('/board', async ({ page: second }) => {
      const review = second.getByRole('region', { name: /^Review/ })
      await review.getByText('Expire sessions').waitFor()
      await board('/', async ({ page }) => {
        const row = page.getByRole('listitem', { name: 'Expire sessions after 30 minutes' })
        await row.getByText('Checker failed').waitFor()
        await row.getByText('token refresh never checks the absolute limit').waitFor()
        const waiting = Number(/^\((\d+)\) Needs you · Muster$/.exec(await page.title())?.[1])
        await row.getByRole('button', { name: 'Accept anyway…' }).click()
        const dialog = page.getByRole('dialog')
        expect(await dialog.getByRole('button', { name: 'Accept anyway' }).isDisabled()).toBe(true)
        await dialog.getByLabel('Reason').fill('the gateway cuts sessions off')
        await dialog.getByRole('button', { name: 'Accept anyway' }).click()
        await row.waitFor({ state: 'detached' })
        await page.waitForFunction((title) => document.title.startsWith(title), `(${waiting - 1})`)
      })
      await second.getByRole('region', { name: /^Done/ }).getByText('Expire sessions').waitFor()
      await second.getByRole('link', { name: 'Expire sessions after 30 minutes' }).click()
      await second.getByText('“the gateway cuts sessions off”').waitFor()
      expect(await second.getByText('Overruled').count()).toBeGreaterThan(0)
    })
  })

  test('with the keyboard alone: along the rows, send back with words, which go to the author', async () => {
    await board('/board', async ({ page }) => {
      await page.getByRole('link', { name: 'Rate-limit login' }).waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('n')
      const row = page.getByRole('listitem', { name: 'Investigate slow checkout' })
      await row.waitFor()
      while (!(await row.evaluate((element) => element === document.activeElement))) await page.keyboard.press('j')
      await page.keyboard.press('r')
      await page.keyboard.type('name the slow query')
      await page.keyboard.press('Control+Enter')
      await row.waitFor({ state: 'detached' })
    })
    await api.world.until(({ type, task, attempt }) => type === 'run-started' && task === 'task-1' && attempt === 2)
    expect((await api.world.task('task-1')).findings.map(({ message }) => message)).toContain('name the slow query')
  })

  test('hostile titles, findings and logs are text: nothing runs, nothing hides, nothing links', async () => {
    const evil =
      '<img src=x onerror="window.taken=1"> \u202Egnp.exe\u202C \u001B[2J<script>window.taken=1</script> https://evil.example'
    const { world } = api
    world.agent(
      'task-2',
      `printf '%s\\n' '${evil.replaceAll("'", '')}'; head -c 1048576 /dev/zero | tr '\\0' x; echo; verdict fail '<b onclick=taken=1>no</b>'`,
    )
    const { id } = await world.add(evil.replace('\u001B', ''))
    await world.until(({ type, task }) => type === 'task-failed' && task === id)
    await board('/board', async ({ page }) => {
      await page.getByText('gnp.exe').first().waitFor()
      for (const [tab, shows] of [
        ['', '.criteria, .panel'],
        ['findings', '.findings'],
        ['logs', '.log-line'],
      ] as const) {
        await page.goto(`${api.http.url}/tasks/${id}?tab=${tab}`)
        await page.waitForSelector(shows)
        await page.getByText('⟨U+202E⟩').first().waitFor()
        expect(await page.evaluate(() => Reflect.get(window, 'taken') as unknown)).toBeUndefined()
        expect(await page.locator('main img, main script, main a[href^="http"], main b').count()).toBe(0)
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    })
  })

  test('on a phone: nothing is wider than the screen, and accept and send back can be pressed', async () => {
    await board(
      '/',
      async ({ page }) => {
        await page.getByRole('heading', { name: 'Needs you' }).waitFor()
        for (const path of ['/', '/tasks/s-6', '/tasks/s-6?tab=findings']) {
          await page.goto(api.http.url + path)
          await page.getByRole('heading', { level: 1 }).waitFor()
          expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), path).toBe(true)
        }
        await page.getByRole('button', { name: 'Retry' }).click({ trial: true })
      },
      { width: 390, height: 800 },
    )
  })

  test('a server that goes away is told, and one that comes back goes on where the page was', async () => {
    const { page, context } = await openBoard(chromium, api.http.link())
    await page.locator('.foot .live', { hasText: 'live' }).waitFor()
    await api.http.close()
    await page.getByText('Not connected to Muster.').waitFor()
    const { world, hub } = api
    await world.add('Made while nobody was listening')
    const again = await openPort(world.project, { host: '127.0.0.1', port: api.http.port })
    const stopReading = await answerFor(again, world.project, world.env, {
      commandsOf: () => world.commands,
      hub,
      by: 'tester',
    })
    await page.getByText('Not connected to Muster.').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.getByText('Made while nobody was listening').waitFor()
    expect(await page.locator('.stale').count()).toBe(0)
    await context.close()
    await again.close()
    await stopReading()
  })
})
