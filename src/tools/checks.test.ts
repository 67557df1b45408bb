import { describe, expect, test } from 'vitest'
import { builtInCommands, isTestCheck, partsOf } from './checks.ts'

const commands = (files: Record<string, string>, tools = {}) =>
  builtInCommands({ tools, off: [], parts: [] }, Object.keys(files), (path) => files[path] ?? null)

describe('S1.4, S1.5 a built-in check is there where the project has the tool', () => {
  test.each([
    ['nothing', {}, {}],
    ['vitest', { 'package.json': '{"devDependencies":{"vitest":"5.1.0"}}' }, { vitest: 'npx vitest run' }],
    ['pytest', { 'api/test_sum.py': '' }, { pytest: 'python3 -m pytest' }],
    [
      'a declared submodule',
      { '.gitmodules': '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ext::sh\n', 'vendor/lib': '' },
      { 'pytest-submodule': 'cd vendor/lib && python3 -m pytest' },
    ],
    ['a submodule that is declared and not there', { '.gitmodules': '[submodule "lib"]\n\tpath = lib\n' }, {}],
    ['a path that is no path', { '.gitmodules': '\tpath = lib; rm -rf x\n', 'lib; rm -rf x': '' }, {}],
  ])('%s', (_, files, expected) => {
    expect(commands(files as Record<string, string>)).toMatchObject(expected)
  })

  test('what was found out about the project comes first', () => {
    const tools = { 'unit-test': { command: 'npm test', from: 'scripts.test' } }
    expect(commands({}, tools)).toEqual({ 'unit-test': 'npm test' })
  })
})

test('a check of muster.yaml with paths guards a part; its name says whether it runs tests', () => {
  const check = { run: 'x', cwd: 'api', report: null, exclusive: null, env: [], timeoutMs: 1, network: true }
  const paths = ['api/**']
  const checks = { 'unit-test': { ...check, paths }, 'unit-test-api': { ...check, paths }, own: { ...check, paths } }
  expect(partsOf({ checks: { ...checks, listed: check } })).toEqual([
    { name: 'unit-test-api', command: 'x', cwd: 'api', tool: 'unit-test' },
    { name: 'own', command: 'x', cwd: 'api', tool: null },
  ])
  expect(['unit-test-api', 'pytest-submodule', 'unit-testing', 'own'].map(isTestCheck)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
