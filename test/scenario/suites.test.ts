/** Test suites that do not run, or were red before: what they show, who is told, and who is not (H-4). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { excusedWords, type CriterionResult } from '../../src/domain/verdict/evidence.ts'
import { VERIFIED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

const PACKAGE = { 'package.json': '{ "scripts": { "test": "node --test --test-isolation=none" } }\n' }
const SUM = {
  'sum.js': 'exports.isEven = (n) => n % 2 === 0\n',
  'sum.test.js':
    "const test = require('node:test')\nconst { isEven } = require('./sum.js')\ntest('knows even', () => { if (!isEven(2)) throw new Error('2 is even') })\n",
}
/** What makes `sum.test.js` need a package that is not installed. */
const NEEDS = `require('left-pad')\n`
const WRONG = `echo 'exports.isEven = () => false' >sum.js; verdict pass`
const TASK = '  - { id: 1, name: Make the sum quicker }\n'

async function project(files: Record<string, string>, config = ''): Promise<void> {
  const limits = '{ maxTaskRounds: 2, maxErrorAttempts: 2 }'
  world = await World.create({ config: `phases: ${VERIFIED}\n${config}\nlimits: ${limits}\n` })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(world.repository, path)), { recursive: true })
    writeFileSync(join(world.repository, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 })
  }
  world.git('add', '-A')
  world.git('reset', '-q', 'muster.yaml')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Project')
}

const verifications = async () => (await world.runs('s-1')).flatMap(({ end }) => end?.facts.results ?? [])
const authors = async () => (await world.runs('s-1')).filter(({ kind }) => kind === 'agent').length

async function unit(): Promise<CriterionResult | undefined> {
  return (await verifications()).at(-1)?.criteria.find(({ activity }) => activity === 'unit-test')
}

/** How it stands, and how often its author was asked. */
async function standing() {
  const { status, stage, round, findings, waitingFor } = await world.task('s-1')
  return { status, stage, round, findings, waitingFor, authors: await authors(), unit: (await unit())?.status }
}

/** It waits for a person: the author was asked once, and has nothing to mend. */
const held = (why: RegExp) => ({
  status: 'in-progress',
  stage: 'review',
  round: 0,
  findings: [],
  waitingFor: expect.stringMatching(why) as string,
  authors: 1,
  unit: 'error',
})

describe('H-4 a suite that does not run proves nothing', () => {
  test('on neither side: a function that is replaced by () => false is not passed but held, with the likely fix', async () => {
    await project({ ...PACKAGE, ...SUM, 'package-lock.json': '{}', 'sum.test.js': NEEDS + SUM['sum.test.js'] })
    world.agent('default', WRONG)
    await world.run(TASK)
    expect(await standing()).toEqual(
      held(/could not run \(tried 2 times\): .*Cannot find module 'left-pad'.*`setup: npm ci`/),
    )
    expect((await unit())?.evidence).toMatchObject({
      excused: [],
      base: 'red',
      mend: expect.stringContaining('`setup: npm ci`') as string,
    })
    // What did not load is run again at each try, and never taken from an earlier one.
    expect((await verifications()).map(({ criteria }) => criteria[0]?.evidence?.reused)).toEqual([false, false])
  })

  test('and with the setup that it asks for, the same work fails', async () => {
    const setup = 'setup: mkdir -p node_modules/left-pad && touch node_modules/left-pad/index.js'
    await project(
      { ...PACKAGE, ...SUM, 'sum.test.js': NEEDS + SUM['sum.test.js'], '.gitignore': 'node_modules\n' },
      setup,
    )
    world.agent('default', WRONG)
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ status: 'failed' })
    expect(await unit()).toMatchObject({ status: 'fail', evidence: { failing: ['sum.test.js > knows even'] } })
  })

  test('on the work alone: it goes back to the author', async () => {
    await project({ ...PACKAGE, ...SUM })
    world.agent('s-1.implementer.1', `echo 'require("left-pad")' >>sum.js; verdict pass`)
    world.agent('default', `echo 'exports.isEven = (n) => (n & 1) === 0' >sum.js; verdict pass`)
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
    expect((await verifications())[0]).toMatchObject({ overall: 'fail' })
  })

  test.each([
    ['does not load', { 'sum.js': 'exports.isEven = (n => n\n' }, `${write('sum.js', SUM['sum.js'])}verdict pass`],
    [
      'does not load, and whose tests the work changes too',
      { 'sum.js': 'exports.isEven = (n => n\n' },
      `${write('sum.js', SUM['sum.js'])}echo '// more' >>sum.test.js; verdict pass`,
    ],
    [
      'skips all its tests',
      { 'sum.test.js': SUM['sum.test.js'].replace("test('", "test.skip('") },
      `${write('sum.test.js', SUM['sum.test.js'])}verdict pass`,
    ],
  ])('on the base alone, which %s: work that is wholly green passes, with nothing excused', async (_, files, deed) => {
    await project({ ...PACKAGE, ...SUM, ...files })
    world.agent('default', deed)
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
    expect(await unit()).toMatchObject({ status: 'pass', evidence: { excused: [], counts: { executed: 1 } } })
  })

  test('a runner that writes a report and then crashes is unclear, whatever the report says', async () => {
    const report = `<testsuite><testcase name="a"/><testcase name="b"><failure>no</failure></testcase></testsuite>`
    const run = `echo '${report}' >r.xml\n[ -e crash ] && kill -SEGV $$\nexit 1\n`
    await project(
      { 'run.sh': `#!/bin/sh\n${run}`, 'a.js': '' },
      'checks: { unit-test: { run: ./run.sh, report: r.xml } }',
    )
    world.agent('default', 'touch crash; verdict pass')
    await world.run(TASK)
    expect(await standing()).toEqual(held(/it was ended by/))
  })

  test.each([
    [127, 'no-such-runner --all'],
    [126, './runner'],
  ])('a command that ends with %d is unclear, with the likely fix', async (code, run) => {
    await project(
      { runner: '#!/bin/sh\n', 'a.js': '', 'package.json': '{}', 'package-lock.json': '{}' },
      `checks: { unit-test: ${run} }`,
    )
    world.agent('default', 'touch b.js; verdict pass')
    await world.run(TASK)
    expect(await standing()).toEqual(held(new RegExp(`\\(exit code ${code}\\).*\`setup: npm ci\``)))
  })
})

describe('H-4 a red base', () => {
  const OLD = (then: string) => `require('node:test')('is old', () => { ${then} })\n`

  test('where everything is red: what is still red is for a person to compare, and never sent back', async () => {
    await project({ ...PACKAGE, 'old.test.js': OLD(`throw new Error('always')`) })
    world.agent('default', 'touch b.js; verdict pass')
    await world.run(TASK)
    expect(await standing()).toEqual(
      held(/1 test failed that already failed on the attempt base, where no test passes/),
    )
    expect((await unit())?.evidence).toMatchObject({ excused: [], unclear: ['old.test.js > is old'] })
  })

  test('whose failure has another message with the change: for a person, and never sent back', async () => {
    const then = `throw new Error(require('node:fs').existsSync('b.js') ? 'it has changed' : 'as ever')`
    await project({ ...PACKAGE, ...SUM, 'old.test.js': OLD(then) })
    world.agent('default', 'touch b.js; verdict pass')
    await world.run(TASK)
    expect(await standing()).toEqual(
      held(/1 test failed that already failed on the attempt base, but in another way there/),
    )
  })

  test('half of whose files do not load: they are excused beside tests that pass, and counted', async () => {
    await project({ ...PACKAGE, ...SUM, 'old.test.js': NEEDS + OLD('') })
    world.agent('default', `echo 'exports.isEven = (n) => (n & 1) === 0' >sum.js; verdict pass`)
    await world.run(TASK)
    expect((await world.task('s-1')).status).toBe('completed')
    const [results] = await verifications()
    expect(results && excusedWords(results)).toBe('1 test failed as before and is excused')
    const [, verified] = await world.runs('s-1')
    expect(verified?.end?.detail).toBe('1 test failed as before and is excused')
  })

  test('that is unclear beside a check that fails: only the check is the author’s to mend', async () => {
    const checks = 'checks: { unit-test: npm test, words: "! grep -q bad *.txt" }'
    await project({ ...PACKAGE, 'old.test.js': OLD(`throw new Error('always')`), 'a.txt': 'good\n' }, checks)
    world.agent('default', 'echo bad >b.txt; touch b.js; verdict pass')
    await world.run('  - { id: 1, name: Make the sum quicker, checks: [words] }\n')
    const [results] = await verifications()
    expect(results?.criteria.map(({ activity, status }) => [activity, status])).toContainEqual(['unit-test', 'error'])
    const { findings } = await world.task('s-1')
    expect(findings.map(({ message }) => message).join('\n')).toMatch(/^c1 words: it ended with exit code 1/)
    expect(findings.map(({ message }) => message).join('\n')).not.toMatch(/unit-test|is old/)
  })
})

describe('H-3, S3.9 "Unit tests for a file" is met by tests of that file', () => {
  const LISTED = '  - { id: 1, name: Add a toggle, expected_files: [toggle.js] }\n'
  const TOGGLE = write('toggle.js', 'exports.toggle = (on) => !on\n')
  const TESTED = write(
    'switch.test.js',
    "const { toggle } = require('./toggle.js')\nrequire('node:test')('turns', () => { if (toggle(true)) throw new Error('on') })\n",
  )

  test('a file that the task lists and no test uses goes back to the author, who adds one', async () => {
    await project({ ...PACKAGE, ...SUM })
    world.agent('s-1.implementer.1', `${TOGGLE}verdict pass`)
    world.agent('default', `${TESTED}verdict pass`)
    await world.run(LISTED)
    expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 1 })
    const [first, second] = await verifications()
    expect(first?.criteria[0]).toMatchObject({
      status: 'fail',
      error: 'not shown by any test: no passed test names or uses toggle.js',
      evidence: { exit: 0, counts: { executed: 1, failed: 0 } },
    })
    expect((await world.task('s-1')).findings).toMatchObject([
      { severity: 'FAIL', file: 'toggle.js', message: expect.stringMatching(/^c1 unit-test: not shown by any test/) },
    ])
    expect(second).toMatchObject({ overall: 'pass' })
  })

  test('the coverage report of the tests tells, where nothing else does; one that an author committed does not', async () => {
    const lcov = 'SF:toggle.js\nDA:1,1\nend_of_record\n'
    const hidden =
      "const all = ['to', 'ggle'].join('')\nrequire('node:test')('turns', () => { require('./' + all) })\nrequire('fs').mkdirSync('coverage', { recursive: true })\n"
    const leaves = `require('fs').writeFileSync('coverage/lcov.info', ${JSON.stringify(lcov)})\n`
    await project({ ...PACKAGE, ...SUM })
    const committed = `mkdir -p coverage\n${write('coverage/lcov.info', lcov)}`
    world.agent('s-1.implementer.1', `${TOGGLE}${committed}${write('all.test.js', hidden)}verdict pass`)
    world.agent('default', `rm -r coverage\n${write('all.test.js', `${hidden}${leaves}`)}verdict pass`)
    await world.run(LISTED)
    const said = (await verifications()).map(({ criteria: [first] }) => [first?.status, first?.error])
    expect(said).toEqual([
      ['fail', 'not shown by any test: no passed test names or uses toggle.js'],
      ['pass', null],
    ])
  })

  test('a file that the work brought is a warning, and one command that answers for many files runs once', async () => {
    await project({ ...PACKAGE, ...SUM })
    world.agent('default', `${TOGGLE}${write('other.js', 'exports.other = 1\n')}${TESTED}verdict pass`)
    await world.run(TASK)
    expect((await world.task('s-1')).status).toBe('completed')
    const criteria = (await verifications())[0]?.criteria.filter(({ activity }) => activity === 'unit-test') ?? []
    expect(criteria.map(({ status, warning }) => [status, warning])).toEqual([
      ['pass', undefined],
      ['pass', 'not shown by any test: no passed test names or uses other.js'],
      ['pass', undefined],
    ])
    const ran = world.events.filter(({ type, line }) => type === 'output' && String(line).startsWith('$ '))
    expect(ran.map(({ line }) => line)).toEqual(['$ npm test', '$ npm test   # on the target, without the change'])
  })

  test('one command that fails for many files is told once', async () => {
    await project({ ...PACKAGE, ...SUM })
    world.agent('default', `${WRONG.replace('verdict pass', '')}${TOGGLE}verdict pass`)
    await world.run('  - { id: 1, name: Make it quicker, expected_files: [sum.js, toggle.js] }\n')
    const { findings } = await world.task('s-1')
    const heads = findings.map(({ message }) => message).filter((message) => message.includes('To reproduce'))
    expect(new Set(heads)).toHaveLength(1)
    expect(heads[0]).toMatch(/^c1, c2 unit-test: 1 of 1 test failed/)
  })
})

describe('tests that are gone fail nothing', () => {
  const tests = { 'test/a.sh': 'exit 0\n', 'test/b.sh': 'exit 0\n' }
  const config = 'checks: { unit-test: "for each in test/*.sh; do sh $each || exit 1; done" }'

  test('a removed file of tests is held where the command names none, and told by its name', async () => {
    await project(tests, config)
    world.agent('default', 'echo 1 >a.js; rm test/b.sh; verdict pass')
    await world.run(TASK)
    const why = /removes tests \(test\/b\.sh\), and the command does not name the tests that it runs: a person/
    expect(await standing()).toEqual(held(why))
  })

  test('other files may go, and tests may be changed and added', async () => {
    await project({ ...tests, 'old.js': '' }, config)
    world.agent('default', 'rm old.js; echo "exit 0" >>test/b.sh; cp test/b.sh test/c.sh; verdict pass')
    await world.run(TASK)
    expect(await standing()).toMatchObject({ status: 'completed', authors: 1, unit: 'pass' })
  })
})

function write(path: string, text: string): string {
  return `cat >${path} <<'END'\n${text}END\n`
}
