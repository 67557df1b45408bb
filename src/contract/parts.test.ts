import { describe, expect, test } from 'vitest'
import { factsOf, type Part } from '../tools/facts.ts'
import { DEFAULT_RULES } from '../domain/contract/rules.ts'
import { confirmContract } from './confirm.ts'
import { generateContract } from './generate.ts'
import { indexFiles } from './predict.ts'
import { ruleBook } from './rules.ts'

const PATHS = ['package.json', 'packages/api/cart.js', 'packages/web/cart.js', 'packages/docs/cart.js', 'cart.test.js']
const part = (name: string, cwd: string, tool: Part['tool']): Part => ({ name, command: `run ${name}`, cwd, tool })
const PARTS = [
  part('unit-test-api', 'packages/api', 'unit-test'),
  part('unit-test-web', 'packages/web', 'unit-test'),
  part('links', '', null),
]
const project = (parts: readonly Part[], configured = {}) => ({
  facts: factsOf(PATHS, () => '{}', configured, parts),
  rules: ruleBook(DEFAULT_RULES),
  files: indexFiles(PATHS),
})
const seal = (title: string, more = {}, from = project(PARTS)) => {
  const nothing = { instructions: '', acceptanceCriteria: '', expectedFiles: [], checks: [], checkCommands: {} }
  return generateContract({ title, ...nothing, inStory: false, ...more }, from, '2026-01-01T00:00:00.000Z')
}
const asked = (contract: ReturnType<typeof seal>) =>
  contract.criteria.filter(({ skipped }) => skipped === undefined).map(({ activity, kind }) => `${kind} ${activity}`)

describe('checks of a part are guards of every change that could concern them', () => {
  test('tests of the whole are not guessed beside them', () => {
    expect(asked(seal('Change', { expectedFiles: ['docs/a.css'] }))).toEqual([
      'guard unit-test-api',
      'guard unit-test-web',
      'guard links',
    ])
    const both = project(PARTS, { 'unit-test': 'npm test' })
    expect(asked(seal('Change', { expectedFiles: ['docs/a.css'] }, both))).toContain('guard unit-test')
  })

  test('H-3 a file is answered by the tests of its own part, and told where none has any', () => {
    const { criteria } = seal('Change', { expectedFiles: ['packages/api/cart.js', 'packages/docs/cart.js'] })
    expect(criteria[0]).toMatchObject({ activity: 'unit-test-api', command: 'run unit-test-api', kind: 'guard' })
    expect(criteria[0]?.description).toBe('Unit tests for packages/api/cart.js pass')
    expect(criteria[1]?.skipped).toBe('no check of muster.yaml runs the tests of packages/docs/cart.js')
  })

  test('what the work really touched is answered likewise (E-13)', () => {
    const contract = seal('Change', { expectedFiles: ['packages/api/cart.js'] })
    const { criteria } = confirmContract(contract, ['packages/web/cart.js'], project(PARTS))
    expect(criteria).toMatchObject([{ activity: 'unit-test-web', pattern: 'cart' }])
  })

  test('prose is guarded by what is no test', () => {
    expect(asked(seal('Fix a typo in README.md', { expectedFiles: ['README.md'] }))).toEqual(['guard links'])
  })

  test('"All tests pass" means those of every part, and a listed check is a goal once', () => {
    const commands = { links: 'run links' }
    const more = { acceptanceCriteria: 'All tests pass', checks: ['links'], checkCommands: commands }
    const goals = asked(seal('Change', more)).filter((one) => one.startsWith('goal') || one.endsWith('links'))
    expect(goals).toEqual(['goal links', 'goal unit-test-api', 'goal unit-test-web'])
  })
})
