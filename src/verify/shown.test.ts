import { describe, expect, test } from 'vitest'
import type { Contract } from '../domain/contract/contract.ts'
import { notShown } from './shown.ts'
import type { TestCase } from '../domain/verdict/test-report.ts'

const TOGGLE = 'exports.toggle = (on) => !on\n'
const expected: Contract['files'] = [{ path: 'src/toggle.js', from: 'expected' }]
const NOT = 'not shown by any test: no passed test names or uses src/toggle.js'

interface Asked {
  /** The tree; `src/toggle.js` is in it. */
  tree?: Record<string, string>
  tests?: TestCase[] | null
  pattern?: string
  files?: Contract['files']
  from?: Contract['generatedFrom']
  changed?: string[]
  cwd?: string
  covered?: string[]
}

function asked({
  tree = {},
  pattern = 'toggle',
  files = expected,
  from = 'auto',
  changed = [],
  cwd = '',
  covered = [],
  ...of
}: Asked) {
  const texts: Record<string, string> = { 'src/toggle.js': TOGGLE, ...tree }
  const tests =
    of.tests === undefined
      ? Object.keys(tree)
          .filter((path) => /test|spec/i.test(path))
          .map(passed)
      : of.tests
  return notShown(
    { pattern },
    { files, generatedFrom: from },
    changed,
    { tests, cwd, covered },
    {
      files: async () => Object.keys(texts),
      read: async (path) => texts[path] ?? null,
    },
  )
}

const passed = (file: string): TestCase => ({ name: `${file} > works`, file, status: 'passed' })

describe('H-3, S3.9 a criterion that names a file is met by tests that have to do with it', () => {
  test.each([
    ['a test of its name', { 'test/toggle.test.js': '' }],
    ['in Python’s way', { 'tests/test_toggle.py': '' }],
    ['in Ruby’s way', { 'spec/toggle_spec.rb': '' }],
    ['in Java’s way', { 'src/test/ToggleTest.java': '' }],
    ['a folder of tests', { 'src/__tests__/toggle.js': '' }],
    ['a test that imports it', { 'test/a.test.js': "import { toggle } from '../src/toggle.js'" }],
    ['a test that imports it by an alias', { 'test/a.test.js': "import t from '@/toggle'" }],
    ['a test that says its name', { 'test/a.test.js': "test('the toggle', () => {})" }],
    [
      'a test that uses it through an index',
      { 'test/a.test.js': "import { on } from '../src/index.js'", 'src/index.js': "export * from './toggle.js'" },
    ],
    [
      'a test that starts a program which uses it',
      { 'test/e2e.test.js': "spawn('node', ['bin/cli.js'])", 'bin/cli.js': "import { main } from '../src/toggle.js'" },
    ],
    [
      'through a helper of the tests',
      { 'test/a.test.js': "require('./support/world')", 'test/support/world.js': "require('../../src/toggle')" },
    ],
  ])('%s', async (_, tree) => {
    expect(await asked({ tree })).toBeNull()
  })

  test('what a coverage report says was executed, by tests that passed, whether or not one names it', async () => {
    const tree = { 'test/a.test.js': '' }
    expect(await asked({ tree, covered: ['src/toggle.js'] })).toBeNull()
    expect(await asked({ tests: null, covered: ['src/toggle.js'] })).toMatchObject({ fails: false })
    expect(await asked({ tree, files: [], covered: ['lib/toggle.js'] })).toBeNull()
    expect(await asked({ tree, covered: ['src/other.js'] })).toMatchObject({ fails: true, words: NOT })
  })

  test('a package of Python whose tests import its name', async () => {
    const files = [{ path: 'src/itsdone/_coding.py', from: 'expected' }] as const
    const tree = {
      'src/itsdone/_coding.py': 'def decode(): pass\n',
      'src/itsdone/__init__.py': 'from ._coding import decode as decode\n',
      'tests/test_all.py': 'from itsdone import decode\n',
    }
    expect(await asked({ tree, files, pattern: '_coding' })).toBeNull()
    const others = { ...tree, 'src/itsdone/__init__.py': '' }
    expect(await asked({ tree: others, files, pattern: '_coding' })).toMatchObject({ fails: true })
  })

  test.each([
    ['tests of other files', { 'test/sum.test.js': "import '../src/sum.js'", 'src/sum.js': '' }],
    ['a test of a file with a longer name', { 'test/toggle-group.test.js': "import '../src/toggle-group.js'" }],
    [
      'a file that a test uses and that only speaks of it',
      { 'a.test.js': "require('./b')", 'b.js': '// as the toggle' },
    ],
    ['no test at all', {}],
  ])('and not by %s: for a file that the task lists that is the author’s', async (_, tree) => {
    expect(await asked({ tree })).toEqual({ file: 'src/toggle.js', fails: true, words: NOT })
  })

  test('nor by tests of it that were skipped, or failed and are excused', async () => {
    for (const status of ['skipped', 'failed'] as const) {
      const tests = [{ name: 'test/toggle.test.js > x', file: 'test/toggle.test.js', status }]
      expect(await asked({ tree: { 'test/toggle.test.js': '' }, tests })).toMatchObject({ fails: true })
    }
  })

  test('for a predicted file, and for one that the work brought, it is a warning', async () => {
    const files = [{ path: 'src/toggle.js', from: 'predicted' }] as const
    expect(await asked({ files })).toEqual({ file: 'src/toggle.js', fails: false, words: NOT })
    expect(await asked({ files: [], changed: ['src/toggle.js'] })).toMatchObject({ fails: false, words: NOT })
  })

  test('a pattern that a person wrote is asked for, whatever it is about', async () => {
    const of = { files: [], from: 'user', pattern: 'session expiry' } as const
    expect(await asked(of)).toMatchObject({
      file: null,
      fails: true,
      words: expect.stringContaining('"session expiry"'),
    })
    expect(await asked({ ...of, tree: { 'a.test.js': "test('session expiry')" } })).toBeNull()
    // On the work of a whole story nothing tells whose file it was: each task was asked.
    expect(await asked({ ...of, from: 'auto' })).toMatchObject({ fails: false })
  })

  test.each([
    ['without a report', null, 'the command writes no report'],
    [
      'with a report that names no files',
      [{ name: 'works', status: 'passed' }] as TestCase[],
      'the report does not name the files of the tests',
    ],
  ])('%s it cannot be told, and that is said', async (_, tests, why) => {
    const words = `Muster cannot tell whether a test ran for src/toggle.js: ${why}`
    expect(await asked({ tests })).toEqual({ file: 'src/toggle.js', fails: false, words })
  })

  test('a report that names no files may name it itself', async () => {
    const tests: TestCase[] = [{ name: 'com.shop.ToggleTest > turns on', status: 'passed' }]
    expect(await asked({ tests })).toBeNull()
  })

  test('a project too large to be read through cannot be told', async () => {
    const many = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`test/n${i}.test.js`, '']))
    expect(await asked({ tree: many })).toMatchObject({
      fails: false,
      words: expect.stringContaining('cannot tell whether'),
    })
    expect(await asked({ tree: { ...many, 'test/toggle.test.js': '' } })).toBeNull()
  })

  test('paths of a report are from where the command ran', async () => {
    const tree = { 'pkg/test/it.test.js': "require('../../src/toggle')" }
    expect(await asked({ tree, tests: [passed('test/it.test.js')], cwd: 'pkg' })).toBeNull()
  })

  test('whatever a file holds, it takes no long', async () => {
    const large = 250_000
    const tree = {
      'test_a.py': '\n'.repeat(large) + 'from ' + ' '.repeat(large),
      'b.test.js': `'`.repeat(large) + '/*'.repeat(1000),
      'src/shape.ts': '/*'.repeat(large),
    }
    const began = performance.now()
    expect(await asked({ tree, files: [{ path: 'src/shape.ts', from: 'expected' }], pattern: 'shape' })).toMatchObject({
      fails: true,
    })
    expect(performance.now() - began).toBeLessThan(5000)
  })

  test('imports in a circle end', async () => {
    const tree = { 'a.test.js': "require('./b')", 'b.js': "require('./c')", 'c.js': "require('./b')" }
    expect(await asked({ tree })).toMatchObject({ fails: true })
  })
})

describe('H-3 what cannot be tested is not asked for', () => {
  test.each([
    ['styles', 'src/button.css', 'a { color: red }'],
    ['prose', 'docs/guide.md', '# Guide'],
    ['data', 'src/words.json', '[]'],
    ['configuration', 'vite.config.ts', 'export default defineConfig({})'],
    ['configuration of Python', 'conftest.py', 'x = 1'],
    ['declarations', 'src/types.d.ts', 'declare const x: number'],
    [
      'types alone',
      'src/shapes.ts',
      "import type { A } from './a.ts'\n/** const */\nexport interface B extends A {\n  f: (x: A) => void\n}\nexport type C = B | 'function'[]\n".replace(
        "'function'",
        "'fn'",
      ),
    ],
  ])('%s', async (_, path, text) => {
    const pattern = path.replace(/^.*\//, '').replace(/\..*$/, '')
    expect(await asked({ tree: { [path]: text }, tests: [], files: [{ path, from: 'expected' }], pattern })).toBeNull()
  })

  test('nor is a file that is gone', async () => {
    expect(await asked({ files: [{ path: 'src/old.js', from: 'expected' }], pattern: 'old' })).toBeNull()
  })

  test('but a file with types and code is', async () => {
    const of = { tests: [], files: [{ path: 'src/shape.ts', from: 'expected' }], pattern: 'shape' } as const
    const text = 'export type A = 1\nexport const a = (): A => 1\n'
    expect(await asked({ ...of, tests: [], tree: { 'src/shape.ts': text } })).toMatchObject({ fails: true })
  })
})
