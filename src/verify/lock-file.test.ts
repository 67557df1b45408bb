import { describe, expect, test } from 'vitest'
import { isLockFile, swapped } from './lock-file.ts'

const npm = (packages: Record<string, object>) => JSON.stringify({ lockfileVersion: 3, packages })
const VITEST = { version: '3.0.0', integrity: 'sha512-a', dependencies: { chai: '^5' } }
const CHAI = { version: '5.0.0', integrity: 'sha512-c' }
const BASE = {
  '': { name: 'project' },
  'node_modules/vitest': VITEST,
  'node_modules/chai': CHAI,
  'node_modules/left-pad': { version: '1.0.0', integrity: 'sha512-l' },
}

test.each([
  'package-lock.json',
  'packages/a/npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'uv.lock',
  'poetry.lock',
  'requirements-dev.txt',
])('%s is a lock file', (path) => {
  expect(isLockFile(path)).toBe(true)
  expect(isLockFile(`${path}.md`)).toBe(false)
})

describe('E-19 what swaps a runner', () => {
  const lock = (change: object) => npm({ ...BASE, ...change })
  test.each([
    ['its version', { 'node_modules/vitest': { ...VITEST, version: '3.0.1' } }, ['vitest']],
    ['where it comes from', { 'node_modules/vitest': { ...VITEST, resolved: 'file:../mine.tgz' } }, ['vitest']],
    ['what it must be', { 'node_modules/vitest': { ...VITEST, integrity: 'sha512-x' } }, ['vitest']],
    ['a link in its place', { 'node_modules/vitest': { resolved: 'mine', link: true } }, ['chai', 'vitest']],
    ['what it depends on', { 'node_modules/chai': { ...CHAI, version: '5.0.1' } }, ['chai']],
    ['another one deeper', { 'node_modules/vitest/node_modules/chai': { version: '4.0.0' } }, ['chai']],
    ['one that was not there', { 'node_modules/eslint': { version: '9.0.0' } }, ['eslint']],
  ])('%s', (_, change, names) => {
    expect(swapped('package-lock.json', lock({}), lock(change))).toEqual(names)
  })

  test('nothing else does: other packages come, go and change', () => {
    const more = { 'node_modules/left-pad': { version: '2.0.0' }, 'node_modules/is-odd': { version: '1.0.0' } }
    expect(swapped('package-lock.json', lock({}), lock(more))).toEqual([])
  })

  test('in the first format of npm, in which packages are inside one another', () => {
    const old = (chai: string) =>
      JSON.stringify({
        dependencies: {
          jest: { version: '1', requires: { chai: '5' }, dependencies: { chai: { version: chai } } },
          other: { version: chai },
        },
      })
    expect(swapped('package-lock.json', old('5.0.0'), old('5.0.1'))).toEqual(['chai'])
  })

  const YARN = (tinypool: string, pad: string) =>
    `# yarn lockfile v1\n\n"vitest@^3.0.0", vitest@^3.1.0:\n  version "3.1.0"\n  dependencies:\n    tinypool "^1"\n\ntinypool@^1:\n  version "${tinypool}"\n\nleft-pad@^1:\n  version "${pad}"\n`
  const PNPM = (used: string, pad: string) =>
    `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      vitest:\n        specifier: ^3\n        version: ${used}\n      left-pad:\n        specifier: ^1\n        version: ${pad}\n\npackages:\n\n  vitest@3.0.0:\n    resolution: {integrity: sha512-a}\n\n  vitest@3.1.0:\n    resolution: {integrity: sha512-b}\n\n  left-pad@${pad}:\n    resolution: {integrity: sha512-l}\n`
  const UV = (pluggy: string, pad: string) =>
    `version = 1\n\n[[package]]\nname = "pytest"\nversion = "8.0.0"\ndependencies = [\n    { name = "iniconfig" },\n]\n\n[[package]]\nname = "iniconfig"\nversion = "${pluggy}"\n\n[[package]]\nname = "requests"\nversion = "${pad}"\n`
  const PIP = (tool: string, pad: string) => `pytest==${tool}\nrequests[socks]==${pad}\n# a note\n`
  test.each([
    ['yarn.lock', YARN, ['tinypool']],
    ['pnpm-lock.yaml', PNPM, ['vitest']],
    ['uv.lock', UV, ['iniconfig']],
    ['requirements.txt', PIP, ['pytest']],
  ])('%s', (path, text, names) => {
    expect(swapped(path, text('3.0.0', '1.0.0'), text('3.1.0', '1.0.0'))).toEqual(names)
    expect(swapped(path, text('3.0.0', '1.0.0'), text('3.0.0', '1.0.1'))).toEqual([])
  })

  test('what a library brings for itself alone is not the runner’s', () => {
    const nested = {
      'node_modules/lib': { version: '1.0.0' },
      'node_modules/lib/node_modules/chai': { version: '4.0.0' },
    }
    expect(swapped('package-lock.json', lock({}), lock(nested))).toEqual([])
  })

  const POETRY = (iniconfig: string, source = '') =>
    `[[package]]\nname = "pytest"\nversion = "8.0.0"\ndescription = "simple requests for tests"\n\n[package.dependencies]\niniconfig = "*"\n${source}\n[[package]]\nname = "iniconfig"\nversion = "${iniconfig}"\n\n[[package]]\nname = "requests"\nversion = "${iniconfig}"\n`
  test.each([
    ['a dependency in a table of its own', 'poetry.lock', POETRY('1'), POETRY('2'), ['iniconfig']],
    ['a source', 'poetry.lock', POETRY('1'), POETRY('1', '\n[package.source]\nurl = "https://x"\n'), ['pytest']],
    [
      'another index',
      'requirements.txt',
      'pytest==8\n',
      'pytest==8\n--index-url https://x\n',
      ['where packages come from'],
    ],
    [
      'a hash on the next line',
      'requirements.txt',
      'pytest==8 \\\n --hash=a\n',
      'pytest==8 \\\n --hash=b\n',
      ['pytest'],
    ],
    ['a name in other letters', 'requirements.txt', 'Pytest_Cov==1\n', 'Pytest_Cov==2\n', ['pytest-cov']],
    [
      'no blank line between',
      'yarn.lock',
      'a@^1:\n  version "1"\nvitest@^3:\n  version "3"\n',
      'a@^1:\n  version "1"\nvitest@^3:\n  version "4"\n',
      ['vitest'],
    ],
    [
      'other quotes',
      'uv.lock',
      "[[package]]\nname='pytest'\nversion='1'\n",
      "[[package]]\nname='pytest'\nversion='2'\n",
      ['pytest'],
    ],
    [
      'an override',
      'pnpm-lock.yaml',
      'lockfileVersion: 9\n',
      'lockfileVersion: 9\noverrides:\n  vitest: npm:evil@1\n',
      ['vitest', 'where packages come from'],
    ],
    [
      'the first package of all',
      'bun.lock',
      '{"packages":{"vitest":["vitest@1",{},"sha-a"],}}',
      '{"packages":{"vitest":["vitest@1",{},"sha-b"],}}',
      ['vitest'],
    ],
    [
      'another index',
      'Pipfile.lock',
      '{"_meta":{"sources":[]}}',
      '{"_meta":{"sources":["x"]}}',
      ['where packages come from'],
    ],
  ])('%s in %s', (_, path, before, after, names) => {
    expect(swapped(path, before, after)).toEqual(names)
  })

  test.each([
    [
      'a wider range for the same',
      'yarn.lock',
      'vitest@^3:\n  version "3"\n',
      'vitest@^3, vitest@^3.1:\n  version "3"\n',
    ],
    ['other ends of lines', 'yarn.lock', 'vitest@^3:\n  version "3"\n', 'vitest@^3:\r\n  version "3"\r\n'],
    ['a comment', 'requirements.txt', 'pytest==8\n', '# why\npytest==8 # pinned\n'],
    ['nothing but lines', 'yarn.lock', '\n'.repeat(200_000), `${' '.repeat(100_000)}${': {'.repeat(50_000)}`],
  ])('%s in %s swaps nothing', (_, path, before, after) => {
    expect(swapped(path, before, after)).toEqual([])
  })

  test('what nobody can read', () => {
    expect(swapped('package-lock.json', npm(BASE), '{ "packages": ')).toEqual(['it cannot be read'])
    expect(swapped('package-lock.json', '', npm({}))).toEqual([])
  })
})
