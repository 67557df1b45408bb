/**
 * Listens to ava's own events beside its reporter: what it prints names the file of a test only while there are several.
 * Loaded with `--import`; in any other process than ava's main one it does nothing.
 */
import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const REPORT = '@REPORT@'

function entryOf({ type, testFile = '', title = '', err }) {
  const source = err?.source
  const place = source?.file === undefined ? '' : `\nat ${source.file}:${source.line}`
  const said = [err?.message, err?.summary, err?.stack].filter((text) => typeof text === 'string' && text !== '')
  const message = err === undefined ? '' : `${said.join('\n')}${place}`
  if (type === 'test-passed') return { file: testFile, path: [title], status: 'passed' }
  if (type === 'test-failed' || type === 'hook-failed')
    return { file: testFile, path: [title], status: 'failed', message }
  const broken = ['uncaught-exception', 'unhandled-rejection', 'worker-failed', 'internal-error', 'missing-ava-import']
  return broken.includes(type) ? { file: testFile, path: [], status: 'failed', message: message || type } : null
}

const program = process.argv[1] === undefined || !existsSync(process.argv[1]) ? '' : realpathSync(process.argv[1])
if (/[\\/]ava[\\/]entrypoints[\\/]cli\.mjs$/.test(program)) {
  // What the tests start themselves is not ava's, and sees the variable as the project has it.
  const rest = (process.env.NODE_OPTIONS ?? '').split(' ').filter((word) => word !== '' && !word.endsWith('/ava.mjs'))
  if (rest.length === 0) delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = rest.join(' ')
  const reporters = join(dirname(dirname(program)), 'lib/reporters')
  const loaded = await Promise.all(
    ['default.js', 'tap.js'].map((name) => import(pathToFileURL(join(reporters, name)).href).catch(() => null)),
  )
  const tests = []
  const seen = new Set()
  let began = false
  for (const Reporter of loaded.map((module) => module?.default)) {
    const startRun = Reporter?.prototype?.startRun
    if (typeof startRun !== 'function') continue
    Reporter.prototype.startRun = function (plan) {
      began = true
      plan.status?.on('stateChange', (event) => {
        // Never run: skipped, or still to do.
        if (event.type === 'selected-test' && (event.skip || event.todo)) {
          tests.push({ file: event.testFile, path: [event.title], status: 'skipped' })
        }
        const entry = entryOf(event)
        const key = entry === null || entry.path.length > 0 ? null : entry.file
        if (entry === null || seen.has(key)) return
        if (key !== null) seen.add(key)
        tests.push(entry)
      })
      return startRun.call(this, plan)
    }
  }
  process.on('exit', () => {
    if (!began) return
    const lines = [...tests, { end: tests.length }].map((line) => JSON.stringify(line))
    writeFileSync(`${REPORT}.${process.pid}`, lines.join('\n') + '\n')
  })
}
