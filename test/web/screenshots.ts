/** `npm run screenshots`: pictures of every page, light and dark, into docs/screenshots. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBoard, openBrowser } from './browser.ts'
import { pastMonth } from './month.ts'
import { usualDay } from './stage.ts'

const folder = join(import.meta.dirname, '../../docs/screenshots')
mkdirSync(folder, { recursive: true })

const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['needs', '/', '.need'],
  ['board', '/board', '.card .badge'],
  ['task', '/tasks/s-3', '.criteria'],
  ['findings', '/tasks/s-6?tab=findings', '.findings'],
  ['logs', '/tasks/s-4?tab=logs', '.log-line'],
]

const browser = await openBrowser()
if (browser === null) process.exit(1)
const { api, open } = await usualDay()
for (const theme of ['light', 'dark'] as const) {
  for (const [look, size] of [
    ['', {}],
    ['-phone', { width: 390, height: 800 }],
  ] as const) {
    const { page, context, complaints } = await openBoard(browser, api.http.link(), { theme, ...size })
    for (const [name, path, shows] of PAGES) {
      if (look !== '' && theme === 'dark') continue
      await page.goto(api.http.url + path)
      await page.waitForSelector(shows)
      await page.screenshot({ path: join(folder, `${name}-${theme}${look}.png`) })
    }
    if (complaints.length > 0) console.error(complaints.join('\n'))
    await context.close()
  }
}
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
await browser.close()
await api.close()
