import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MusterError } from '../domain/errors.ts'
import { problemsMax } from '../domain/limits.ts'
import { parseYaml, readYaml, refuse } from './yaml.ts'

function refusal(text: string): MusterError {
  try {
    parseYaml(text, 'muster.yaml')
  } catch (error) {
    if (error instanceof MusterError) return error
    throw error
  }
  throw new Error('it was not refused')
}

const valueOf = (text: string) => parseYaml(text, 'muster.yaml').value

describe('YAML that is refused, with file, line and what to do', () => {
  test.each([
    ['a tab as indentation', 'a:\n\tb: 1\n', 2, /tab/i, 'it must be valid YAML'],
    ['a bracket left open', 'a: 1\nb: [1, 2\n', 3, /flow sequence/i, 'it must be valid YAML'],
    ['a quote left open', 'a: 1\nb: "x\n', 3, /quote/i, 'it must be valid YAML'],
    ['a wrong indentation', 'a:\n  b: 1\n c: 2\n', 3, /./, 'it must be valid YAML'],
    ['an alias to nothing', 'a: *nobody\n', 1, /the alias \*nobody has no anchor/, 'write &nobody'],
    ['a list as a key', 'a: 1\n[b, c]: 2\n', 2, /a key must be text/, 'quote it'],
    ['no key at all', 'a: 1\n: 2\n', 2, /a key must be text/, 'quote it'],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 3, /the key "a" appears twice/, 'keep one of them'],
    ['a key twice, as text and as number', 'x:\n  1: a\n  "1": b\n', 3, /the key "1" appears twice/, 'keep'],
    ['a key twice in one line', 'x: { a: 1, a: 2 }\n', 1, /the key "a" appears twice/, 'keep one of them'],
    ['a second document', 'a: 1\n---\nb: 2\n', 2, /a second document starts here/, 'one document per file'],
  ])('%s', (_, text, line, message, hint) => {
    const error = refusal(text)
    expect(error.code).toBe('config')
    expect(error.message).toMatch(new RegExp(`^muster\\.yaml:${line}: `))
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
    expect(error.hint).toContain(hint)
  })

  test('aliases that expand into billions', () => {
    const levels = Array.from({ length: 9 }, (_, index) => {
      const below = Array.from({ length: 10 }, () => `*a${index}`).join(', ')
      return `a${index + 1}: &a${index + 1} [${below}]`
    })
    const started = performance.now()
    const error = refusal(`a0: &a0 [x, x]\n${levels.join('\n')}\n`)
    expect(error.message).toBe('muster.yaml:2: its aliases (*name) expand into too much')
    expect(error.hint).toBe('write the values out')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('more aliases than anybody writes', () => {
    const error = refusal(`a: &a x\nb:\n${'  - *a\n'.repeat(10_000)}`)
    expect(error.message).toBe('muster.yaml:103: it has more than 100 aliases (*name)')
  })

  test.each([
    ['brackets', '['.repeat(100_000)],
    ['braces', `a: ${'{a: '.repeat(100_000)}`],
    ['dashes', '- '.repeat(100_000)],
    ['question marks', '? '.repeat(100_000)],
    ['indentation', Array.from({ length: 500 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')],
    ['brackets beside quoted closing ones', '["]]]]", '.repeat(100_000)],
  ])('nesting by %s, before anything recurses into it', (_, text) => {
    const started = performance.now()
    const error = refusal(text)
    expect(error.message).toMatch(/^muster\.yaml:\d+: it is nested deeper than 32 levels$/)
    expect(error.hint).toContain('flatten it')
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

describe('YAML that is taken', () => {
  test('text with brackets that are never closed, however many', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `- "the interval [0, ${index})"\n`).join('')
    expect(valueOf(`a:\n${lines}`)).toMatchObject({ a: { length: 100 } })
  })

  test('text that is far indented', () => {
    expect(valueOf(`a: |\n  x\n${' '.repeat(300)}y\n`)).toMatchObject({ a: expect.stringContaining('y') })
  })

  test('a few aliases', () => {
    expect(valueOf('a: &x [1]\nb: *x\n')).toEqual({ a: [1], b: [1] })
  })

  test('a byte order mark and Windows line ends', () => {
    expect(valueOf('\ufeffa: 1\r\nb: 2\r\n')).toEqual({ a: 1, b: 2 })
  })

  test.each([
    ['nothing', ''],
    ['comments', '# nothing yet\n'],
  ])('%s is null', (_, text) => {
    expect(valueOf(text)).toBeNull()
  })

  test('JSON', () => {
    expect(valueOf('{"a": [1, {"b": null}]}')).toEqual({ a: [1, { b: null }] })
  })

  test('ids as they are written, also where YAML sees numbers', () => {
    const text = 'id: 1.10\nparent: 007\ndepends_on: [1e3, 1.0, "2", true]\nlimit: 1.10\n'
    expect(valueOf(text)).toEqual({ id: '1.10', parent: '007', depends_on: ['1e3', '1.0', '2', 'true'], limit: 1.1 })
  })

  test('a megabyte of keys, in a few seconds', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `key-${index}: 1\n`).join('')
    expect(Object.keys(valueOf(text) as object)).toHaveLength(60_000)
  })
})

describe('the line of a path', () => {
  const file = parseYaml(
    'a: 1\nlist:\n  - x: 1\n  - x: 2\n    y:\n      - one\n      - two\n1: number\nsame: &s\n  z: 1\nalso: *s\n',
    'f.yaml',
  )

  test.each([
    [['a'], 1],
    [['list'], 2],
    [['list', 0], 3],
    [['list', 1, 'x'], 4],
    [['list', 1, 'y'], 5],
    [['list', 1, 'y', 1], 7],
    [['1'], 8],
    [['same', 'z'], 10],
    [['also', 'z'], 10],
  ])('%j is %d', (path, line) => {
    expect(file.lineOf(path)).toBe(line)
  })

  test.each([
    [[], 1],
    [['nothing'], 1],
    [['list', 1, 'missing'], 4],
    [['list', 1, 'y', 9], 5],
    [['a', 'below a scalar'], 1],
  ])('%j is not there: the nearest parent, line %d', (path, line) => {
    expect(file.lineOf(path)).toBe(line)
  })
})

describe('all problems in one error', () => {
  const file = parseYaml('a: 1\nb: 2\n', 'f.yaml')

  test('each on its line, none twice', () => {
    const problems = [
      { path: ['b'], message: 'wrong' },
      { path: ['a'], message: 'bad' },
      { path: ['b'], message: 'wrong' },
    ]
    expect(() => refuse(file, problems, 'h')).toThrow(/^f\.yaml:2: wrong\nf\.yaml:1: bad$/)
  })

  test('no more than can be read at once', () => {
    const problems = Array.from({ length: problemsMax + 7 }, (_, index) => ({ path: ['a'], message: `wrong ${index}` }))
    expect(() => refuse(file, problems, 'h')).toThrow(/wrong 19\n… and 7 more$/)
  })
})

describe('files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-yaml-'))

  test('one that is not there', async () => {
    await expect(readYaml(join(dir, 'no.yaml'), 'no.yaml', 'plan')).rejects.toMatchObject({
      code: 'usage',
      message: 'there is no plan no.yaml',
      hint: 'check the path of the plan',
    })
  })

  test('a folder', async () => {
    await expect(readYaml(dir, 'plans', 'plan')).rejects.toMatchObject({
      code: 'usage',
      message: 'plans is not a file',
      hint: 'name the plan file itself',
    })
  })

  test('one of ten megabytes, without reading it', async () => {
    const path = join(dir, 'big.yaml')
    writeFileSync(path, '')
    truncateSync(path, 10 * 1024 * 1024)
    await expect(readYaml(path, 'big.yaml', 'plan')).rejects.toMatchObject({
      code: 'config',
      message: 'big.yaml has 10.0 MB; a plan may have 1 MB',
      hint: 'split the plan into several files',
    })
  })

  test('one that is fine', async () => {
    const path = join(dir, 'fine.yaml')
    writeFileSync(path, 'a: é\n')
    expect((await readYaml(path, 'fine.yaml', 'plan')).value).toEqual({ a: 'é' })
  })
})

test('whatever the text, it is read or refused with file, line and hint', () => {
  const bits = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '|',
    '>',
    '#',
    '\t',
    '? ',
    '---',
    '!!x ',
    '%',
    ',',
    '<<: ',
  )
  const text = fc.oneof(
    fc.array(bits, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (raw) => {
      expect(outcome(raw)).toMatch(/^read$|^muster\.yaml:\d+: .+$/)
    }),
    { numRuns: 1000 },
  )
})

function outcome(text: string): string {
  try {
    parseYaml(text, 'muster.yaml').lineOf(['a', 0, 'b'])
    return 'read'
  } catch (error) {
    return error instanceof MusterError && error.hint !== undefined ? error.message : String(error)
  }
}
