import { describe, expect, test } from 'vitest'
import { readRules } from './rules.ts'

const OWN = 'muster.rules.json'
const OTHER = 'data/test-activity-rules.json'
const read = (value: unknown, name = OWN) => readRules(JSON.stringify(value, null, '\t'), name)

describe('a rules file (S3.7, S3.9)', () => {
  test('says which files ask for what', () => {
    const rules = read({
      defaults: { unit: true },
      filePatterns: {
        '**/auth/**': { unit: true, e2e: 'immediate', critics: ['security'] },
        '**/*.md': { unit: false, e2e: 'skip' },
        '**/*.tsx': { unit: 'react-tester', quality: ['looks'] },
        '**/*.css': { quality: true },
      },
      crossCuttingRules: {
        multipleDirectories: { threshold: 3, add: { critics: ['oddball'] } },
        sharedModuleTouch: { paths: ['**/shared/**'], add: { critics: ['api'] } },
      },
    })
    expect(rules).toEqual({
      source: OWN,
      defaults: { unit: true },
      patterns: [
        { glob: '**/auth/**', rule: { unit: true, e2e: 'immediate', critics: ['security'] } },
        { glob: '**/*.md', rule: { unit: false, e2e: 'skip' } },
        { glob: '**/*.tsx', rule: { unit: true, critics: ['looks'] } },
        { glob: '**/*.css', rule: { critics: ['quality-critic'] } },
      ],
      wide: [
        { foldersMin: 3, critics: ['oddball'] },
        { touches: ['**/shared/**'], critics: ['api'] },
      ],
      notices: [],
    })
  })

  test('may be empty', () => {
    expect(read({})).toMatchObject({ defaults: {}, patterns: [], wide: [] })
  })

  test('of another tool is read as it is: what is not known is named, not refused', () => {
    const foreign = {
      version: 1,
      filePatterns: { '**/*.ts': { unit: true, e2eScope: 'dependents', reason: 'why not' } },
      codePatterns: { 'eval\\(': { critics: ['security'] } },
    }
    expect(read(foreign, OTHER)).toMatchObject({
      patterns: [{ glob: '**/*.ts', rule: { unit: true } }],
      code: [{ pattern: 'eval\\(', flags: '', rule: { critics: ['security'] } }],
      notices: [`${OTHER}: "e2eScope" of patterns is not used`],
    })
  })

  test('S3.7 code patterns are regular expressions, also as other tools write them; what is none is told', () => {
    const codePatterns = { '(?i)password': { critics: ['security'] }, '(unclosed': { unit: true } }
    expect(read({ codePatterns }, OTHER)).toMatchObject({
      code: [{ pattern: 'password', flags: 'i', rule: { critics: ['security'] } }],
      notices: [expect.stringContaining('the code pattern "(unclosed" is not a valid regular expression')],
    })
    expect(() => read({ codePatterns })).toThrow(
      /^muster\.rules\.json:\d+: the code pattern "\(unclosed" is not a valid regular/,
    )
  })
})

describe('mistakes are told with their place', () => {
  test.each([
    ['no JSON', '{', `${OWN} is not valid JSON`],
    ['nothing', '', `${OWN} is not valid JSON`],
    ['YAML', 'filePatterns: {}', `${OWN} is not valid JSON`],
    ['a list', '[]', `${OWN}:1: the file must be a map of keys`],
    ['an unknown key', '{\n"filePattern": {}\n}', `${OWN}:2: unknown key "filePattern"`],
    ['another version', '{\n"version": 2}', `${OWN}:2: version must be 1`],
    [
      'an unknown timing',
      '{"filePatterns": {\n"a": {\n"e2e": "later"}}}',
      `${OWN}:3: filePatterns.a.e2e must be "immediate"`,
    ],
    [
      'critics that are no list',
      '{"filePatterns": {"a": {\n"critics": "x"}}}',
      `${OWN}:2: filePatterns.a.critics must be`,
    ],
    ['an open bracket', '{"filePatterns": {\n"src/[a": {}}}', `${OWN}:2: the pattern "src/[a" cannot be read`],
    ['an open brace', '{"filePatterns": {"src/{a,b": {}}}', 'cannot be read'],
    ['no pattern', '{"filePatterns": {"": {}}}', 'the pattern "" is empty'],
    ['a way out', '{"filePatterns": {"../**": {}}}', 'leads outside of the project'],
    ['an absolute one', '{"filePatterns": {"/src/**": {}}}', 'is absolute'],
    ['one that excludes', '{"filePatterns": {"!src/**": {}}}', 'excludes'],
    ['a long one', `{"filePatterns": {"${'a'.repeat(301)}": {}}}`, 'has 301 characters'],
    ['a key twice', '{"filePatterns": {},\n"filePatterns": {}}', `${OWN}:2: the key "filePatterns" appears twice`],
  ])('%s', (_, text, message) => {
    expect(() => readRules(text, OWN)).toThrow(message)
  })
})
