import { describe, expect, test } from 'vitest'
import { setupsOf } from './setup.ts'

const commands = (files: Record<string, string>, has?: (program: string) => boolean) =>
  setupsOf(Object.keys(files), (path) => files[path] ?? null, has).map(({ command }) => command)
const json = (value: object) => JSON.stringify(value)
const some = json({ devDependencies: { ava: '6' } })

describe('a project is set up as its files say', () => {
  test.each([
    ['npm', { 'package.json': some, 'package-lock.json': '' }, 'npm ci'],
    ['npm, shrinkwrapped', { 'package.json': some, 'npm-shrinkwrap.json': '' }, 'npm ci'],
    ['npm without a lock file', { 'package.json': some }, 'npm install --no-package-lock --no-audit --no-fund'],
    ['pnpm', { 'package.json': some, 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile'],
    ['Yarn 1', { 'package.json': some, 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile'],
    [
      'Yarn',
      { 'package.json': some, 'yarn.lock': '__metadata:\n  version: 8' },
      'YARN_NODE_LINKER=node-modules yarn install --immutable',
    ],
    [
      'Yarn with a folder of packages',
      { 'package.json': some, 'yarn.lock': '__metadata:\n', '.yarnrc.yml': 'nodeLinker: node-modules\n' },
      'yarn install --immutable',
    ],
    [
      'Yarn that comes along',
      { 'package.json': some, 'yarn.lock': '', '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs' },
      'YARN_NODE_LINKER=node-modules node .yarn/releases/yarn-4.1.0.cjs install --immutable',
    ],
    ['Bun', { 'package.json': some, 'bun.lock': '' }, 'bun install --frozen-lockfile'],
    [
      'two lock files, and a word which counts',
      { 'package.json': json({ packageManager: 'npm@11.0.0' }), 'yarn.lock': '', 'package-lock.json': '' },
      'npm ci',
    ],
    [
      'workspaces alone',
      { 'package.json': json({ workspaces: ['a'] }) },
      'npm install --no-package-lock --no-audit --no-fund',
    ],
    [
      'a workspace of pnpm without a lock file',
      { 'package.json': json({ packageManager: 'pnpm@9.0.0' }), 'pnpm-workspace.yaml': '' },
      'pnpm install',
    ],
    [
      'a workspace of uv',
      { 'uv.lock': '', 'pyproject.toml': '[tool.uv.workspace]\nmembers = ["packages/*"]\n' },
      'uv sync --frozen --no-editable --all-packages',
    ],
    [
      'a workspace of Go',
      { 'go.work': 'use ./api\n', 'api/go.sum': 'x\n' },
      'GOMODCACHE="$PWD/.gomodcache" GOFLAGS=-modcacherw go mod download',
    ],
    ['uv', { 'uv.lock': '', 'pyproject.toml': '' }, 'uv sync --frozen --no-editable'],
    [
      'requirements',
      { 'requirements.txt': 'flask==3\n', 'requirements-dev.txt': 'pytest\n' },
      'python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r requirements-dev.txt -r requirements.txt pytest',
    ],
    [
      'a pyproject with an extra for tests',
      { 'pyproject.toml': '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\n' },
      "python3 -m venv .venv && .venv/bin/python -m pip install --quiet '.[test]' pytest",
    ],
    [
      'a pyproject with dependencies',
      { 'pyproject.toml': '[project]\ndependencies = [\n  "attrs",\n]\n' },
      'python3 -m venv .venv && .venv/bin/python -m pip install --quiet .',
    ],
    ['Go', { 'go.mod': '', 'go.sum': 'a v1\n' }, 'GOMODCACHE="$PWD/.gomodcache" GOFLAGS=-modcacherw go mod download'],
    ['Rust', { 'Cargo.toml': '', 'Cargo.lock': 'source = "x"' }, 'CARGO_HOME="$PWD/.cargo-home" cargo fetch --locked'],
    ['Ruby', { Gemfile: "gem 'rspec'\n" }, 'BUNDLE_PATH=vendor/bundle bundle install'],
    [
      'PHP',
      { 'composer.json': json({ require: { php: '8' }, 'require-dev': { 'a/b': '1' } }) },
      'composer install --no-interaction --no-progress',
    ],
  ])('%s', (_, files: Record<string, string>, command) => expect(commands(files)).toEqual([command]))

  test.each([
    ['a package without dependencies', { 'package.json': '{}' }],
    ['a package.json that is no JSON', { 'package.json': '{' }],
    ['a pyproject without dependencies', { 'pyproject.toml': '[project]\nname = "a"\ndependencies = []\n' }],
    ['empty requirements', { 'requirements.txt': '# none\n' }],
    ['Go without a go.sum', { 'go.mod': '' }],
    ['Rust without crates of others', { 'Cargo.toml': '', 'Cargo.lock': '[[package]]\nname = "own"' }],
    ['C', { Makefile: 'test:\n' }],
  ])('nothing is installed for %s', (_, files: Record<string, string>) => expect(commands(files)).toEqual([]))
})

describe('a package manager that is not there is brought by npm', () => {
  const without = (program: string) => program === 'npm' || program === 'npx'
  test.each([
    [{ 'package.json': json({ packageManager: 'pnpm@9.15.4+sha512.abc' }), 'pnpm-lock.yaml': '' }, 'pnpm@9.15.4'],
    [{ 'package.json': some, 'pnpm-lock.yaml': "lockfileVersion: '6.0'" }, 'pnpm@8'],
    [{ 'package.json': some, 'yarn.lock': '' }, 'yarn@1'],
    [{ 'package.json': json({ packageManager: 'yarn@4.5.0' }), 'yarn.lock': '__metadata:' }, '@yarnpkg/cli-dist@4.5.0'],
    [{ 'package.json': some, 'bun.lock': '' }, 'bun'],
  ])('%j', (files, name) => {
    expect(commands(files, without)[0]).toMatch(
      new RegExp(`^(?:YARN_NODE_LINKER=node-modules )?npx --yes ${name.replaceAll('.', '\\.')} install`),
    )
  })
})
