/**
 * Before all tests: the program is built once, so that black-box tests run what users run. And what is not there to be
 * tested with is named once. After them, the folder of temporary files in memory goes, and the containers.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bin } from '../agents/model.ts'
import { unpackBrowser } from '../web/browser.ts'
import { makeContainers } from './containers.ts'
import { makeMemory } from './memory.ts'

export default async function build(): Promise<() => void> {
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await unpackBrowser()
  const missing = ['claude', 'codex'].filter((name) => !existsSync(join(bin, name)))
  if (missing.length > 0) console.warn(`SKIPPED: the real ${missing.join(' and ')}; npm run agents:install gets them`)
  const removed = [makeMemory(), makeContainers()]
  return () => removed.forEach((remove) => remove())
}
