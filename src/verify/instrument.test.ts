import { exec } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { instrument } from './instrument.ts'
import { parseReport } from './report/report.ts'

const path = '/var/r x.out'

function commandOf(command: string): string | null {
  return instrument(command, path)?.command ?? null
}

const vitest = `--reporter=default --reporter=junit '--outputFile=${path}'`
const node = `--test-reporter=junit '--test-reporter-destination=${path}' --test-reporter=spec --test-reporter-destination=stdout`
const jest = `--json '--outputFile=${path}'`
const mocha = `'--reporter-option=output=${path}' --reporter=json`
const pytest = `'--junitxml=${path}' -o junit_family=xunit1`

describe('arguments for a report go right behind the runner (L10)', () => {
  test.each([
    ['vitest run', `vitest ${vitest} run`],
    ['vitest run --reporter=dot src', `vitest --reporter=junit '--outputFile=${path}' run --reporter=dot src`],
    ['vitest run --reporter dot', `vitest --reporter=junit '--outputFile=${path}' run --reporter dot`],
    ['npx vitest', `npx vitest ${vitest}`],
    ['npx --yes -- vitest@5 run', `npx --yes -- vitest@5 ${vitest} run`],
    ['npm exec -- vitest run', `npm exec -- vitest ${vitest} run`],
    ['CI=1 ./node_modules/.bin/vitest run -- a', `CI=1 ./node_modules/.bin/vitest ${vitest} run -- a`],
    ['node --test', `node ${node} --test`],
    ['node --import tsx --test "test/**/*.js" $MORE', `node ${node} --import tsx --test "test/**/*.js" $MORE`],
    ['node --test --test-reporter=dot', `node ${node.replace(' --test-reporter=spec', '')} --test --test-reporter=dot`],
    ['c8 --reporter=lcov node --test', `c8 --reporter=lcov node ${node} --test`],
    ['jest --ci', `jest ${jest} --ci`],
    [
      'node --experimental-vm-modules node_modules/jest/bin/jest.js a',
      `node --experimental-vm-modules node_modules/jest/bin/jest.js ${jest} a`,
    ],
    ['cross-env NODE_ENV=test mocha test/*.js', `cross-env NODE_ENV=test mocha ${mocha} test/*.js`],
    ['pytest -q', `pytest ${pytest} -q`],
    ['python3 -B -m pytest tests', `python3 -B -m pytest ${pytest} tests`],
    ['uv run pytest', `uv run pytest ${pytest}`],
    ['coverage run -m pytest', `coverage run -m pytest ${pytest}`],
  ])('%s', (command, expected) => {
    expect(commandOf(command)).toBe(expected)
  })

  test.each([
    ['tsc && vitest run', `tsc && vitest ${vitest} run`],
    ['vitest run | tee log', `vitest ${vitest} run | tee log`],
    ['vitest run; true', `vitest ${vitest} run; true`],
    ['jest || echo "no tests"', `jest ${jest} || echo "no tests"`],
    ['npm run build >/dev/null 2>&1 && pytest', `npm run build >/dev/null 2>&1 && pytest ${pytest}`],
    ['vitest run > log 2>&1', `vitest ${vitest} run > log 2>&1`],
  ])('in a list of commands: %s', (command, expected) => {
    expect(commandOf(command)).toBe(expected)
  })
})

describe('a command that is not one run of a runner stays as it is', () => {
  test.each([
    'vitest run && jest',
    'vitest run &',
    '(vitest run)',
    'if true; then vitest run; fi',
    'vitest run <<END\nx\nEND',
    'sh -c "vitest run"',
    'make test',
    'npm test',
    'npx -p x vitest',
    '$RUNNER run',
    '',
    '! jest',
    'vitest watch',
    'vitest --watch',
    'vitest bench',
    'vitest list',
    'vitest run --outputFile=x',
    'vitest run --reporter=json',
    'vitest run --reporter html',
    'jest --watchAll',
    'jest --json',
    'jest --listTests',
    'mocha -R dot',
    'mocha --watch',
    'pytest --junitxml=x',
    'pytest --collect-only',
    'pytest -p no:junitxml',
    'python -m unittest',
    'python t.py -m pytest',
    'node t.js --test',
    'node',
    'node --test --watch',
    'node --test --test-reporter-destination=x --test-reporter=dot',
  ])('%j', (command) => {
    expect(commandOf(command)).toBeNull()
  })
})

describe('with the real runner (S1.4, L10)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-instrument-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const modules = join(import.meta.dirname, '../../node_modules')

  async function run(name: string, command: string, files: Record<string, string>) {
    const checkout = join(folder, name)
    const reportPath = join(folder, `${name} report`)
    for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true })
      writeFileSync(join(checkout, file), text)
    }
    symlinkSync(modules, join(checkout, 'node_modules'))
    const made = instrument(command, reportPath)
    if (made === null) throw new Error(`${command} was left alone`)
    const env = {
      PATH: `${join(modules, '.bin')}:${process.env['PATH']}`,
      HOME: folder,
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
    }
    const ended = await promisify(exec)(made.command, { cwd: checkout, env }).catch(
      (error: unknown) => error as { code: number; stdout: string },
    )
    const report = parseReport(readFileSync(reportPath), { format: made.format, root: checkout })
    return { exitCode: 'code' in ended ? ended.code : 0, stdout: ended.stdout, report }
  }

  function expectedOf(file: string) {
    const tests = [
      { name: `${file} > passes`, status: 'passed', file },
      { name: `${file} > fails`, status: 'failed', file, line: 3 },
    ]
    return { exitCode: 1, report: { tests: tests.map((test) => expect.objectContaining(test) as object) } }
  }

  const body = "test('passes', () => {})\ntest('fails', () => { throw new Error('no') })\n"

  test.concurrent('vitest', async () => {
    const ended = await run('vitest', 'vitest run', { 'a.test.js': `import { test } from 'vitest'\n${body}` })
    expect(ended).toMatchObject(expectedOf('a.test.js'))
    expect(ended.stdout).toContain('1 failed')
  })

  test.concurrent('node:test, in a list', async () => {
    const files = { 'a.test.js': `import { test } from 'node:test'\n${body}` }
    const ended = await run('node', 'true && node --test', files)
    expect(ended).toMatchObject(expectedOf('a.test.js'))
    expect(ended.stdout).toContain('fail 1')
  })

  test.concurrent('pytest, where there is one', async ({ skip }) => {
    const find = `python3 -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"`
    skip(!(await promisify(exec)(find).then(Boolean, () => false)), 'pytest is not installed')
    const files = { 'tests/test_a.py': 'def passes(): pass\ntest_passes = passes\ndef test_fails(): assert False\n' }
    const ended = await run('pytest', 'python3 -m pytest -q', files)
    const names = {
      tests: ['tests/test_a.py > test_passes', 'tests/test_a.py > test_fails'].map(
        (name) => expect.objectContaining({ name }) as object,
      ),
    }
    expect(ended).toMatchObject({ exitCode: 1, report: names })
    expect(ended.stdout).toContain('1 failed, 1 passed')
  })
})
