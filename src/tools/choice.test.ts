import { describe, expect, test } from 'vitest'
import { factsOf } from './facts.ts'

type Files = Record<string, string | object>

function commandsOf(files: Files, ci: readonly string[] = [], missing: readonly string[] = []) {
  const text = (value: string | object | undefined) => (typeof value === 'object' ? JSON.stringify(value) : value)
  const hints = { has: (program: string) => !missing.includes(program), ci: new Set(ci) }
  const { tools } = factsOf(Object.keys(files), (path) => text(files[path]) ?? null, {}, [], hints)
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.command]))
}
const scripts = (some: Record<string, string>): Files => ({ 'package.json': { scripts: some } })

describe('of several ways to run its tests a project’s CI chooses', () => {
  test.each<[string, Files, string[], string]>([
    ['a script', scripts({ test: 'vitest', 'test:unit': 'vitest run' }), ['script test:unit'], 'npm run test:unit'],
    ['not a part', scripts({ test: 'npm run test:unit && x', 'test:unit': 'x' }), ['script test:unit'], 'npm test'],
    ['both', scripts({ test: 'x', 'test:unit': 'y' }), ['script test', 'script test:unit'], 'npm test'],
    ['one of another name', scripts({ 'test:ci': 'x', 'test:watch': 'y' }), ['script test:ci'], 'npm run test:ci'],
    ['make before a script', { ...scripts({ test: 'x' }), Makefile: 'test:\n' }, ['make test'], 'make test'],
    ['a tool before make', { 'go.mod': '', Makefile: 'test:\n' }, ['go test'], 'go test ./...'],
    ['nothing that it has not', scripts({ test: 'x' }), ['script test:unit', 'make test', 'curl'], 'npm test'],
  ])('%s', (_, files, ci, command) => expect(commandsOf(files, ci)['unit-test']).toBe(command))

  test('a script of another name is none where CI does not run it', () => {
    expect(commandsOf(scripts({ 'test:ci': 'x' }))).toEqual({})
  })
})

describe('just, task, tox and nox are taken where they are here', () => {
  const just = { justfile: 'set shell := ["sh"]\n@test *args:\n  x\nlint:\n  x\n', 'go.mod': '' }
  test('a target of just or task, else the tool itself', () => {
    expect(commandsOf(just)).toMatchObject({ 'unit-test': 'just test', lint: 'just lint' })
    expect(commandsOf(just, [], ['just'])).toMatchObject({ 'unit-test': 'go test ./...', lint: 'go vet ./...' })
    const task = { 'Taskfile.yml': "version: '3'\ntasks:\n  test:\n    cmds: [x]\n" }
    expect(commandsOf(task)).toEqual({ 'unit-test': 'task test' })
    // With nothing else to take it stays, and is told to be missing.
    expect(commandsOf(task, [], ['task'])).toEqual({ 'unit-test': 'task test' })
  })

  const tests = { 'tests/test_a.py': '' }
  const tox = {
    ...tests,
    'tox.ini': '[tox]\nenvlist = py38, py{39,310}, lint\n[testenv]\ncommands = pytest\n[testenv:type]\nx = y\n',
  }
  const nox = {
    ...tests,
    'noxfile.py':
      'import nox\n\n@nox.session(python=["3.11"])\ndef tests(session):\n    pass\n\n@nox.session(name="lint")\ndef l(s): ...\n',
  }
  test.each<[string, Files, string[], string[], object]>([
    ['tox', tox, [], [], { 'unit-test': 'tox -e py', lint: 'tox -e lint', typecheck: 'tox -e type' }],
    ['nox', nox, [], [], { 'unit-test': 'nox -s tests', lint: 'nox -s lint' }],
    ['neither is here', { ...nox, ...tox }, [], ['tox', 'nox'], { 'unit-test': 'python3 -m pytest' }],
  ])('%s', (_, files, ci, missing, commands) => expect(commandsOf(files, ci, missing)).toEqual(commands))

  test('tox only if CI runs it where the project says by itself what its tests need', () => {
    const both = { ...tox, 'requirements.txt': 'flask\n' }
    expect(commandsOf(both)['unit-test']).toBe('.venv/bin/python -m pytest')
    expect(commandsOf(both, ['tox'])['unit-test']).toBe('tox -e py')
  })

  test('neither is guessed without a look at the machine', () => {
    const read = (path: string) => (tox as Record<string, string>)[path] ?? null
    expect(factsOf(Object.keys(tox), read).tools['unit-test']?.command).toBe('python3 -m pytest')
  })
})

describe('workspaces that one command covers', () => {
  test('go.work: every module that it uses, wherever it is', () => {
    const work = 'go 1.22\n\nuse (\n\t./api // the server\n\t./lib/core\n\t../outside\n)\n'
    expect(commandsOf({ 'go.work': work })).toMatchObject({ 'unit-test': 'go test ./api/... ./lib/core/...' })
    expect(commandsOf({ 'go.work': 'use .\nuse ./x\n', 'go.mod': '' })['unit-test']).toBe('go test ./... ./x/...')
  })

  test('cargo: members beside a root package, unless the project names its default members', () => {
    const root = '[package]\nname = "a"\n[workspace]\nmembers = ["x"]\n'
    expect(commandsOf({ 'Cargo.toml': root })).toMatchObject({ 'unit-test': 'cargo test --workspace' })
    expect(commandsOf({ 'Cargo.toml': `${root}default-members = ["."]\n` })['unit-test']).toBe('cargo test')
    expect(commandsOf({ 'Cargo.toml': '[workspace]\nmembers = ["x"]\n' })['unit-test']).toBe('cargo test')
  })

  test('uv: the work’s own code is found before what is installed of it', () => {
    const files = {
      'uv.lock': '',
      'pyproject.toml':
        '[tool.pytest.ini_options]\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
      'packages/a/pyproject.toml': '',
      'packages/a/src/a/__init__.py': '',
      'packages/b/pyproject.toml': '',
      'packages/old/pyproject.toml': '',
    }
    expect(commandsOf(files)['unit-test']).toBe('PYTHONPATH=packages/a/src:packages/b .venv/bin/python -m pytest')
  })

  test('poetry: so is what it installs from folders of the project, by a path that holds in one checkout only', () => {
    const files = {
      'poetry.lock': '',
      'pyproject.toml':
        '[tool.pytest.ini_options]\n[tool.poetry.dependencies]\nshout = { path = "./libs/shout/", develop = true }\nfar = {path = "../far"}\nwide = { version = "1" }\n',
      'libs/shout/pyproject.toml': '',
      'libs/shout/src/shout/__init__.py': '',
    }
    expect(commandsOf(files)['unit-test']).toBe('PYTHONPATH=libs/shout/src .venv/bin/python -m pytest')
  })
})
