import { describe, expect, test } from 'vitest'
import { checkExpectedFiles, isProse } from './files.ts'

describe('prose', () => {
  test.each([
    'README.md',
    'docs/guide/start.md',
    'docs/images/flow.png',
    'runtime/doc/options.txt',
    'packages/ui/README',
    'LICENSE',
    'CHANGELOG.md',
    'web/develop/template.en.mdx',
    'tests/fixtures/README.md',
    'manual.adoc',
  ])('%s is', (path) => {
    expect(isProse(path)).toBe(true)
  })

  test.each([
    'src/main.ts',
    'docs/conf.py',
    'docs/package.json',
    'requirements.txt',
    'docs/requirements.txt',
    'CMakeLists.txt',
    'src/logo.png',
    'notes.txt',
    'test/fixtures/input.md',
    'src/prompts/checker.md',
    '.claude/agents/reviewer.md',
    '.muster/agents/checker.md',
    'AGENTS.md',
    'CODEOWNERS',
    '.md',
    'md',
    '',
  ])('"%s" is not', (path) => {
    expect(isProse(path)).toBe(false)
  })
})

describe('expected files', () => {
  test('are taken as written, without ./ and repetitions', () => {
    expect(checkExpectedFiles(['./src/a.ts', 'src//a.ts', 'src/*.tsx', '.github/ci.yml'])).toEqual([
      'src/a.ts',
      'src/*.tsx',
      '.github/ci.yml',
    ])
  })

  test.each([
    ['../secrets', 'leads outside of the project'],
    ['src/../../x', 'leads outside of the project'],
    ['/etc/passwd', 'is not relative to the project'],
    ['~/x', 'is not relative to the project'],
    ['C:/x', 'is not relative to the project'],
    ['a\\b', 'has a backslash'],
    ['a\0b', 'has control characters'],
    ['', 'is empty'],
    ['x'.repeat(1001), 'has 1001 characters'],
  ])('"%s" is refused', (path, why) => {
    expect(() => checkExpectedFiles(['src/a.ts', path])).toThrow(why)
  })
})
