import { describe, expect, test } from 'vitest'
import { instrument } from './instrument.ts'

const folder = '/var/r x'
const path = `${folder}/1/report`

function commandOf(command: string, into = folder): string | null {
  return instrument(command, into)?.command ?? null
}

const vitest = `--reporter=default --reporter=junit '--outputFile=${path}'`
const node = `--test-reporter=junit '--test-reporter-destination=${path}' --test-reporter=spec --test-reporter-destination=stdout`
const jest = `--json '--outputFile=${path}'`
const mocha = `'--require=${folder}/1/mocha.cjs'`
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
    ['tsx --test a.ts', `tsx ${node} --test a.ts`],
    ['c8 --reporter=lcov node --test', `c8 --reporter=lcov node ${node} --test`],
    ['jest --ci', `jest ${jest} --ci`],
    [
      'node --experimental-vm-modules node_modules/jest/bin/jest.js a',
      `node --experimental-vm-modules node_modules/jest/bin/jest.js ${jest} a`,
    ],
    ['cross-env NODE_ENV=test mocha test/*.js', `cross-env NODE_ENV=test mocha ${mocha} test/*.js`],
    ['mocha -R dot --reporter-option a=b', `mocha ${mocha} -R dot --reporter-option a=b`],
    ['jasmine', `jasmine '--helper=${folder}/1/jasmine.cjs'`],
    ['borp -T', `borp --reporter=spec '--reporter=junit:${path}' -T`],
    ['borp -r dot', `borp '--reporter=junit:${path}' -r dot`],
    ['bun test src', `bun test --reporter=junit '--reporter-outfile=${path}' src`],
    ['deno test -A', `deno test '--junit-path=${path}' -A`],
    ['pytest -q', `pytest ${pytest} -q`],
    ['.venv/bin/pytest', `.venv/bin/pytest ${pytest}`],
    ['python3 -B -m pytest tests', `python3 -B -m pytest ${pytest} tests`],
    ['.venv/bin/python -m pytest', `.venv/bin/python -m pytest ${pytest}`],
    [
      'PYTHONPATH=a/src /opt/py/bin/python3.12 -m pytest',
      `PYTHONPATH=a/src /opt/py/bin/python3.12 -m pytest ${pytest}`,
    ],
    ['./venv/bin/python -m unittest', `./venv/bin/python '${folder}/1/unittest_report.py'`],
    ['uv run pytest', `uv run pytest ${pytest}`],
    ['coverage run -m pytest', `coverage run -m pytest ${pytest}`],
    ['python3 -B -m unittest -v t', `python3 -B '${folder}/1/unittest_report.py' -v t`],
    ['gotestsum ./...', `gotestsum '--junitfile=${path}' ./...`],
    ['ctest --test-dir build', `ctest --output-junit '${path}' --test-dir build`],
    ['bundle exec rspec spec', `bundle exec rspec --require '${folder}/1/rspec_report.rb' spec`],
    ['./vendor/bin/phpunit tests', `./vendor/bin/phpunit --log-junit '${path}' tests`],
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
    ['vitest run && jest', `vitest ${vitest} run && jest ${jest.replace('/1/', '/2/')}`],
  ])('in a list of commands: %s', (command, expected) => {
    expect(commandOf(command)).toBe(expected)
  })

  test.each([
    'pnpm vitest',
    'pnpm exec vitest',
    'pnpm -s vitest',
    'yarn vitest',
    'yarn run vitest',
    'bun run vitest',
    'bun vitest',
    'bunx vitest',
    'pnpm c8 --include src vitest',
    'nyc --reporter lcov --all npx vitest',
    'timeout 60 npx vitest',
    'xvfb-run -a yarn vitest',
  ])('behind a package manager or another program: %s run', (command) => {
    expect(commandOf(`${command} run`)).toBe(`${command} ${vitest} run`)
  })
})

describe('a runner that takes no argument for it', () => {
  const into = '/var/run-1'

  test('gets variables for this command alone', () => {
    expect(commandOf('npx ava', into)).toBe(`NODE_OPTIONS="--import=${into}/1/ava.mjs $NODE_OPTIONS" npx ava`)
    expect(commandOf('CI=1 playwright test', into)).toBe(
      `PW_TEST_REPORTER="${into}/1/playwright.cjs" CI=1 playwright test`,
    )
    expect(commandOf('tox -e py3', into)).toContain(`--junitxml=${into}/1/report.\\$TOX_ENV_NAME -o `)
  })

  test('unless the command has them already, or their value would be taken apart', () => {
    expect(commandOf('NODE_OPTIONS=$MORE ava', into)).toBeNull()
    expect(commandOf('cross-env NODE_OPTIONS=--no-warnings ava', into)).toBeNull()
    expect(commandOf('ava', '/var/with space')).toBeNull()
  })

  test('is read by what it prints, a copy of which is kept where that goes into a pipe', () => {
    expect(instrument('tape test/*.js', into)).toMatchObject({
      command: 'tape test/*.js',
      asked: [{ from: 'output', format: 'tap' }],
    })
    expect(instrument('tape a.js | tap-spec', into)).toMatchObject({
      command: `tape a.js | tee ${into}/1/report | tap-spec`,
      asked: [{ from: 'file', format: 'tap' }],
    })
  })

  test('may leave reports by itself, or be another program: then nothing follows from its silence', () => {
    expect(instrument('./mvnw -B verify', into)).toMatchObject({
      command: './mvnw -B verify',
      asked: [{ from: 'places', sure: false }],
    })
    for (const command of ['make check', 'just test', 'task unit-test'])
      expect(instrument(command, into)?.asked).toMatchObject([{ sure: false }])
    expect(instrument('go test ./...', into)?.asked).toMatchObject([{ sure: true }])
  })
})

describe('a command that is not a run of tests stays as it is', () => {
  test.each([
    'vitest run &',
    '(vitest run)',
    'if true; then vitest run; fi',
    'vitest run <<END\nx\nEND',
    'sh -c "vitest run"',
    'make build',
    'npm test',
    'npx -p x vitest',
    'pnpm --filter a vitest',
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
    'mocha --watch',
    'mocha --dry-run',
    'ava --watch',
    'bun test --watch',
    'bun run build',
    'deno run a.ts',
    'playwright install',
    'pytest --junitxml=x',
    'pytest --collect-only',
    'pytest -p no:junitxml',
    'coverage run -m unittest',
    'python t.py -m pytest',
    'node t.js --test',
    'node',
    'node --test --watch',
    'node --test --test-reporter-destination=x --test-reporter=dot',
    'go build ./...',
    'go test -c',
    'go test ./... > log',
    'cargo build',
    'cargo test --no-run',
    'ctest -N',
    'mvn -DskipTests package',
    'gradle assemble',
  ])('%j', (command) => {
    expect(commandOf(command)).toBeNull()
  })
})
