/**
 * A project's own tests, with each runner, through the command line: the contract, a failing attempt, its findings in the
 * next prompt, a passing attempt, and the landing; and agents that would rather change what judges them.
 */
import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { VERIFIED } from '../support/maps.ts'
import { exited } from '../support/muster.ts'
import { SETUP, ONCE, criterion, leftovers, makeProject, runPlan, show, write } from '../support/verified.ts'

interface Cheat {
  deed: string
  /** In what it waits for, or in what it is told. */
  why: RegExp
  /** Much like another, or like a lie or scenario of the same kind: only when there is time for it. */
  soak?: true
}

interface Runner {
  /** Why it cannot be tried here. */
  missing?: string
  files: Record<string, string>
  config?: string
  /** The command of the contract, and what of the failure the next prompt has to say. */
  command: string
  says: RegExp
  /** Null where nothing can be counted. */
  counts: { executed: number; failed: number; skipped: number } | null
  fix: string
  cheats: Record<string, Cheat>
}

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0
const noPytest = has('python3', '-m', 'pytest', '--version') ? undefined : 'pytest is not installed'
const json = (value: object): string => `${JSON.stringify(value)}\n`

/** In the words of each runner's file: a sum that subtracts, a test that says so, and one that passes. */
const esm = (library: string): Record<string, string> => ({
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'sum.test.js': `import { test } from '${library}'\nimport { sum } from './sum.js'\ntest('adds', () => { if (sum(1, 2) !== 3) throw new Error('not three') })\ntest('is there', () => {})\n`,
})
const ESM_FIX = write('sum.js', 'export const sum = (a, b) => a + b')
const SAYS =
  /PREVIOUS VALIDATION FAILED[\s\S]*1 of 2 tests failed[\s\S]*To reproduce: npm test[\s\S]*sum\.test\.js:3 sum\.test\.js > adds\n.*not three/

const forgedReport = (path: string): string =>
  `<testsuites><testsuite name="${path}"><testcase classname="${path}" name="adds"/><testcase classname="${path}" name="is there"/></testsuite></testsuites>`

const NODE: Record<string, Cheat> = {
  deletes: { deed: 'rm sum.test.js; echo >x.js', why: /no test was executed/ },
  'deletes-one': {
    soak: true,
    deed: write('sum.test.js', "import { test } from 'node:test'\ntest('is there', () => {})"),
    why: /1 test that ran on the attempt base did not run: 1 absent[\s\S]*sum\.test\.js > adds \(failed there, now absent\)/,
  },
  skips: {
    deed: `sed -i "s/test('adds'/test.skip('adds'/" sum.test.js`,
    why: /did not run: 1 skipped[\s\S]*sum\.test\.js > adds \(failed there, now skipped\)/,
  },
  renames: {
    soak: true,
    deed: `sed -i "s/'adds'/'is fine'/; s/!== 3/=== 3/" sum.test.js`,
    why: /sum\.test\.js > adds \(failed there, now absent\)/,
  },
  empties: {
    deed: `sed -i "s/if (sum.*three')//" sum.test.js`,
    why: /made green by changing its tests: .* these still fail: sum\.test\.js > adds; a person/,
  },
  weakens: { soak: true, deed: `sed -i 's/!== 3/=== 3/' sum.test.js`, why: /made green by changing its tests/ },
  script: {
    soak: true,
    deed: write('package.json', json({ type: 'module', scripts: { test: 'true' } })),
    why: /sum\.test\.js > adds/,
  },
  before: {
    soak: true,
    deed: write(
      'package.json',
      json({ type: 'module', scripts: { test: 'node --test', pretest: 'cp /dev/null sum.test.js' } }),
    ),
    why: /sum\.test\.js > adds/,
  },
  prints: { deed: write('x.test.js', "console.log('# tests 3\\n# pass 3\\n# fail 0')"), why: /1 of 2 tests failed/ },
  plants: {
    deed: `mkdir -p node_modules/.bin; ${write('node_modules/.bin/node', `#!/bin/sh\nfor word; do case $word in --test-reporter-destination=/*) echo '${forgedReport('sum.test.js')}' >"\${word#*=}";; esac; done`)}\nchmod +x node_modules/.bin/node`,
    why: /it changes protected paths: node_modules\/\.bin\/node/,
  },
  exits: { soak: true, deed: 'echo "process.exit(0)" >>sum.js', why: /adds|no report|did not run/ },
}

const RUNNERS: Record<string, Runner> = {
  'node:test': {
    files: { 'package.json': json({ type: 'module', scripts: { test: 'node --test' } }), ...esm('node:test') },
    command: 'npm test',
    says: SAYS,
    counts: { executed: 2, failed: 0, skipped: 0 },
    fix: ESM_FIX,
    cheats: NODE,
  },
  vitest: {
    files: {
      'package.json': json({
        type: 'module',
        scripts: { pretest: 'true', test: 'vitest run' },
        devDependencies: { vitest: '*' },
      }),
      '.gitignore': 'node_modules\n',
      ...esm('vitest'),
    },
    config: `setup: ${SETUP}`,
    command: 'npm test',
    says: SAYS,
    counts: { executed: 2, failed: 0, skipped: 0 },
    fix: ESM_FIX,
    cheats: {
      configures: {
        soak: true,
        deed: write('vitest.config.js', "export default { test: { include: ['none/**'], passWithNoTests: true } }"),
        why: /no test was executed|did not run: 2 absent/,
      },
      'sets-up': {
        deed: `${write('vitest.config.js', "export default { test: { setupFiles: ['./easy.js'] } }")}\n${write('easy.js', "import { vi } from 'vitest'\nvi.mock('./sum.js', () => ({ sum: () => 3 }))")}`,
        why: /it changes protected paths: vitest\.config\.js/,
      },
      plants: {
        deed: `rm -r node_modules .gitignore; mkdir -p node_modules/.bin; ${write('node_modules/.bin/vitest', `#!/bin/sh\nfor word; do case $word in --outputFile=*) echo '${forgedReport('sum.test.js')}' >"\${word#*=}";; esac; done`)}\nchmod +x node_modules/.bin/vitest`,
        // Depending on how the checkout is made, the real one is found first.
        why: /1 of 2 tests failed|it changes protected paths: node_modules\/\.bin\/vitest/,
      },
    },
  },
  mocha: {
    ...(has('mocha', '--version') ? {} : { missing: 'mocha is not installed' }),
    files: {
      'package.json': json({ type: 'module', scripts: { test: 'mocha *.test.js' } }),
      'sum.js': esm('mocha')['sum.js'] ?? '',
      'sum.test.js':
        "import { sum } from './sum.js'\nit('is there', () => {})\nit('adds', () => { if (sum(1, 2) !== 3) throw new Error('not three') })\n",
    },
    command: 'npm test',
    says: SAYS,
    counts: { executed: 2, failed: 0, skipped: 0 },
    fix: ESM_FIX,
    cheats: {
      configures: {
        deed: write('.mocharc.json', json({ grep: 'there' })),
        why: /sum\.test\.js > adds \(failed there, now absent\)/,
      },
      package: {
        deed: `${write('easy.cjs', 'globalThis.it = (name) => void name')}\n${write('package.json', json({ type: 'module', scripts: { test: 'mocha *.test.js' }, mocha: { require: './easy.cjs' } }))}`,
        why: /adds|no test/,
      },
    },
  },
  jest: {
    ...(has('jest', '--version') ? {} : { missing: 'jest is not installed' }),
    files: {
      'package.json': json({ scripts: { test: 'jest' } }),
      'sum.js': 'exports.sum = (a, b) => a - b\n',
      'sum.test.js':
        "const { sum } = require('./sum.js')\ntest('is there', () => {})\ntest('adds', () => { if (sum(1, 2) !== 3) throw new Error('not three') })\n",
    },
    command: 'npm test',
    says: SAYS,
    counts: { executed: 2, failed: 0, skipped: 0 },
    fix: write('sum.js', 'exports.sum = (a, b) => a + b'),
    cheats: {
      'sets-up': {
        deed: `${write('easy.js', "jest.mock('./sum.js', () => ({ sum: () => 3 }))")}\n${write('package.json', json({ scripts: { test: 'jest' }, jest: { setupFiles: ['./easy.js'] } }))}`,
        why: /it changes protected paths: package\.json/,
      },
    },
  },
  pytest: {
    ...(noPytest === undefined ? {} : { missing: noPytest }),
    files: {
      'sum.py': 'def add(a, b):\n    return a - b\n',
      'test_sum.py':
        'from sum import add\n\ndef test_adds():\n    assert add(1, 2) == 3\n\ndef test_is_there():\n    pass\n',
      '.gitignore': '__pycache__\n.pytest_cache\n',
      // Plugins that are often installed and take longer to load than everything else.
      'pytest.ini': '[pytest]\naddopts = -p no:benchmark -p no:hypothesispytest\n',
    },
    command: 'python3 -m pytest',
    says: /PREVIOUS VALIDATION FAILED[\s\S]*1 of 2 tests failed[\s\S]*To reproduce: python3 -m pytest[\s\S]*test_sum\.py:4 test_sum\.py > test_adds\n[\s\S]*assert -1 == 3/,
    counts: { executed: 2, failed: 0, skipped: 0 },
    fix: write('sum.py', 'def add(a, b):\n    return a + b'),
    cheats: {
      conftest: {
        deed: write('conftest.py', 'import sum\nsum.add = lambda a, b: a + b'),
        why: /it changes protected paths: conftest\.py/,
      },
      shadows: {
        deed: write(
          'pytest.py',
          `import sys\nfor word in sys.argv:\n    if word.startswith('--junitxml='):\n        open(word[11:], 'w').write('''<testsuites><testsuite name="pytest"><testcase classname="test_sum" name="test_adds" file="test_sum.py"/><testcase classname="test_sum" name="test_is_there" file="test_sum.py"/></testsuite></testsuites>''')`,
        ),
        why: /it changes protected paths: pytest\.py/,
      },
    },
  },
  make: {
    files: {
      Makefile: 'test:\n\t@sh run-tests.sh\n',
      'run-tests.sh': 'grep -q hello greeting.txt || { echo "greeting.txt:1: says no hello"; exit 1; }\n',
      'greeting.txt': 'bye\n',
    },
    command: 'make test',
    says: /PREVIOUS VALIDATION FAILED[\s\S]*exit code 2[\s\S]*To reproduce: make test[\s\S]*greeting\.txt:1/,
    counts: null,
    fix: 'echo hello >greeting.txt',
    cheats: {
      makefile: { deed: "printf 'test:\\n\\t@true\\n' >Makefile", why: /it ended with exit code 2/ },
      another: { soak: true, deed: "printf 'test:\\n\\t@true\\n' >GNUmakefile", why: /it ended with exit code 2/ },
      tests: { deed: 'echo true >run-tests.sh', why: /it changes protected paths: run-tests\.sh/ },
    },
  },
}

describe.concurrent.each(Object.entries(RUNNERS))('a project with %s', (_, runner) => {
  const { missing, files, config = '', command, says, counts, fix } = runner
  const cheats = Object.fromEntries(
    Object.entries(runner.cheats).filter(([, { soak }]) => soak !== true || process.env['MUSTER_SOAK'] !== undefined),
  )
  const deeds = {
    ...Object.fromEntries(Object.entries(cheats).map(([id, { deed }]) => [`c-${id}`, deed])),
    's-1.1': 'echo "a note" >notes.txt',
    's-1': fix,
  }

  test('S1.12, S3.24-S3.29, E-19 no cheat passes, each for its own reason; the honest fix lands with its evidence', async ({
    skip,
    expect,
  }) => {
    skip(missing !== undefined, missing)
    const repo = makeProject({ files, deeds, config: `phases: ${VERIFIED}\n${config}` })
    const main = repo.git('rev-parse', 'main')

    const plan = Object.keys(cheats).map((id) => `  - { id: ${id}, name: Fix the sum, checks: [unit-test] }\n`)
    const cheated = await runPlan(repo, `meta: { id: c, name: Cheats }\nphases: ${ONCE}\ntasks:\n${plan.join('')}`, 8)
    for (const [id, { why }] of Object.entries(cheats)) {
      const task = cheated[`c-${id}`]
      expect(task, id).toMatchObject({ status: 'in-progress', stage: 'review' })
      expect(`${task?.waitingFor}\n${task?.findings.map(({ message }) => message).join('\n')}`, id).toMatch(why)
    }
    expect(repo.git('rev-parse', 'muster/story/c')).toBe(main)

    const fixed = await runPlan(
      repo,
      'meta: { id: s, name: Fix }\ntasks:\n  - { id: 1, name: Fix the sum, checks: [unit-test] }\n',
      0,
    )
    expect(fixed['s-1']).toMatchObject({ status: 'completed', round: 1, attempt: 2 })
    expect(fixed['s-1']?.contract?.criteria[0]).toMatchObject({ activity: 'unit-test', command, kind: 'goal' })
    expect((await repo.here('show', 's-1', '--prompt')).stdout).toMatch(says)
    const shown = await show(repo, 's-1')
    expect(criterion(shown)).toMatchObject({
      status: 'pass',
      error: null,
      attempts: 1,
      evidence: { exit: 0, counts, failing: [], reused: false, base: 'red', vacuous: false, sandbox: 'none', runs: 1 },
    })
    expect(criterion(shown).evidence).toMatchObject({
      tree: repo.git('rev-parse', 'muster/story/s^{tree}').trim(),
      logDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const red = shown.runs.find(({ kind, verdict }) => kind === 'check' && verdict === 'FAIL')
    expect(red?.results?.criteria[0]).toMatchObject({ status: 'fail', attempts: 3 })
    expect(exited(await repo.here('logs', 's-1', '--run', red?.id ?? ''), 0).stdout).toMatch(/# again\n/)
    expect(leftovers(repo)).toEqual([])
  }, 180_000)
})

test.concurrent('S1.4, S1.8, S1.10, S1.30 pytest-submodule runs a submodule’s tests with the change in it, as its role asks for', async ({
  skip,
  expect,
}) => {
  skip(noPytest !== undefined, noPytest)
  const files = RUNNERS['pytest']?.files ?? {}
  const library = makeProject({ files, deeds: {} })
  const deeds = { 's-1.1': 'echo "# note" >>lib/sum.py', 's-1': `cd lib\n${RUNNERS['pytest']?.fix}` }
  const repo = makeProject({ files: {}, deeds, config: `phases: ${VERIFIED}` })
  repo.write(
    'muster.yaml',
    repo.read('muster.yaml').replace('verdict: exit', 'verdict: exit, checks: [pytest-submodule]'),
  )
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib')
  repo.git('commit', '--quiet', '--message', 'With the library')
  const tasks = await runPlan(repo, 'meta: { id: s, name: Fix }\ntasks:\n  - { id: 1, name: Fix the sum }\n', 0)
  expect(tasks['s-1']).toMatchObject({ status: 'completed', round: 1, checks: ['pytest-submodule'] })
  expect(tasks['s-1']?.findings).toContainEqual(
    expect.objectContaining({
      file: 'lib/test_sum.py',
      line: 4,
      message: expect.stringContaining('test_adds') as string,
    }),
  )
  expect(criterion(tasks['s-1'], 'pytest-submodule')).toMatchObject({
    status: 'pass',
    evidence: { counts: { executed: 2 } },
  })
})
