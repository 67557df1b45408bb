/** A jasmine helper that adds one more reporter, which writes what each spec came to. */
'use strict'
const { writeFileSync } = require('node:fs')

const REPORT = '@REPORT@'
const STATUSES = { passed: 'passed', failed: 'failed', pending: 'skipped', excluded: 'skipped' }
const tests = []
const suites = new Map()

function words(failures) {
  return failures.map(({ message, stack }) => `${message}\n${stack || ''}`).join('\n')
}

function fileOf({ filename = '' }) {
  return filename
}

jasmine.getEnv().addReporter({
  suiteStarted(suite) {
    suites.set(suite.id, suite)
  },
  specDone(spec) {
    const path = [spec.description]
    for (let suite = suites.get(spec.parentSuiteId); suite; suite = suites.get(suite.parentSuiteId))
      path.unshift(suite.description)
    // Older jasmine does not say which suite a spec is in.
    const named = suites.has(spec.parentSuiteId) || !spec.fullName ? path : [spec.fullName]
    const status = STATUSES[spec.status] || 'failed'
    tests.push({ file: fileOf(spec), path: named, status, message: words(spec.failedExpectations || []) })
  },
  suiteDone(suite) {
    const failures = suite.failedExpectations || []
    if (failures.length > 0)
      tests.push({ file: fileOf(suite), path: [suite.fullName], status: 'failed', message: words(failures) })
  },
  jasmineDone(all) {
    const failures = (all && all.failedExpectations) || []
    // Outside of every suite: a file that could not be loaded, say.
    if (failures.length > 0)
      tests.push({ path: ['(outside of every spec)'], status: 'failed', message: words(failures), load: true })
    const lines = [...tests, { end: tests.length }].map((line) => JSON.stringify(line))
    writeFileSync(`${REPORT}.${process.pid}`, lines.join('\n') + '\n')
  },
})
