/** Checks that misbehave, through the command line: each ends as what it is, and nothing is left behind. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/process/fixtures/kinds.ts'
import { having } from '../../src/process/fixtures/marked.ts'
import { exited } from '../support/muster.ts'
import { ONCE, criterion, leftovers, makeProject, runPlan, write } from '../support/verified.ts'

const [bubblewrap] = await kinds()
const reported = (report: string) => `{ run: 'cp ${report} r.xml', report: r.xml }`

/** What is in the project for them. */
const FILES = {
  'green.xml': '<testsuites><testsuite name="a"><testcase classname="a" name="b"/></testsuite></testsuites>',
  'red.xml':
    '<testsuites><testsuite name="a"><testcase classname="a" name="b"><failure>no</failure></testcase></testsuite></testsuites>',
  'none.xml': '<testsuites/>',
  'cut.xml': '<testsuites><testsuite name="a"><testcase',
  'keep.txt': 'kept\n',
  'a.test.js': "require('node:test')('passes', () => {})\n",
}
const connect = `require('node:net').connect(9, '192.0.2.1').on('error', (error) => { console.error(error.code); process.exit(1) })`

interface Bad {
  check: string
  is: 'fail' | 'error'
  why: RegExp
}

const CHECKS: Record<string, Bad> = {
  missing: { check: 'true && no-such-program', is: 'error', why: /command not found \(exit code 127\)/ },
  hangs: { check: '{ run: sleep 1000, timeout: 300ms }', is: 'error', why: /it timed out/ },
  none: {
    check: reported('none.xml'),
    is: 'error',
    why: /its tests do not run, neither with nor without the change \(no test was executed\)/,
  },
  prints: { check: `'echo "Tests: 12 passed, 0 failed"; exit 1'`, is: 'fail', why: /it ended with exit code 1/ },
  lies: { check: reported('red.xml'), is: 'fail', why: /exit code 0 although its report says that 1 test failed/ },
  cut: { check: reported('cut.xml'), is: 'error', why: /Muster cannot use its report: it is malformed or cut off/ },
  huge: { check: `{ run: truncate -s 100M r.xml, report: r.xml }`, is: 'error', why: /it is larger than 32 MB/ },
  link: { check: `{ run: ln -s keep.txt r.xml, report: r.xml }`, is: 'error', why: /it cannot be read/ },
  unwritten: { check: `{ run: 'true', report: r.xml }`, is: 'error', why: /it was not written/ },
  full: { check: `'echo "ENOSPC: no space left on device"; exit 1'`, is: 'error', why: /the disk is full/ },
  port: { check: `'echo "listen EADDRINUSE :::80"; exit 1'`, is: 'error', why: /a port that it needs is in use/ },
  killed: { check: `'kill -9 0'`, is: 'error', why: /it was ended by/ },
  offline: {
    check: `{ run: ${JSON.stringify(`node -e "${connect}"`)}, network: false }`,
    is: 'error',
    why: /it tried to use the network, which it may not \(network: false in muster\.yaml\)/,
  },
}

/** Fails if it runs twice at the same time. */
const alone = `{ run: ${JSON.stringify('cd "$HOME/.cache" && mkdir one && node -e "setTimeout(() => {}, 100)" && rmdir one')}, exclusive: database }`

/** These do nothing wrong as far as the work goes: they pass, and what they do reaches nothing. */
const HARMLESS: Record<string, string> = {
  tests: 'node --test',
  alone,
  'alone-too': alone,
  wrecks: `'rm -rf ./* .git; echo gone >keep.txt'`,
  parent: `'kill -9 $PPID 2>/dev/null || true'`,
  server: `'setsid sleep 1000 >/dev/null 2>&1 </dev/null & setsid sleep 1000 & echo started'`,
}

describe.skipIf(bubblewrap?.sandbox == null)(`with ${bubblewrap?.name}`, () => {
  test('D-5, E-3, L35 every bad check is FAIL or ERROR by its cause, and waits for a person with a reason', async () => {
    const all = Object.entries({
      ...Object.fromEntries(Object.entries(CHECKS).map(([id, { check }]) => [id, check])),
      ...HARMLESS,
    })
    const checks = all.map(([id, check]) => `  ${id}: ${check}\n`)
    const config = `phases: ${ONCE}\nsandbox: { caches: [.cache] }\nlimits: { maxErrorAttempts: 1 }\nchecks:\n${checks.join('')}`
    // The one whose report is never written finds a forged one in the work itself.
    const deeds = Object.fromEntries(all.map(([id]) => [`b-${id}`, `echo x >${id}.txt`]))
    const repo = makeProject({
      files: FILES,
      config,
      deeds: { ...deeds, 'b-unwritten': write('r.xml', FILES['green.xml']) },
    })
    const plan = all.map(([id]) => `  - { id: ${id}, name: Add ${id}, checks: [${id}] }\n`)
    const tasks = await runPlan(repo, `meta: { id: b, name: Bad }\ntasks:\n${plan.join('')}`, 8)

    for (const [id, { is, why }] of Object.entries(CHECKS)) {
      const task = tasks[`b-${id}`]
      expect(task, id).toMatchObject({ status: 'in-progress', stage: 'review', round: is === 'fail' ? 1 : 0 })
      expect(task?.waitingFor, id).toMatch(why)
      expect(criterion(task, id), id).toMatchObject({ status: is, error: expect.stringMatching(why) as string })
    }
    for (const id of Object.keys(HARMLESS)) expect(tasks[`b-${id}`], id).toMatchObject({ status: 'completed' })
    expect(criterion(tasks['b-tests'], 'tests').evidence).toMatchObject({
      counts: { executed: 1 },
      sandbox: 'bubblewrap',
    })
    expect(repo.git('show', 'muster/story/b:keep.txt')).toBe('kept\n')
    expect(leftovers(repo)).toEqual([])
    expect(having(`HOME=${repo.home}`)).toEqual([])

    const told = exited(await repo.here('explain', 'b-hangs'), 0).stdout
    expect(told).toMatch(
      /why +held until a person decides: the verification could not run \(tried once\): c1 hangs: it timed out/,
    )
    expect(told).toMatch(/next +muster show b-hangs\n +muster retry b-hangs\n +muster accept b-hangs -m/)
    const shown = exited(await repo.here('show', 'b-lies'), 0).stdout
    expect(shown).toMatch(
      /Verified \w{12}: failed \([^)]*\)\n +✗ c1 +lies +failed +1 of 1 test failed; .*; 1 test, 1 failed, 0 skipped; 3 runs; .*\n +failed: a > b\n/,
    )
    expect(exited(await repo.here('logs', 'b-prints'), 0).stdout).toMatch(
      /^\$ echo .*\nTests: 12 passed, 0 failed\n\$ .* # on the target, without the change\n/,
    )
  })
})

test('L17, L29, E-33 a red target without names and a flaky check are for a person to judge', async () => {
  const count = (id: string, passes: string) =>
    `n=$(cat "$HOME/${id}" 2>/dev/null || echo 0); echo $((n + 1)) >"$HOME/${id}"; ${passes}`
  const config = `phases: ${ONCE}
checks:
  unit-test: "echo 'it is broken'; exit 1"
  flips: ${JSON.stringify(count('flips', '[ $((n % 2)) = 1 ]'))}
`
  const deeds = {
    'f-red': 'echo x >a.js',
    'f-flips': 'echo x >b.md',
  }
  const repo = makeProject({ files: { 'x.js': '' }, config, deeds })
  const tasks = await runPlan(
    repo,
    `meta: { id: f, name: Flaky }
tasks:
  - { id: red, name: Change the code }
  - { id: flips, name: Add a text, contract: { criteria: [{ description: It flips, activity: flips, command: ${JSON.stringify(count('flips', '[ $((n % 2)) = 1 ]'))} }] } }
`,
    8,
  )
  expect(tasks['f-red']?.waitingFor).toMatch(
    /the base already fails, and its output names no tests, .*: compare them yourself/,
  )
  expect(criterion(tasks['f-red'])).toMatchObject({ status: 'error', evidence: { base: 'red', counts: null, exit: 1 } })
  expect(tasks['f-flips']?.waitingFor).toMatch(/flaky: 2 of 3 runs of the same tree failed, the others passed/)
  expect(criterion(tasks['f-flips'], 'flips')).toMatchObject({
    status: 'error',
    attempts: 3,
    evidence: { runs: 3, exit: 1 },
  })
})
