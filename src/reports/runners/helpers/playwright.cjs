/** A reporter for playwright's test runner, beside those of the project, that writes what each test came to. */
'use strict'
const { writeFileSync } = require('node:fs')

const REPORT = '@REPORT@'

module.exports = class {
  constructor() {
    this.outside = []
    // A run that a test starts is not this one.
    delete process.env.PW_TEST_REPORTER
  }

  printsToStdio() {
    return false
  }

  onBegin(config, suite) {
    this.suite = suite
  }

  onError(error) {
    this.outside.push(error)
  }

  onEnd() {
    const tests = this.suite === undefined ? [] : this.suite.allTests().map(entryOf)
    for (const error of this.outside) {
      const at = error.location === undefined ? '' : error.location.file
      const file = at.startsWith('<') ? '' : at
      tests.push({
        file,
        path: file === '' ? ['(outside of every test)'] : [],
        status: 'failed',
        message: words(error),
        load: true,
      })
    }
    const lines = [...tests, { end: tests.length }].map((line) => JSON.stringify(line))
    writeFileSync(`${REPORT}.${process.pid}`, lines.join('\n') + '\n')
  }
}

function entryOf(test) {
  // The first two are the root, the project and the file; a project without a name is left out.
  const [, project = '', , ...titles] = test.titlePath()
  const outcome = test.outcome()
  const ran = test.results.length > 0
  const status = outcome === 'skipped' || !ran ? 'skipped' : outcome === 'unexpected' ? 'failed' : 'passed'
  const errors = test.results.flatMap((result) => result.errors || [])
  const path = project === '' ? titles : [`[${project}]`, ...titles]
  return { file: test.location.file, line: test.location.line, path, status, message: errors.map(words).join('\n') }
}

function words({ message = '', stack = '', value = '', location }) {
  const place = location === undefined ? '' : `\nat ${location.file}:${location.line}`
  return `${stack || message || value}${place}`
}
