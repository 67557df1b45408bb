import { describe, expect, test } from 'vitest'
import { packageChecks, packagesOf, stalePaths } from './workspaces.ts'

type Files = Record<string, string | object>

const reader = (files: Files) => (path: string) => {
  const value = files[path]
  return typeof value === 'object' ? JSON.stringify(value) : (value ?? null)
}
const HERE = { has: () => true, ci: new Set<string>() }

function checksOf(files: Files) {
  const names = Object.keys(files)
  return packageChecks(packagesOf(names, reader(files)), names, reader(files), HERE)
}
const test_ = { test: 'node --test' }
const pack = (name: string, uses: Record<string, string> = {}) => ({ name, scripts: test_, dependencies: uses })
const SHOP: Files = {
  'package.json': { workspaces: ['packages/*'] },
  'packages/api/package.json': pack('@shop/api', { '@shop/core': '*' }),
  'packages/core/package.json': pack('@shop/core', { '@shop/units': '*', lodash: '4' }),
  'packages/units/package.json': { name: '@shop/units', scripts: {}, peerDependencies: { '@shop/core': '*' } },
  'packages/web/package.json': pack('@shop/web'),
}

describe('packages of a workspace', () => {
  test.each<[string, Files]>([
    ['npm', { 'package.json': { workspaces: ['packages/*', '!packages/old'] } }],
    ['Yarn 1', { 'package.json': { workspaces: { packages: ['./packages/*/', '!packages/old'] } }, 'yarn.lock': '' }],
    ['pnpm', { 'package.json': {}, 'pnpm-workspace.yaml': 'packages: ["packages/**", "!packages/old"]\n' }],
    ['Bun', { 'package.json': { workspaces: ['packages/a'] }, 'bun.lock': '' }],
  ])('are those that %s lists', (_, root) => {
    const files = {
      ...root,
      'packages/a/package.json': pack('a'),
      'packages/old/package.json': pack('old'),
      'x/package.json': pack('x'),
    }
    expect(packagesOf(Object.keys(files), reader(files))).toMatchObject({ folders: ['packages/a'], shared: true })
  })

  test.each(['a\nb', ' lead', 'x'.repeat(1001)])(
    'whose folder muster.yaml cannot hold are left out with a note: %j',
    (odd) => {
      const files = { ...SHOP, [`packages/${odd}/package.json`]: pack('odd'), [`${odd}/package.json`]: pack('odder') }
      const { folders, notes } = packagesOf(
        Object.keys(files),
        reader({ ...files, 'package.json': { workspaces: ['*', 'packages/*'] } }),
      )
      expect(folders.filter((folder) => folder === odd || folder.includes('\n') || folder.length > 1000)).toEqual([])
      expect(notes.join()).toMatch(/^\d packages? w\w+ left out: muster\.yaml cannot hold such a folder name$/)
    },
  )

  test('each with a test script has a check in its folder, by the manager of the root', () => {
    expect(checksOf({ ...SHOP, 'pnpm-lock.yaml': '' }).map(({ name, run, cwd }) => [name, run, cwd])).toEqual([
      ['unit-test-api', 'pnpm test', 'packages/api'],
      ['unit-test-core', 'pnpm test', 'packages/core'],
      ['unit-test-web', 'pnpm test', 'packages/web'],
    ])
  })

  test('what they use concerns them too, however far, and whatever lies in no package', () => {
    const files = { ...SHOP, 'packages/shared/x.json': '', 'packages/tsconfig.json': '' }
    const paths = Object.fromEntries(checksOf(files).map((check) => [check.name, check.paths.slice(2)]))
    expect(checksOf(files)[0]?.paths.slice(0, 2)).toEqual(['**', '!packages/*/**'])
    expect(paths).toEqual({
      'unit-test-api': ['packages/api/**', 'packages/core/**', 'packages/units/**', 'packages/shared/**'],
      'unit-test-core': ['packages/core/**', 'packages/units/**', 'packages/shared/**'],
      'unit-test-web': ['packages/web/**', 'packages/shared/**'],
    })
  })

  test('two of one name are told apart, and strange folders are no globs', () => {
    const files = {
      'package.json': { workspaces: ['apps/*', 'packages/*'] },
      'apps/web/package.json': pack('a'),
      'packages/web/package.json': pack('b'),
      'packages/(Web)/package.json': pack('c'),
    }
    const checks = checksOf(files)
    expect(checks.map(({ name }) => name)).toEqual([
      'unit-test-web',
      'unit-test-packages-web',
      'unit-test-packages-web-2',
    ])
    expect(checks.find(({ cwd }) => cwd === 'packages/(Web)')?.paths).toContain('packages/\\(Web\\)/**')
  })

  test('globs that would take for ever, and a file that is no YAML, name nothing', () => {
    const globs = {
      'package.json': { workspaces: ['*a*a*a*a*a*a*a*a*a*a*b'] },
      [`${'a'.repeat(500)}/package.json`]: pack('a'),
    }
    expect(packagesOf(Object.keys(globs), reader(globs)).folders).toEqual([])
    const broken = { 'package.json': {}, 'pnpm-workspace.yaml': 'packages: [' }
    expect(packagesOf(Object.keys(broken), reader(broken)).notes[0]).toMatch(/^its packages were not read: pnpm-w/)
  })
})

describe('a repository with nothing at its top', () => {
  test('has the projects of its folders, whatever they are written in, but no examples', () => {
    const files = {
      'README.md': '',
      'frontend/package.json': pack('f'),
      'frontend/plugins/x/package.json': pack('x'),
      'services/api/go.mod': '',
      'examples/a/package.json': pack('e'),
      'docs/package.json': pack('d'),
    }
    expect(checksOf(files)).toEqual([
      { name: 'unit-test-frontend', run: 'npm test', cwd: 'frontend', paths: ['**', '!services/*/**'] },
      {
        name: 'unit-test-api',
        run: 'go test ./...',
        cwd: 'services/api',
        paths: ['**', '!frontend/**', '!services/*/**', 'services/api/**'],
      },
    ])
  })
})

test('a project in a folder that names something beside it is concerned by every change', () => {
  const files = {
    'api/go.mod': 'module a\nreplace b => ../core\n',
    'core/go.mod': '',
    'web/package.json': pack('w'),
  }
  expect(checksOf(files).map(({ paths }) => paths)).toEqual([
    ['**'],
    ['**', '!api/**', '!web/**'],
    ['**', '!api/**', '!core/**'],
  ])
})

describe('checks whose packages have changed since', () => {
  const check = { run: 'npm test', report: null, exclusive: null, env: [], timeoutMs: 1, network: true }
  const written = (files: Files) =>
    Object.fromEntries(checksOf(files).map(({ name, cwd, paths }) => [name, { ...check, cwd, paths }]))
  const stale = (checks: ReturnType<typeof written>, files: Files, checksOff: string[] = []) =>
    stalePaths({ checks, checksOff }, Object.keys(files), reader(files))

  test('are told what a package uses now, and which has none', () => {
    expect(stale(written(SHOP), SHOP)).toEqual([])
    const now = { ...SHOP, 'packages/web/package.json': pack('@shop/web', { '@shop/api': '*' }) }
    expect(stale(written(SHOP), now)).toEqual([
      'unit-test-web does not run for changes in packages/api/**, packages/core/**, packages/units/**, which packages/web uses: add that to its paths',
    ])
    const more = { ...SHOP, 'packages/new/package.json': pack('new') }
    expect(stale(written(SHOP), more)).toEqual([
      'no check runs the tests of packages/new: add one, like for the other packages',
    ])
    expect(stale(written(SHOP), more, ['unit-test-new'])).toEqual([])
  })

  test('a list of somebody’s own is left alone, and so is a project without any', () => {
    const { 'unit-test-web': web, ...others } = written(SHOP)
    const own = { ...check, cwd: 'packages/web', paths: ['packages/web/**', 'docs/**'] }
    expect(web).toBeDefined()
    expect(stale({ ...others, 'unit-test-web': own }, SHOP)).toEqual([])
    expect(stale({}, SHOP)).toEqual([])
  })
})
