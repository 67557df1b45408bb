/**
 * Listens to mocha beside whatever reporter the project has, and writes what each test came to. Loaded with `--require`;
 * in the processes of `--parallel` it does nothing, since the main one hears of their tests.
 */
'use strict'
const { existsSync, realpathSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')

const REPORT = '@REPORT@'

/** Mocha itself, of the program that runs, whatever the project's folders hold; null in any other process. */
function mochaOf(program) {
  const found = /^(.*[\\/])(?:bin[\\/]_?mocha(?:\.js)?|lib[\\/]cli[\\/]cli\.js)$/.exec(program)
  if (found === null) return null
  const load = createRequire(join(found[1], 'package.json'))
  for (const path of ['./lib/mocha.cjs', './lib/mocha.js']) {
    try {
      return load(path)
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return null
}

function entry(test, status, error) {
  const isHook = test.type === 'hook'
  const path = typeof test.titlePath === 'function' ? test.titlePath() : [test.title]
  const said = error ? String(error.stack || error.message || error) : ''
  const message = isHook ? `${test.title}\n${said}` : said
  const file = test.file || (test.parent && test.parent.file) || ''
  // A hook is no test: what it broke is its file. Nor is what mocha makes up for a file that it could not load.
  const load = test.title === 'Uncaught error outside test suite'
  return { file, path: isHook ? [] : path, status, message, load }
}

const program = process.argv[1] || ''
const Mocha = existsSync(program) ? mochaOf(realpathSync(program)) : null
if (Mocha !== null) {
  const run = Mocha.prototype.run
  Mocha.prototype.run = function (...given) {
    const tests = []
    const runner = run.apply(this, given)
    runner.on('pass', (test) => tests.push(entry(test, 'passed')))
    runner.on('pending', (test) => tests.push(entry(test, 'skipped')))
    runner.on('fail', (test, error) => tests.push(entry(test, 'failed', error)))
    runner.on('end', () => {
      const lines = [...tests, { end: tests.length }].map((line) => JSON.stringify(line))
      writeFileSync(`${REPORT}.${process.pid}`, lines.join('\n') + '\n')
    })
    return runner
  }
}
