/** A real Chromium, from the registry's packages alone. Where it cannot start, tests that need it say so. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { chromium as playwright } from 'playwright-core'

/** What functions that run in the page use of it. */
declare const localStorage: { length: number }

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--hide-scrollbars',
]

/**
 * Unpacks it before any test asks for it. Two that unpack at the same moment start half a file, and one that is
 * interrupted leaves half a file behind: so it is made elsewhere, and comes whole.
 */
export async function unpackBrowser(): Promise<void> {
  const place = tmpdir()
  if (existsSync(join(place, 'chromium'))) return
  const { TMPDIR } = process.env
  const half = mkdtempSync(join(place, 'muster-chromium-'))
  try {
    process.env['TMPDIR'] = half
    await chromium.executablePath()
    // The program comes last: who finds it finds all of it.
    for (const name of readdirSync(half).toSorted((a, b) => Number(a === 'chromium') - Number(b === 'chromium'))) {
      if (!existsSync(join(place, name))) renameSync(join(half, name), join(place, name))
    }
  } catch (error) {
    console.warn(`Chromium cannot be unpacked: ${String(error)}`)
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
    rmSync(half, { recursive: true, force: true })
  }
}

/** One that starts may still fail to, now and then, on a machine that is busy: that is no reason to skip anything. */
const triesMax = 3

/** null, with the reason said, where there is none. */
export async function openBrowser(): Promise<Browser | null> {
  for (let tries = 1; ; tries++) {
    try {
      const executablePath = await chromium.executablePath()
      const env = browserEnv()
      const browser = await playwright.launch({ executablePath, args: ARGS, headless: true, env })
      browser.on('disconnected', () => rmSync(env['HOME'] ?? '', { recursive: true, force: true }))
      return browser
    } catch (error) {
      console.warn(`Chromium does not start (try ${tries} of ${triesMax}): ${String(error).slice(0, 2000)}`)
      if (tries < triesMax) continue
      console.warn('SKIPPED: the web board in a browser')
      return null
    }
  }
}

/** The libraries that come along are found beside it. */
function browserEnv(): Record<string, string> {
  const { PATH = '', LD_LIBRARY_PATH = '', FONTCONFIG_PATH = '' } = process.env
  return { PATH, LD_LIBRARY_PATH, FONTCONFIG_PATH, HOME: mkdtempSync(join(tmpdir(), 'muster-browser-')) }
}

export interface Look {
  theme?: 'light' | 'dark'
  width?: number
  height?: number
}

/** A page that has been let in, and everything its console complained about. */
export async function openBoard(
  browser: Browser,
  link: string,
  { theme = 'light', width = 1440, height = 860 }: Look = {},
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(link)
  // Whoever goes elsewhere before the key was taken has used it up for nothing.
  if (link.includes('#key=')) await page.waitForFunction(() => localStorage.length > 0)
  return { page, context, complaints }
}

/** Before a page goes whose requests the test answers: what is under way then concerns nobody any more. */
export const unrouted = (page: Page): Promise<void> => page.unrouteAll({ behavior: 'ignoreErrors' })
