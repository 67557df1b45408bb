import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileRule, Rules } from '../domain/contract/rules.ts'
import { DEFAULT_RULES } from '../domain/contract/rules.ts'
import { ruleBook } from './rules.ts'

const bookOf = (patterns: Record<string, FileRule>, rest: Partial<Rules> = {}) =>
  ruleBook({
    ...DEFAULT_RULES,
    defaults: {},
    ...rest,
    patterns: Object.entries(patterns).map(([glob, rule]) => ({ glob, rule })),
  })

describe('globs (E-10)', () => {
  test('fit in the root, in folders and hidden ones', () => {
    const book = bookOf({ '**/*.tsx': { unit: true } })
    for (const path of ['a.tsx', 'src/a.tsx', '.storybook/a.tsx']) expect(book.ofFile(path).unit).toBe(true)
    expect(book.ofFile('a.ts').unit).toBe(false)
  })

  test('the most specific one wins, field by field', () => {
    const book = bookOf({
      '**/*.ts': { unit: true, e2e: 'deferred', critics: ['style'] },
      '**/auth/**': { critics: ['security'] },
      'src/auth/types.ts': { unit: false },
    })
    expect(book.ofFile('src/auth/login.ts')).toEqual({ unit: true, e2e: 'deferred', critics: ['security'] })
    expect(book.ofFile('src/auth/types.ts')).toEqual({ unit: false, e2e: 'deferred', critics: ['security'] })
  })

  test('whole names count before letters', () => {
    const book = bookOf({ '**/api/**': { critics: ['api'] }, '**/*controller.ts': { critics: ['style'] } })
    expect(book.ofFile('src/api/user-controller.ts').critics).toEqual(['api'])
  })

  test('equally specific ones add up', () => {
    const book = bookOf({
      '**/auth/**': { e2e: 'skip', critics: ['security'] },
      '**/json/**': { unit: true, e2e: 'deferred', critics: ['api', 'security'] },
    })
    expect(book.ofFile('auth/json/x.ts')).toEqual({ unit: true, e2e: 'deferred', critics: ['security', 'api'] })
  })

  test('skip never cancels immediate', () => {
    const book = bookOf({ '**/auth/**': { e2e: 'immediate' }, 'src/auth/**/*.md': { e2e: 'skip' } })
    expect(book.ofFile('src/auth/README.md').e2e).toBe('immediate')
  })

  test('skip is no timing, and missing critics are none', () => {
    expect(bookOf({ '**': { e2e: 'skip' } }).ofFile('a')).toEqual({ unit: false, e2e: 'skip', critics: [] })
  })

  test('defaults are for files that no pattern fits', () => {
    const book = bookOf({ '**/*.md': {} }, { defaults: { unit: true, e2e: 'deferred' } })
    expect(book.ofFile('a.go')).toEqual({ unit: true, e2e: 'deferred', critics: [] })
    expect(book.ofFile('a.md')).toEqual({ unit: false, e2e: 'skip', critics: [] })
  })
})

test('wide rules look at a change as a whole', () => {
  const wide = [
    { foldersMin: 3, critics: ['oddball'] },
    { touches: ['**/shared/**'], critics: ['api'] },
  ]
  const book = bookOf({}, { wide })
  expect(book.criticsOf(['a/x', 'b/x'])).toEqual([])
  expect(book.criticsOf(['a/x', 'b/x', 'x'])).toEqual(['oddball'])
  expect(book.criticsOf(['shared/x'])).toEqual(['api'])
})

describe('the built-in rules', () => {
  test.each([
    ['src/components/Toggle.tsx', true, 'immediate'],
    ['src/pages/settings.ts', true, 'immediate'],
    ['src/session.ts', true, 'skip'],
    ['src/session.test.ts', false, 'skip'],
    ['vitest.config.ts', false, 'skip'],
    ['README.md', false, 'skip'],
  ] as const)('%s', (path, unit, e2e) => {
    expect(ruleBook(DEFAULT_RULES).ofFile(path)).toEqual({ unit, e2e, critics: [] })
  })

  test('have an answer for any path', () => {
    const book = ruleBook(DEFAULT_RULES)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (path) => {
        expect(book.ofFile(path).critics).toEqual([])
      }),
    )
  })
})
