/** A task's page in a real browser: reading a change, speaking about its lines, logs, prompts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/http.ts'
import { violationsOn } from './axe.ts'
import type { Look } from './browser.ts'
import { openBoard, openBrowser } from './browser.ts'
import { review } from './review-stage.ts'

const browser = await openBrowser()

/** What functions that run in the page use of it. */
declare const document: { activeElement: { id: string } | null; documentElement: { scrollWidth: number } }
declare const window: { innerWidth: number }
declare const localStorage: { setItem(key: string, value: string): void }
declare const requestAnimationFrame: (then: (value?: unknown) => void) => void

describe.skipIf(browser === null)('a task', () => {
  const chromium = browser as Browser
  let api: Api
  beforeAll(async () => {
    ;({ api } = await review())
  })
  afterAll(async () => {
    await chromium.close()
    await api.close()
  })

  async function onPage(path: string, run: (page: Page) => Promise<void>, look: Look = {}) {
    const { page, context, complaints } = await openBoard(chromium, api.http.link(), look)
    page.setDefaultTimeout(30_000)
    try {
      await page.goto(api.http.url + path)
      await run(page)
      expect(complaints).toEqual([])
    } finally {
      await context.close()
    }
  }

  let added = 0
  /** A task of its own with an author, and maybe a checker, that do just that. */
  const add = async (title: string, script: string, checker?: string) => {
    added += 1
    api.world.agent(`task-${added}.implementer`, script)
    if (checker !== undefined) api.world.agent(`task-${added}.checker`, checker)
    return (await api.world.add(title, { checks: ['unit'] })).id
  }

  const tab = (page: Page, name: RegExp) =>
    page.getByRole('navigation', { name: 'Parts of the task' }).getByRole('link', { name })

  test('axe finds nothing on any tab, nor in the rejection', async () => {
    await onPage(
      '/tasks/s-1',
      async (page) => {
        const look = async (what: string, where = 'main') => {
          expect(await violationsOn(page, where), what).toEqual([])
        }
        for (const [name, shows] of [
          ['1', '.criteria .code'],
          ['2', '.findings'],
          ['4', '.log-empty'],
          ['5', '.log-line'],
          ['6', '.events'],
          ['3', '.tone-word'],
        ] as const) {
          await page.keyboard.press(name)
          await page.waitForSelector(shows)
          await look(`tab ${name}`)
        }
        await page.getByRole('button', { name: 'Split' }).click()
        await page.getByRole('button', { name: 'Comment on removed line 4 of src/session.ts' }).click()
        await page.keyboard.type('why?')
        await look('split, with a comment')
        await page.getByRole('button', { name: 'Add comment' }).click()
        await page.keyboard.press('r')
        await page.getByRole('dialog').waitFor()
        await look('rejection', 'dialog')
      },
      { height: 640 },
    )
  })

  test('two comments and words go back as one rejection, with the keyboard alone; the next prompt has each at its file and line', async () => {
    const { world } = api
    await onPage('/tasks/s-1?tab=diff', async (page) => {
      const list = page.getByRole('list', { name: 'Changed lines' })
      await list.getByText('ttlMs = 24').waitFor()
      const row = (text: string) => list.getByRole('listitem').filter({ hasText: text })
      const to = async (text: string) => {
        await row(text).first().waitFor({ state: 'attached' })
        while (
          !(await row(text)
            .first()
            .evaluate((element) => element === (document.activeElement as unknown)))
        ) {
          await page.keyboard.press('j')
        }
      }
      await to('30 minutes')
      await to('const ttlMs = 30')
      await page.keyboard.press('c')
      await page.keyboard.type('not an hour?')
      await page.keyboard.press('Control+Enter')
      await tab(page, /^Diff · 1 comment$/).waitFor()
      // The focus is back on its line.
      await to('return now <= session.expiresAt')
      await page.keyboard.press('c')
      await page.keyboard.type('must be <, and <b>before</b> the limit')
      await page.keyboard.press('Control+Enter')
      await tab(page, /^Diff · 2 comments$/).waitFor()

      await page.reload()
      await list.getByText('not an hour?').waitFor()
      await list.getByRole('button', { name: 'Edit the comment on src/session.ts:4' }).click()
      await page.keyboard.type('!')
      await page.keyboard.press('Control+Enter')
      await list.getByText('not an hour?!').waitFor()

      await page.keyboard.press('r')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('src/session.ts:4').waitFor()
      await page.keyboard.type('Read the issue again')
      await page.keyboard.press('Control+Enter')
      await dialog.waitFor({ state: 'detached' })
      await tab(page, /^Diff$/).waitFor()
      await world.until(({ type, task, attempt }) => type === 'checked' && task === 's-1' && attempt === 2)

      await page.goto(`${api.http.url}/tasks/s-1?tab=findings`)
      await page.getByText('recurring since round 0').waitFor()
      expect(await page.locator('.findings').getByText('src/session.ts:4').count()).toBe(1)
      await page.keyboard.press('5')
      // The author's second run; its name in the list changes with how it stands.
      await page.getByLabel('Run', { exact: true }).selectOption('s-1.r3')
      const prompt = page.getByRole('log', { name: 'Prompt' })
      await prompt.getByText('src/session.ts:4 not an hour?!').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('BEFORE')
      await prompt.locator('mark', { hasText: /^before$/ }).waitFor()
      await page.keyboard.press('e')
    })
    const told = world.prompt('s-1.r3')
    expect(told).toContain('] Read the issue again')
    expect(told).toContain('] src/session.ts:4 not an hour?!')
    expect(told).toContain('] src/session.ts:23 must be <, and <b>before</b> the limit')
    const decisions = (await world.history('s-1')).filter(({ type }) => type === 'decision')
    expect(decisions).toMatchObject([{ data: { kind: 'reject', comments: [{ line: 4 }, { line: 23 }] } }])
  })

  test('what came since the last attempt; comments on an earlier result are shown as that, and kept or discarded', async () => {
    await onPage('/tasks/s-1?tab=diff', async (page) => {
      await page.getByLabel('Show', { exact: true }).selectOption('since=1')
      const list = page.getByRole('list', { name: 'Changed lines' })
      await list.getByText('// attempt 2').waitFor()
      expect(await list.getByText('ttlMs').count()).toBe(0)
      const comment = { id: 'i', file: 'src/session.ts', side: 'new', line: 4, quote: '', message: 'an old one' }
      const stored = JSON.stringify([{ commit: 'f00', comments: [comment, { ...comment, id: 'j', line: 999 }] }])
      await page.evaluate((text) => localStorage.setItem('muster-comments:s-1', text), stored)
      await page.goto(`${api.http.url}/tasks/s-1?tab=diff`)
      await tab(page, /^Diff · 2 comments$/).waitFor()
      await page.getByText('Written about an earlier result').waitFor()
      await page.getByRole('button', { name: 'Keep for this result' }).click()
      await list.getByText('an old one').waitFor()
      await page.getByText('On lines that this view does not show').waitFor()
      await list.getByRole('button', { name: 'Remove the comment on src/session.ts:4' }).click()
      await page.locator('.note').getByRole('button', { name: 'Remove' }).click()
      await tab(page, /^Diff$/).waitFor()

      // One that is being written is kept when its place goes.
      await list.getByRole('button', { name: 'Comment on line 4 of src/session.ts' }).click()
      await page.getByLabel('Comment on src/session.ts:4').fill('half a thought')
      await tab(page, /^Overview$/).click()
      await tab(page, /^Diff · 1 comment$/).click()
      await list.getByText('half a thought').waitFor()
      await list.getByRole('button', { name: 'Remove the comment on src/session.ts:4' }).click()
      await tab(page, /^Diff$/).waitFor()

      // Why it is here: one key, wherever the focus is; and from a row of the list.
      await page.locator('#why').waitFor()
      await page.keyboard.press('e')
      await page.locator('#why:focus').waitFor()
      // What is drawn anew later does not take the focus back.
      await list.evaluate((rows) => rows.scrollBy(0, 60))
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      expect(await page.locator('#why:focus').count()).toBe(1)
      await page.keyboard.press('g')
      await page.keyboard.press('n')
      await page.getByRole('listitem', { name: 'Expire sessions' }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      await page.waitForFunction(() => document.activeElement?.id === 'why')
    })
  })

  test('a hostile change of 20,000 lines: nothing runs, nothing hides, and its end can be read', async () => {
    const { world } = api
    const evil = '<img src=x onerror="window.taken=1">\u202Egnp.exe\u001B[2J<script>window.taken=1</script>'
    const id = await add(
      'Count to twenty thousand',
      `printf '%s\\n' '${evil}' >evil.html; printf 'a\\r\\n' >'<b>na"me.html'; head -c 1048576 /dev/zero | tr '\\0' x >long.js
seq 20000 >numbers.txt; printf '%s\\n' 'diff --git a/fake b/fake' '@@ -1 +1 @@' >'--- a'; verdict pass`,
    )
    await world.until(({ type, task }) => type === 'checked' && task === id)
    await onPage(`/tasks/${id}?tab=diff`, async (page) => {
      const list = page.getByRole('list', { name: 'Changed lines' })
      await list.getByText('⟨U+202E⟩gnp.exe').waitFor()
      await list.getByText('1,046,576 more characters').waitFor()
      expect(await page.evaluate(() => Reflect.get(window, 'taken') as unknown)).toBeUndefined()
      expect(await page.locator('main img, main script, main b, main a[href^="http"]').count()).toBe(0)
      const files = page.getByRole('navigation', { name: 'Changed files' })
      expect(await files.getByRole('button').count()).toBe(5)
      await files.getByRole('button', { name: 'numbers.txt' }).click()
      await list.getByRole('button', { name: 'numbers.txt', expanded: false }).click()
      await list
        .getByText('20000', { exact: true })
        .or(list.getByText('1', { exact: true }))
        .first()
        .waitFor()
      await list.press('End')
      await list.locator('code', { hasText: /^20000$/ }).waitFor()
      await list.press('Home')
      await list.getByText('⟨U+202E⟩gnp.exe').waitFor()
      expect(await list.getByRole('listitem').count()).toBeLessThan(200)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    })
    await onPage(
      `/tasks/${id}?tab=diff`,
      async (page) => {
        await page.getByText('⟨U+202E⟩gnp.exe').first().waitFor()
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
      },
      { width: 390, height: 800 },
    )
  })

  test('logs: a timeline of what an agent did, raw lines, search, and the first error', async () => {
    const { world } = api
    const id = await add(
      'Print a lot',
      `seq 3000 | sed 's/^/step /'; echo 'Error: no such table'; head -c 1048576 /dev/zero | tr '\\0' x; echo; seq 3000 | sed "s/^/after /; s/0$/0 $(printf %0900d)/"; echo x >y.txt; verdict pass`,
    )
    await world.until(({ type, task }) => type === 'checked' && task === id)
    await onPage(`/tasks/s-2?tab=logs&attempt=s-2.r1`, async (page) => {
      const log = page.getByRole('log', { name: 'Log' })
      await log.getByText('Bash: npm test').waitFor()
      expect(await log.getByText('"tool_use"').count()).toBe(0)
      await page.getByRole('button', { name: 'First error' }).click()
      await log.locator('.at', { hasText: 'exit 1' }).waitFor()
      await page.getByRole('button', { name: 'Raw' }).click()
      await log.getByText('"tool_use"').first().waitFor()

      await page.goto(`${api.http.url}/tasks/${id}?tab=logs&attempt=${id}.r1`)
      await log.getByText('after 3000').waitFor()
      await page.getByText('6,002 lines · complete').waitFor()
      // On its way there are lines of which nobody knows yet how high they are.
      await log.press('Home')
      await log.getByText('step 1', { exact: true }).waitFor()
      await log.press('End')
      await log.getByText('after 3000').waitFor()
      await page.getByRole('button', { name: 'First error' }).click()
      await log.locator('.at', { hasText: 'no such table' }).waitFor()
      await log.getByText('1,044,576 more characters').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('STEP 299')
      await page.getByText('11 lines', { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('1 of 11 lines').waitFor()
      await log.locator('.at mark', { hasText: 'step 299' }).waitFor()
      await page.getByRole('button', { name: 'Previous match' }).click()
      await page.getByText('11 of 11 lines').waitFor()
      await log.locator('.at', { hasText: 'step 2999' }).waitFor()
      await page.getByRole('searchbox').fill('nowhere')
      await page.getByText('not found').waitFor()
      expect(await log.locator('.log-line').count()).toBeLessThan(200)
    })
  })

  test('H-8, S2.33 a task says where its specification is, as text', async () => {
    const specRef = 'docs/<b>spec</b>.md#form'
    added += 1
    const { id } = await api.world.add('Write the form', { specRef, dependsOn: ['s-1'] })
    await onPage(`/tasks/${id}`, async (page) => {
      await page.getByText('Specification:').waitFor()
      expect(await page.getByText('Specification:').textContent()).toBe(`Specification: ${specRef}`)
    })
  })

  test('accepting says where the work lands, and a changed muster.yaml is shown with what a retry takes', async () => {
    const { world } = api
    const id = await add('Land on the base', 'echo x >land.txt; verdict pass', 'verdict fail "no"')
    await world.until(({ type, task }) => type === 'checked' && task === id)
    const yaml = join(world.repository, 'muster.yaml')
    const before = readFileSync(yaml, 'utf8')
    writeFileSync(yaml, `${before}setup: "true"\n`)
    try {
      await onPage(`/tasks/${id}`, async (page) => {
        await page.getByText('muster.yaml changed since: setup: added true').waitFor()
        await page.getByRole('button', { name: 'Retry' }).waitFor()
        await page.getByRole('button', { name: 'Accept anyway…' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        expect(await dialog.textContent()).toContain('It then lands on main.')
      })
    } finally {
      writeFileSync(yaml, before)
    }
  })

  test('evidence has the end of its log beside it; a person may speak before the checker does', async () => {
    const { world } = api
    // Nobody opens it: whoever waits there is called off.
    world.gate('judging')
    const id = await add('Be checked for long', 'echo x >z.txt; verdict pass', 'gate judging; verdict pass')
    await world.until(({ type, task }) => type === 'run-started' && task === `${id}.check.1`)
    await onPage(`/tasks/${id}`, async (page) => {
      await page.getByRole('button', { name: 'the end of its log' }).first().click()
      const excerpt = page.getByRole('region', { name: /^The end of the log of/ })
      await excerpt.waitFor()
      expect(await excerpt.textContent()).toContain('one\ntwo\n')
      await page.getByText('Checking…').first().waitFor()
      await page.getByRole('button', { name: 'Send back…' }).click({ trial: true })
      await page.keyboard.press('a')
      await page.locator('h1 + .badge', { hasText: 'Completed' }).waitFor()
    })
  })
})
