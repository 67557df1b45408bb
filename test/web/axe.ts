/** What axe, which looks for what keeps people out, has against a page: in both themes, of which the dark one has the same markup in other colours. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** One line for each; `part`: a selector of what is looked at. The page follows the system's theme, and is light afterwards. */
export async function violationsOn(page: Page, part = 'body'): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    // Its source is half a megabyte, which it would be given twice at each look: what is there stays until the page is left.
    const there = await page.evaluate(() => 'axe' in globalThis)
    // Without frames there is nothing to put together in a page of its own.
    const axe = new AxeBuilder(there ? { page, axeSource: 'null' } : { page }).include(part).setLegacyMode()
    // What is as it should be is counted for nobody.
    axe.options({ resultTypes: ['violations'] })
    const { violations } = await (colorScheme === 'dark' ? axe.withRules(['color-contrast']) : axe).analyze()
    for (const { id, nodes } of violations) {
      found.push(`${colorScheme}, ${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`)
    }
  }
  return found
}
