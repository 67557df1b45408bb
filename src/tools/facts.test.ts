import { describe, expect, test } from 'vitest'
import { factsOf } from './facts.ts'

/** Files with their texts; an empty text where only the name matters. */
function commandsOf(files: Record<string, string | object>, configured: Record<string, string> = {}) {
  const text = (value: string | object | undefined) =>
    typeof value === 'object' ? JSON.stringify(value) : (value ?? null)
  const { tools } = factsOf(Object.keys(files), (path) => text(files[path]), configured)
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.command]))
}

describe('tools of a project', () => {
  test('are its package scripts', () => {
    const scripts = { test: 'vitest', types: 'tsc', lint: 'oxlint', build: 'vite build', 'test:e2e': 'playwright test' }
    expect(commandsOf({ 'package.json': { scripts } })).toEqual({
      typecheck: 'npm run types',
      lint: 'npm run lint',
      'unit-test': 'npm test',
      build: 'npm run build',
      e2e: 'npm run test:e2e',
    })
  })

  test.each([
    ['pnpm-lock.yaml', 'pnpm test', 'pnpm run lint', 'npx tsc --noEmit'],
    ['yarn.lock', 'yarn test', 'yarn run lint', 'npx tsc --noEmit'],
    ['bun.lock', 'bun run test', 'bun run lint', 'bun x tsc --noEmit'],
    ['package-lock.json', 'npm test', 'npm run lint', 'npx tsc --noEmit'],
  ])('with %s', (lock, unit, lint, typecheck) => {
    const json = { scripts: { test: 'x', lint: 'x' }, devDependencies: { typescript: '5' } }
    expect(commandsOf({ [lock]: '', 'package.json': json, 'tsconfig.json': '{}' })).toEqual({
      'unit-test': unit,
      lint,
      typecheck,
    })
  })

  test.each([
    ['vitest', { devDependencies: { vitest: '4' } }, {}, { 'unit-test': 'npx vitest run' }],
    ['jest', { devDependencies: { jest: '30' } }, {}, { 'unit-test': 'npx jest' }],
    ['node:test', {}, { 'lib/a.test.js': '' }, { 'unit-test': 'node --test' }],
    ['eslint', { devDependencies: { eslint: '9' } }, { 'eslint.config.js': '' }, { lint: 'npx eslint .' }],
    ['biome', { devDependencies: { '@biomejs/biome': '2' } }, { 'biome.json': '' }, { lint: 'npx biome check' }],
    [
      'prettier alone',
      { devDependencies: { prettier: '3' } },
      { '.prettierrc': '' },
      { lint: 'npx prettier --check .' },
    ],
    [
      'playwright',
      { devDependencies: { '@playwright/test': '1' } },
      { 'playwright.config.ts': '' },
      { e2e: 'npx playwright test' },
    ],
    ['a format check', { scripts: { 'format:check': 'oxfmt --check' } }, {}, { lint: 'npm run format:check' }],
  ])('with %s', (_, json, files, commands) => {
    expect(commandsOf({ 'package.json': json, ...files })).toEqual(commands)
  })

  test('not one that would have to be fetched first, nor the test script of npm init', () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    expect(commandsOf({ 'package.json': { scripts }, 'tsconfig.json': '{}', 'eslint.config.js': '' })).toEqual({})
  })

  test('of Go, Rust and Python', () => {
    expect(commandsOf({ 'go.mod': '' })).toEqual({
      typecheck: 'go build ./...',
      lint: 'go vet ./...',
      'unit-test': 'go test ./...',
    })
    expect(commandsOf({ 'go.mod': '', '.golangci.yml': '' })).toMatchObject({ lint: 'golangci-lint run' })
    expect(commandsOf({ 'Cargo.toml': '' })).toEqual({
      typecheck: 'cargo check --all-targets',
      lint: 'cargo clippy --all-targets',
      'unit-test': 'cargo test',
      build: 'cargo build',
    })
    for (const file of ['ruff.toml', '.ruff.toml']) expect(commandsOf({ [file]: '' })).toEqual({ lint: 'ruff check .' })
    expect(commandsOf({ 'pyproject.toml': '[tool.ruff]\n[tool.pytest.ini_options]\n[tool.mypy]' })).toEqual({
      typecheck: 'mypy .',
      lint: 'ruff check .',
      'unit-test': 'python3 -m pytest',
    })
    expect(commandsOf({ 'pyproject.toml': '[tool.pyright]' })).toEqual({ typecheck: 'pyright' })
    expect(commandsOf({ 'tests/test_app.py': '' })).toEqual({ 'unit-test': 'python3 -m pytest' })
    expect(commandsOf({ 'pyproject.toml': '[project]\n[tool.black]' })).toEqual({})
  })

  test.each([
    ['package.json', '{"scripts":{"lint":"x"}}', { lint: 'scripts.lint of package.json' }],
    ['Makefile', 'test:\n', { 'unit-test': 'target test of Makefile' }],
    ['go.mod', '', { typecheck: 'go.mod', lint: 'go.mod', 'unit-test': 'go.mod' }],
    ['Cargo.toml', '', { typecheck: 'Cargo.toml', lint: 'Cargo.toml', 'unit-test': 'Cargo.toml', build: 'Cargo.toml' }],
    ['setup.cfg', '[flake8]', { lint: 'flake8 in setup.cfg' }],
    ['mypy.ini', '', { typecheck: 'mypy.ini' }],
  ])('say that they are known from %s', (file, text, from) => {
    const { tools } = factsOf([file], () => text)
    expect(Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.from]))).toEqual(from)
  })

  test('make targets come before tools that are only configured, scripts before both', () => {
    const makefile = 'VAR := x\n.PHONY: test\ntest: build\n\tgo test\nlint:\n\techo\n'
    expect(commandsOf({ Makefile: makefile, 'go.mod': '' })).toEqual({
      'unit-test': 'make test',
      lint: 'make lint',
      typecheck: 'go build ./...',
    })
    const json = { scripts: { test: 'x' } }
    expect(commandsOf({ Makefile: makefile, 'package.json': json })).toMatchObject({
      'unit-test': 'npm test',
      lint: 'make lint',
    })
  })

  test('none is guessed for the whole where checks of its parts are switched off', () => {
    const { tools } = factsOf(['go.mod'], () => '', { 'unit-test-api': false, lint: false })
    expect(Object.keys(tools)).toEqual(['typecheck'])
  })

  test('the tests of CMake come before a makefile that lies beside them', () => {
    const makefile = 'test:\n\t./example\nlint:\n\tx\n'
    const cmake = 'project(own C)\nenable_testing()\n'
    expect(commandsOf({ Makefile: makefile, 'CMakeLists.txt': cmake })).toEqual({
      'unit-test': 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
      lint: 'make lint',
    })
    expect(commandsOf({ Makefile: makefile, 'CMakeLists.txt': 'project(own C)\n' })).toMatchObject({
      'unit-test': 'make test',
    })
  })

  test('what muster.yaml says wins', () => {
    expect(commandsOf({ 'go.mod': '' }, { 'unit-test': 'go test -race ./...', other: 'x' })).toMatchObject({
      'unit-test': 'go test -race ./...',
    })
  })

  test.each([
    ['there is nothing', {}],
    ['package.json is no JSON', { 'package.json': '{' }],
    ['it is null', { 'package.json': 'null' }],
    ['its scripts are no scripts', { 'package.json': '{"scripts":{"test":5,"lint":null,"build":""}}' }],
    ['its scripts are a list', { 'package.json': '{"scripts":["test"]}' }],
    ['it lies in a folder', { 'docs/package.json': '{"scripts":{"test":"x"}}', 'web/go.mod': '' }],
  ])('are none when %s', (_, files) => {
    expect(commandsOf(files)).toEqual({})
  })
})
