import { describe, expect, test } from 'vitest'
import type { RoleConfig } from '../domain/config.ts'
import type { Duty } from '../domain/role.ts'
import { judgesFiles, protectedPaths } from './protected.ts'

type Files = Record<string, string>

function touched(
  before: Files,
  after: Files,
  judging: { files?: string[]; scripts?: string[]; loose?: boolean; listed?: string[] } = {},
) {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  )
  const { files = [], scripts = [], loose = false, listed = [] } = judging
  return protectedPaths(
    { read: async (path) => before[path] ?? null, files: async () => Object.keys(before) },
    async (path) => after[path] ?? null,
    changed,
    { files: new Set(files), scripts: new Set(scripts), loose, listed },
  )
}

describe('a change needs a person (E-19) if it touches', () => {
  test.each([
    'muster.yaml',
    'packages/a/muster.yaml',
    '.muster/agents/checker.md',
    '.claude/agents/validator.md',
    'packages/a/.muster/agents/checker.md',
    'vitest.config.ts',
    'packages/a/vitest.workspace.js',
    'jest.config.cjs',
    'test/jest.setup.ts',
    'src/setupTests.ts',
    '.mocharc.json',
    'tsconfig.build.json',
    'eslint.config.js',
    '.npmrc',
    'tests/conftest.py',
    'pytest.toml',
    'sitecustomize.py',
    'pytest.py',
    'node_modules/.bin/vitest',
    '.cargo/config.toml',
    'vitest.projects.ts',
    'pluggy.py',
    'unittest/__init__.py',
    'noxfile.py',
    'spec/support/jasmine.mjs',
    'phpunit.dist.xml',
    '.pnp.cjs',
    '.yarn/releases/yarn-4.0.0.cjs',
  ])('%s', async (path) => {
    expect(await touched({}, { [path]: 'x', 'src/a.ts': '' })).toEqual([path])
  })

  test('a lock file in which a runner, or what it uses, resolves differently, and says which', async () => {
    const lock = (vitest: string, other: string) => ({
      'package-lock.json': JSON.stringify({
        packages: { 'node_modules/vitest': { version: vitest }, 'node_modules/left-pad': { version: other } },
      }),
    })
    expect(await touched(lock('1', '1'), lock('2', '1'))).toEqual(['package-lock.json (vitest)'])
    expect(await touched(lock('1', '1'), lock('1', '2'))).toEqual([])
    const unread = { read: async () => null, files: async () => [] }
    const judging = { files: new Set<string>(), scripts: new Set<string>(), loose: false, listed: [] }
    expect(await protectedPaths(unread, async () => null, ['yarn.lock'], judging)).toEqual([
      'yarn.lock (it cannot be read)',
    ])
  })

  test('what a command that judges runs, and what the project lists', async () => {
    const judging = { files: ['check.sh'], listed: ['ci/**'] }
    expect(await touched({}, { 'check.sh': '', 'ci/x': '', 'src/ci/y': '' }, judging)).toEqual(['check.sh', 'ci/x'])
    expect(await touched({}, { 'ci/a\nb': '', 'a\u2028b/vitest.config.ts': '' }, judging)).toHaveLength(2)
  })

  test('a package’s scripts that judge, its runner’s settings and the runner itself', async () => {
    const json = (value: object) => ({ 'package.json': JSON.stringify(value) })
    const scripts = ['package.json test']
    const base = json({ scripts: { test: 'jest', dev: 'a' } })
    expect(await touched(base, json({ scripts: { test: 'true', dev: 'a' } }), { scripts })).toEqual(['package.json'])
    expect(await touched(base, json({ scripts: { test: 'jest', dev: 'b' } }), { scripts })).toEqual([])
    expect(await touched(base, json({ scripts: { test: 'jest', dev: 'b' } }), { loose: true })).toEqual([
      'package.json',
    ])
    expect(await touched(base, json({ scripts: { test: 'jest', dev: 'a' }, jest: { bail: 1 } }))).toEqual([
      'package.json',
    ])
    const fake = { scripts: { test: 'jest', dev: 'a' }, devDependencies: { jest: 'file:fake' } }
    expect(await touched(base, json(fake))).toEqual(['package.json'])
    expect(await touched(base, { 'package.json': '{' })).toEqual(['package.json'])
    const harmless = { scripts: { test: 'jest', dev: 'a' }, version: '2', dependencies: { left: '1' } }
    expect(await touched(base, json(harmless), { scripts })).toEqual([])
  })

  test.each(['jest', 'mocha', 'ava', 'tap', 'babel', 'eslintConfig', 'prettier', 'c8', 'nyc'])(
    'the settings of %s in a package',
    async (name) => {
      const json = (value: object) => ({ 'package.json': JSON.stringify(value) })
      expect(await touched(json({ [name]: { a: 1 } }), json({ [name]: { a: 2 } }))).toEqual(['package.json'])
    },
  )

  test('a setup file that the runner’s configuration names', async () => {
    const before = {
      'web/vitest.config.ts': `export default { test: { setupFiles: ['./test/prepare.ts', './test/more'] } }`,
      'package.json': '{ "jest": { "setupFiles": ["<rootDir>/jest/before.js"] } }',
    }
    const after = {
      ...before,
      'web/test/prepare.ts': '',
      'web/test/more.ts': '',
      'jest/before.js': '',
      'test/prepare.ts': '',
    }
    expect(await touched(before, after)).toEqual(['web/test/prepare.ts', 'web/test/more.ts', 'jest/before.js'])
  })

  test.each([
    ['.mocharc.yml', 'spec: test/*.js\nrequire:\n  - ./test/hooks.js\n  - chai/register\n', 'test/hooks.js'],
    ['.mocharc.yml', 'require: ./test/hooks.js\n', 'test/hooks.js'],
    ['.mocharc.json', '{ "require": "./test/hooks" }', 'test/hooks.js'],
    ['package.json', '{ "ava": { "require": ["./test/hooks.js"] } }', 'test/hooks.js'],
    ['jest.config.js', "module.exports = { testEnvironment: './env/dom.js' }", 'env/dom.js'],
    ['vitest.config.ts', "import { shared } from './build/shared'\nexport default shared", 'build/shared.ts'],
    ['tsconfig.json', '{ "extends": "./config/base.json", "files": ["src/a.ts"] }', 'config/base.json'],
    ['.babelrc', '{ "plugins": [["./build/plugin", {}]] }', 'build/plugin.js'],
  ])('what %s has run: %s', async (config, text, path) => {
    const before = { [config]: text }
    expect(await touched(before, { ...before, [path]: 'x' })).toEqual([path])
  })

  test('the tool tables of pyproject.toml, and nothing else there', async () => {
    const before = { 'pyproject.toml': '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n' }
    const edit = (from: string, to: string) => ({ 'pyproject.toml': before['pyproject.toml'].replace(from, to) })
    expect(await touched(before, edit('"a"', '"b"'))).toEqual([])
    expect(await touched(before, edit('-q', '-k nothing'))).toEqual(['pyproject.toml'])
  })
})

test('sources, tests, lock files without runners and documents need nobody', async () => {
  const files = [
    'src/a.ts',
    'src/a.test.ts',
    'test/setup-of-things.ts',
    'package-lock.json',
    'README.md',
    'src/pytest/a.py',
  ]
  expect(await touched({}, Object.fromEntries(files.map((path) => [path, '{}'])))).toEqual([])
})

describe('a package’s own sources need nobody, whoever names them', () => {
  const entry = { name: 'a', main: 'index.js', types: './index.d.ts', files: ['index.js', 'index.d.ts', 'lib.js'] }
  test.each([
    ['as its entry points', { 'package.json': JSON.stringify(entry) }, ['index.js', 'index.d.ts', 'lib.js']],
    [
      'as what it exports, and a linter checks itself with',
      {
        'package.json': JSON.stringify({ exports: { '.': { import: './lib/plugin.js' } } }),
        'eslint.config.js': "import own from './lib/plugin.js'\nexport default [own]",
      },
      ['lib/plugin.js'],
    ],
    [
      'as what is compiled, covered or found by another name',
      {
        'tsconfig.json': '{ "files": ["source/a.ts"], "compilerOptions": { "paths": { "a": ["./source/b.ts"] } } }',
        'vitest.config.ts': "export default { resolve: { alias: { a: './source/a.ts' } }, coverage: ['source/b.ts'] }",
        'jest.config.js': "module.exports = { moduleNameMapper: { '^a$': '<rootDir>/source/a.ts' } }",
      },
      ['source/a.ts', 'source/b.ts'],
    ],
  ])('%s', async (_, before: Files, sources) => {
    expect(await touched(before, { ...before, ...Object.fromEntries(sources.map((path) => [path, 'x'])) })).toEqual([])
  })
})

test('E-19 scripts of commands that judge count, those of authors do not', async () => {
  const files: Files = { 'judges/checker.sh': 'sh judges/look.sh\n', 'agent.sh': '', 'judges/look.sh': '' }
  const command = (does: Duty, run: string): RoleConfig => {
    return { does, runtime: 'command', run, verdict: 'file', env: [], timeoutMs: 1, network: true, checks: [] }
  }
  const agents = {
    implementer: command('work', './agent.sh'),
    checker: command('judge', './judges/checker.sh --strict'),
    'security-auditor': command('judge', '/usr/local/bin/audit'),
  }
  const trusted = {
    read: async (path: string) => files[path] ?? null,
    files: async () => Object.keys(files),
    own: async () => null,
    changed: () => true,
  }
  expect(await judgesFiles({ agents }, trusted)).toEqual(['judges/checker.sh', 'judges/look.sh'])
})
