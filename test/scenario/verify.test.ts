/** Muster verifies for itself: what an agent says about its work decides nothing. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Results } from '../../src/domain/verdict/evidence.ts'
import { VERIFIED } from '../support/maps.ts'
import { World } from '../support/world.ts'

let world: World
afterEach(() => world.dispose())

/** A project whose tests are node's own: `sum` works, and one test says so. */
const PROJECT = {
  'package.json': '{ "scripts": { "test": "node --test --test-isolation=none" } }\n',
  'sum.js': 'exports.sum = (a, b) => a + b\n',
  'sum.test.js':
    "const test = require('node:test')\nconst { sum } = require('./sum.js')\ntest('adds', () => { if (sum(1, 2) !== 3) throw new Error('not 3') })\n",
}

async function project(files: Record<string, string> = {}, config = '', rounds = 2): Promise<void> {
  const phases = /^phases:/m.test(config) ? '' : `phases: ${VERIFIED}\n`
  const limits = `{ maxTaskRounds: ${rounds}, maxErrorAttempts: 1 }`
  world = await World.create({ config: `${phases}${config}\nlimits: ${limits}\n` })
  for (const [path, text] of Object.entries({ ...PROJECT, ...files })) {
    mkdirSync(dirname(join(world.repository, path)), { recursive: true })
    writeFileSync(join(world.repository, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 })
  }
  world.git('add', '-A')
  world.git('reset', '-q', 'muster.yaml')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Project')
}

const TASK = '  - { id: 1, name: Add a product function }\n'
const resultsOf = async (id: string): Promise<Results[]> =>
  (await world.runs(id)).flatMap(({ end }) => end?.facts.results ?? [])
const findings = async (id: string) => (await world.task(id)).findings.map(({ message }) => message).join('\n')
const write = (path: string, text: string) => `cat >${path} <<'END'\n${text}\nEND\n`
const GOOD = `${write('product.js', 'exports.product = (a, b) => a * b')}verdict pass\n`

describe('S3.24-S3.29, S1.28 what passes is what Muster ran', () => {
  test('an attempt that breaks a test goes back with its name, the next one passes and lands with evidence', async () => {
    await project()
    world.agent('s-1.implementer.1', `${write('sum.js', 'exports.sum = (a, b) => a - b')}verdict pass`)
    world.agent('s-1.implementer.2', `${write('sum.js', 'exports.sum = (a, b) => b + a')}verdict pass`)
    await world.run(TASK)
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'completed', round: 1 })
    const [red, green] = await resultsOf('s-1')
    expect(red).toMatchObject({ overall: 'fail' })
    const failed = red?.criteria.find(({ status }) => status === 'fail')
    expect(failed).toMatchObject({
      activity: 'unit-test',
      evidence: { failing: ['sum.test.js > adds'], reused: false },
    })
    expect(await findings('s-1')).toMatch(/adds/)
    expect(world.prompt('s-1.r3')).toMatch(/PREVIOUS VALIDATION FAILED[\s\S]*adds[\s\S]*npm test/)
    const passed = green?.criteria.find(({ activity }) => activity === 'unit-test')
    expect(passed).toMatchObject({
      status: 'pass',
      evidence: { exit: 0, counts: { executed: 1, failed: 0, skipped: 0 }, sandbox: 'none', base: 'green' },
    })
    expect(passed?.evidence?.logDigest).toMatch(/^[0-9a-f]{64}$/)
    expect(passed?.evidence?.tree).toBe(world.git('rev-parse', 'muster/story/s^{tree}'))
    expect(readdirSync(join(world.project.dataDir, 'checkouts'))).toEqual([])
    // The target has not moved: what the first verification found there counts for the second.
    expect(world.events.filter(({ line }) => String(line).includes('# on the target'))).toHaveLength(1)
  })

  test('an author that says pass and changes nothing has failed', async () => {
    await project()
    world.agent('default', 'verdict pass')
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({
      status: 'failed',
      failureReason: expect.stringContaining('no change'),
    })
  })

  test('L12, E-19 the same tree is not run again, and says so', async () => {
    await project()
    world.agent('default', GOOD)
    await world.run(`${TASK}  - { id: 2, name: Add a product function too }\n`)
    // The second finds the first one's file on its target: same content, so nothing of it is new.
    const [first] = await resultsOf('s-1')
    expect(first?.criteria.find(({ activity }) => activity === 'unit-test')?.evidence?.reused).toBe(false)
    await world.stop()
    await world.start()
    world.agent('s-3', `${write('other.js', '// other')}verdict pass`)
    await world.submit(
      `${TASK}  - { id: 2, name: Add a product function too }\n  - { id: 3, name: Add another file }\n`,
    )
    await world.settled()
    const last = (await resultsOf('s-3')).at(-1)
    expect(last?.criteria.find(({ activity }) => activity === 'unit-test')).toMatchObject({
      status: 'pass',
      evidence: { base: 'green' },
    })
    // What it lands on was verified when it came there, so only the new tree is run.
    const ran = world.events.filter(({ type, task, line }) => {
      return type === 'output' && task === 's-3' && String(line).startsWith('$ ')
    })
    expect(ran.map(({ line }) => line)).toEqual(['$ npm test'])
  })
})

describe('E-19 an author cannot make its own judge', () => {
  const sumIsBroken = { 'sum.js': 'exports.sum = (a, b) => a - b\n' }
  const FIX = '  - { id: 1, name: Fix the sum, checks: [unit-test] }\n'
  const config = 'checks: { unit-test: npm test }'

  test('one that renames its test and empties it does not pass; the honest fix does', async () => {
    const deed = `rm sum.test.js; ${write('ok.test.js', "require('node:test')('works', () => {})")}`
    await project(sumIsBroken, config)
    world.agent('s-1.implementer.1', `${deed}\nverdict pass`)
    world.agent(
      's-1.implementer.2',
      `${write('sum.test.js', PROJECT['sum.test.js'])}rm -f ok.test.js; ${write('sum.js', 'exports.sum = (a, b) => a + b')}verdict pass`,
    )
    await world.run(FIX)
    const [first, second] = await resultsOf('s-1')
    expect(first?.overall).toBe('fail')
    expect(`${await findings('s-1')}\n${JSON.stringify(first)}`).toMatch(/adds/)
    expect(second?.overall).toBe('pass')
    expect((await world.task('s-1')).status).toBe('completed')
  })

  test('one that touches the runner’s configuration is held for a person, who may take it over', async () => {
    await project({}, 'protectedPaths: ["ci/**"]\n')
    world.agent('default', `mkdir -p ci; echo x >ci/steps; ${GOOD}`)
    await world.run(TASK)
    expect(await world.task('s-1')).toMatchObject({ status: 'in-progress', stage: 'review' })
    expect((await world.task('s-1')).waitingFor).toContain('ci/steps')
    await expect(world.accept('s-1')).rejects.toThrow(/give a reason/)
    await world.accept('s-1', 'the steps are fine')
    await world.settled()
    expect((await world.task('s-1')).status).toBe('completed')
    const decision = (await world.history('s-1')).find(({ type }) => type === 'decision')
    expect(decision?.data).toMatchObject({ waived: ['protected-paths'], by: 'tester' })
  })

  test('a script of a check is the base’s, whatever the branch makes of it', async () => {
    await project({ 'check.sh': '#!/bin/sh\n! grep -q bad *.txt\n' }, 'checks: { words: ./check.sh }')
    world.agent('s-1.implementer.1', `printf '#!/bin/sh\\nexit 0\\n' >check.sh; echo bad >a.txt; verdict pass`)
    world.agent(
      's-1.implementer.2',
      `git checkout -q muster/task/s-1 2>/dev/null; printf '#!/bin/sh\\n! grep -q bad *.txt\\n' >check.sh; echo good >a.txt; verdict pass`,
    )
    await world.run('  - { id: 1, name: Add a text, checks: [words] }\n')
    const [first, second] = await resultsOf('s-1')
    expect(first?.criteria[0]).toMatchObject({ activity: 'words', status: 'fail' })
    expect(second?.overall).toBe('pass')
  })
})

describe('L17 a red base', () => {
  const red = { 'old.test.js': "require('node:test')('is old', () => { throw new Error('always') })\n" }

  test('does not blame a task that adds no failure; the old ones are listed', async () => {
    await project(red)
    world.agent('default', GOOD)
    await world.run(TASK)
    expect((await world.task('s-1')).status).toBe('completed')
    const [results] = await resultsOf('s-1')
    expect(results?.criteria.find(({ activity }) => activity === 'unit-test')?.evidence).toMatchObject({
      excused: ['old.test.js > is old'],
      failing: [],
      base: 'red',
    })
  })

  test('H-4 of a check without tests cannot be compared: a person does, and nobody is blamed', async () => {
    await project({}, 'checks: { lint: "echo bad; exit 1" }')
    world.agent('default', GOOD)
    await world.run(TASK)
    const { round, waitingFor } = await world.task('s-1')
    expect({ round, waitingFor }).toMatchObject({
      round: 0,
      waitingFor: expect.stringContaining('the base already fails'),
    })
  })

  test('names only the new failure', async () => {
    await project(red)
    world.agent('default', `${write('sum.js', 'exports.sum = (a, b) => a - b')}verdict pass`)
    await world.run(TASK)
    const [results] = await resultsOf('s-1')
    const unit = results?.criteria.find(({ activity }) => activity === 'unit-test')
    expect(unit).toMatchObject({
      status: 'fail',
      evidence: { failing: ['sum.test.js > adds'], excused: ['old.test.js > is old'] },
    })
  })

  test('is no excuse for a task that is to mend it', async () => {
    await project(red, 'checks: { unit-test: npm test }')
    world.agent('default', `${write('notes.js', '// nothing')}verdict pass`)
    await world.run('  - { id: 1, name: Mend the tests, checks: [unit-test] }\n')
    expect((await world.task('s-1')).status).toBe('failed')
  })
})

test('F-9, D-15 two tasks green alone and red together: the second goes back with the failing test, the target stays green', async () => {
  await project({
    'limits.test.js': `const fs = require('node:fs')
const n = (name) => (fs.existsSync(__dirname + name) ? require(__dirname + name) : 1)
require('node:test')('stays below four', () => { if (n('/a.js') + n('/b.js') > 3) throw new Error('too many') })
`,
  })
  const [first, second] = [world.gate('first'), world.gate('second')]
  world.agent('s-1', `gate first; echo 'module.exports = 2' >a.js; verdict pass`)
  world.agent('s-2.implementer.1', `gate second; echo 'module.exports = 2' >b.js; verdict pass`)
  world.agent('s-2', `echo 'module.exports = 1' >b.js; verdict pass`)
  await world.landInTurn(first, second)
  expect(await world.task('s-2')).toMatchObject({ status: 'completed', round: 1 })
  expect(await findings('s-2')).toContain('stays below four')
  expect(world.git('show', 'muster/story/s:b.js')).toBe('module.exports = 1')
})

test('F-9 the merge with a target that moved after the verification is verified before it lands', async () => {
  await project(
    {
      'limits.test.js': `const fs = require('node:fs')
const n = (name) => (fs.existsSync(__dirname + name) ? require(__dirname + name) : 1)
require('node:test')('stays below four', () => { if (n('/a.js') + n('/b.js') > 3) throw new Error('too many') })
`,
    },
    'protected: []\nphases: checked',
  )
  world.agent('default', `echo 'module.exports = 2' >a.js; verdict pass`)
  await world.run(TASK)
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', results: { overall: 'pass' } })
  // Somebody changes the target while the task waits to be accepted.
  world.git('worktree', 'add', '-q', join(world.top, 'other'), 'muster/story/s')
  writeFileSync(join(world.top, 'other/b.js'), 'module.exports = 2\n')
  const there = ['-C', join(world.top, 'other'), '-c', 'user.name=A', '-c', 'user.email=a@example.invalid']
  world.git(...there, 'add', 'b.js')
  world.git(...there, 'commit', '-qm', 'Mine')
  world.agent('s-1', `echo 'module.exports = 1' >a.js; verdict pass`)
  await world.accept('s-1')
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', round: 1 })
  expect(await findings('s-1')).toContain('stays below four')
  await world.accept('s-1')
  await world.settled()
  expect((await world.task('s-1')).status).toBe('completed')
  expect(world.git('show', 'muster/story/s:b.js')).toBe('module.exports = 2')
})

describe('D-5, E-3 FAIL, ERROR and HELD are told apart', () => {
  test.each([
    ['that does not exist', 'no-such-program', /command not found|not found/],
    ['that hangs', '{ run: sleep 100, timeout: 300ms }', /it timed out/],
    ['whose port is in use', 'echo "Error: listen EADDRINUSE"; exit 1', /port/],
  ])('a check %s is ERROR: no round, and held for a person', async (_, check, why) => {
    await project({}, `checks: { it: ${check.startsWith('{') ? check : JSON.stringify(check)} }`)
    world.agent('default', GOOD)
    await world.run('  - { id: 1, name: Add a product function, checks: [it] }\n')
    const task = await world.task('s-1')
    expect(task).toMatchObject({ status: 'in-progress', stage: 'review', round: 0 })
    expect(task.waitingFor).toMatch(why)
  })

  test('L29, E-33 a test that is red and green on the same tree is flaky: never evidence, a person looks', async () => {
    await project({
      'flaky.test.js': `const fs = require('node:fs')\nrequire('node:test')('sometimes', () => { const f = process.env.HOME + '/x'; const n = fs.existsSync(f) ? +fs.readFileSync(f) : 0; fs.writeFileSync(f, String(n + 1)); if (fs.existsSync(__dirname + '/product.js') && n % 2 === 0) throw new Error('now') })\n`,
    })
    const home = join(world.top, 'home')
    mkdirSync(home)
    const before = process.env['HOME']
    process.env['HOME'] = home
    try {
      world.agent('default', GOOD)
      await world.run(TASK)
    } finally {
      process.env['HOME'] = before
    }
    const [results] = await resultsOf('s-1')
    const unit = results?.criteria.find(({ activity }) => activity === 'unit-test')
    expect(unit).toMatchObject({ status: 'error', evidence: { flaky: ['flaky.test.js > sometimes'] } })
    expect(await world.task('s-1')).toMatchObject({ stage: 'review' })
  })

  test('L11 no test executed is not a pass', async () => {
    await project()
    world.agent('default', `rm sum.test.js; ${write('a.test.js', '// empty')}verdict pass`)
    await world.run(TASK)
    expect((await world.task('s-1')).status).toBe('failed')
  })
})

test('S1.4 a phase may run one check of its own: one that comes with Muster is found in the project', async () => {
  const phases = `{ implement: { run: agent implementer, on_pass: build, on_fail: implement }, build: { run: check build, on_pass: e2e, on_fail: implement }, e2e: { run: check e2e, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }`
  const scripts = { test: 'node --test', build: 'grep -q product product.js' }
  await project({ 'package.json': JSON.stringify({ scripts }) }, `phases: ${phases}`)
  world.agent('s-1.implementer.1', `${write('other.js', '')}verdict pass`)
  world.agent('default', GOOD)
  await world.run(TASK)
  const [red, green, missing] = await resultsOf('s-1')
  expect(red?.criteria).toMatchObject([{ id: 'build', status: 'fail' }])
  expect(green?.criteria).toMatchObject([
    { id: 'build', status: 'pass', evidence: { command: expect.stringContaining('grep') } },
  ])
  expect(missing?.criteria).toMatchObject([{ id: 'e2e', status: 'error' }])
  expect((await world.task('s-1')).waitingFor).toMatch(
    /the project has no tool for e2e; set checks\.e2e in muster\.yaml/,
  )
})

test('S1.21-S1.23, E-24, L16 triage tells a person once about attempts that change nothing, and decides nothing', async () => {
  await project({}, '', 5)
  world.agent('default', 'verdict pass')
  await world.run(TASK)
  expect((await world.notices()).filter(({ text }) => text.includes('changed nothing'))).toHaveLength(1)
  // H-5: the same failure three rounds in a row is a person's matter.
  expect(await world.task('s-1')).toMatchObject({ stage: 'review', round: 3, attempt: 3 })
})

test('checks in a repository without any tool: the contract has nothing to run, and the task goes on', async () => {
  world = await World.create({ config: `phases: ${VERIFIED}` })
  world.agent('default', 'echo x >x.txt; verdict pass')
  await world.run('  - { id: 1, name: Add a text }\n')
  expect((await world.task('s-1')).status).toBe('completed')
  const [results] = await resultsOf('s-1')
  expect(results?.criteria.every(({ status }) => status === 'skipped')).toBe(true)
})

test('a verification that Muster’s end cuts short begins anew and loses nothing', async () => {
  await project({}, 'checks: { slow: "echo ready; [ -e TOP/open ] || cat TOP/gates/slow >/dev/null" }')
  world.gate('slow')
  const yaml = join(world.repository, 'muster.yaml')
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replaceAll('TOP', world.top))
  world.agent('default', GOOD)
  await world.start()
  await world.submit('  - { id: 1, name: Add a product function, checks: [slow] }\n')
  await world.until(({ type, line }) => type === 'output' && line === 'ready')
  await world.stop()
  writeFileSync(join(world.top, 'open'), '')
  await world.start()
  await world.settled()
  expect(await world.task('s-1')).toMatchObject({ status: 'completed', round: 0 })
  expect(readdirSync(join(world.project.dataDir, 'checkouts'))).toEqual([])
})
