import { expect, test } from 'vitest'
import { concerns, pathsWithoutFile, untouchedWords } from './concern.ts'

const API = ['**', '!packages/*/**', 'packages/api/**', 'packages/core/**']

test.each([
  ['its own folder', API, ['packages/api/src/a.js'], true],
  ['a hidden file of it', API, ['packages/api/.env.test'], true],
  ['a package that it uses', API, ['packages/core/index.js'], true],
  ['another package', API, ['packages/web/a.js', 'packages/web/deep/b.js'], false],
  ['another package and a root file', API, ['packages/web/a.js', 'package-lock.json'], true],
  ['what lies beside the packages', API, ['packages/tsconfig.json'], true],
  ['a folder outside of them', API, ['.github/workflows/ci.yml'], true],
  ['a folder by its name', ['docs'], ['docs/deep/a.md'], true],
  ['a file of a like name', ['docs'], ['docs.md', 'other/docs/a'], false],
  ['what the last path takes out again', ['src/**', '!**/*.md'], ['src/a.md'], false],
  ['names with line breaks', ['src/**'], ['src/a\nb.js'], true],
  ['names with other line breaks, anywhere', ['**'], ['x\u2028y/c.js'], true],
  ['a folder whose name a pattern for files fits', ['src/**', '!src/**/*.md'], ['src/notes.md/evil.js'], true],
  ['a submodule in which its files lie', ['sub/src/**'], ['sub'], true],
  ['nothing', API, [], false],
])('a change concerns a check by the last path that fits: %s', (_, paths, changed, expected) => {
  expect(concerns(paths, changed)).toBe(expected)
})

test('what is told names the paths, and no endless list of them', () => {
  expect(untouchedWords(['docs/**'])).toBe('not run: the change does not touch its paths (docs/**)')
  expect(untouchedWords(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toContain('(a, b, c, d, e and 2 more)')
})

test('paths that fit no file are found; what takes files out needs to fit none', () => {
  const files = ['docs/a.md', 'src/b.js', 'lib']
  expect(pathsWithoutFile(['docs/**', 'doc/**', 'src', '!old/**', 'lib/deep/**', '*.py'], files)).toEqual([
    'doc/**',
    '*.py',
  ])
})
