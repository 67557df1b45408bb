import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../domain/contract/contract.ts'
import { factsOf } from '../tools/facts.ts'
import { DEFAULT_RULES } from '../domain/contract/rules.ts'
import { confirmContract, withAdditions } from './confirm.ts'
import { generateContract } from './generate.ts'
import { indexFiles } from './predict.ts'
import { ruleBook } from './rules.ts'
import { isIntact } from './seal.ts'

const facts = factsOf(['go.mod'], () => null)
const rules = ruleBook({
  ...DEFAULT_RULES,
  patterns: [
    ...DEFAULT_RULES.patterns,
    { glob: '**/auth/**', rule: { e2e: 'immediate', critics: ['security'] } },
    { glob: '**/lazy/**', rule: { e2e: 'deferred' } },
  ],
})
const project = { facts, rules, files: indexFiles([]) }

function contractOf(title: string, expectedFiles: string[] = []): Contract {
  const nothing = { instructions: '', acceptanceCriteria: '', checks: [], checkCommands: {}, inStory: false }
  return generateContract({ title, ...nothing, expectedFiles }, project, '2026-01-01T00:00:00.000Z')
}
const confirm = (title: string, changed: string[], expected?: string[]) =>
  confirmContract(contractOf(title, expected), changed, project)

describe('the diff confirms the claim (E-13, E-14)', () => {
  test('prose that stays prose is skipped', () => {
    expect(confirm('Update README', ['README.md', 'docs/flow.png'])).toEqual({ type: 'skip', criteria: [], why: [] })
  })

  test('prose that touched code is verified', () => {
    const added = confirm('Update README', ['README.md', 'src/cart.go'])
    expect(added).toMatchObject({ type: 'verifiable', why: ['it was to change prose only, and changed src/cart.go'] })
    expect(added.criteria).toMatchObject([{ id: 'c3', activity: 'unit-test', pattern: 'cart' }])
  })

  test('advice that changed nothing stays advice; changed anything, it is verified', () => {
    expect(confirm('Investigate slow API', [])).toEqual({ type: 'advisory', criteria: [], why: [] })
    const added = confirm('Investigate slow API', ['docs/report.md'])
    expect(added.type).toBe('verifiable')
    expect(added.criteria.map(({ id, activity }) => [id, activity])).toEqual([
      ['c1', 'unit-test'],
      ['c2', 'typecheck'],
      ['c3', 'lint'],
    ])
  })

  test('files that nobody expected bring their criteria', () => {
    const added = confirm('Sum up the cart', ['src/cart.go', 'src/auth/login.go'], ['src/cart.go'])
    expect(added.criteria.map(({ activity, pattern, timing }) => [activity, pattern, timing])).toEqual([
      ['unit-test', 'login', undefined],
      ['e2e', undefined, 'immediate'],
      ['critic', 'security', undefined],
    ])
  })

  test('an immediate criterion covers a deferred one, not the other way round', () => {
    expect(
      confirm('Change it', ['src/lazy/a.go'], ['src/auth/login.go']).criteria.some(
        ({ activity }) => activity === 'e2e',
      ),
    ).toBe(false)
    expect(confirm('Change it', ['src/auth/login.go'], ['src/lazy/a.go']).criteria).toContainEqual(
      expect.objectContaining({ activity: 'e2e', timing: 'immediate' }),
    )
  })

  test('what is judged is the sealed contract and the additions, sealed again', () => {
    const contract = contractOf('Update README')
    const both = withAdditions(contract, confirmContract(contract, ['src/cart.go'], project))
    expect(both.criteria.slice(0, 2)).toEqual(contract.criteria)
    expect(both).toMatchObject({ type: 'verifiable', why: 'it was to change prose only, and changed src/cart.go' })
    expect(both.notices).toEqual(['sealed as skip: "update … readme" produces prose'])
    expect(isIntact(both)).toBe(true)
    expect(both.hash).not.toBe(contract.hash)
  })
})

/** Titles that sound like prose or advice, and what the work touched. */
const SOUNDS_HARMLESS = [
  ['Fix typo in the greeting', ['src/greeting.ts']],
  ['Update docs', ['docs/conf.py']],
  ['Update docs', ['docs/index.md', 'package.json']],
  ['Add comments to the code', ['src/parser.ts']],
  ['docs: regenerate', ['docs/api.json']],
  ['Update README', ['README.md', '.github/workflows/ci.yml']],
  ['Improve wording of prompts', ['src/prompts/checker.md']],
  ['Clarify the agent guide', ['AGENTS.md']],
  ['Update requirements notes', ['requirements.txt']],
  ['Investigate flaky test', ['test/session.test.ts']],
  ['Research cache libraries', ['package.json', 'package-lock.json']],
  ['Review the session module', ['src/session.ts']],
  ['Design the queue', ['src/queue.ts', 'docs/adr/7.md']],
  ['Plan the migration', ['migrations/0007.sql']],
  ['Why is it slow?', ['src/index.ts']],
  ['Update CHANGELOG.md', ['CHANGELOG.md', 'src/version.ts']],
  ['Fix links', ['test/fixtures/links.md']],
  ['Update the licence', ['LICENSE', 'Makefile']],
] as const

describe('no work on code is waved through', () => {
  test.each(SOUNDS_HARMLESS)('%s, touching %j', (title, changed) => {
    expect(contractOf(title).type).not.toBe('verifiable')
    expect(confirm(title, [...changed]).type).toBe('verifiable')
  })

  test('whatever the title and the files: nothing is dropped or changed, ids stay unique', () => {
    const titles = fc.oneof(fc.constantFrom('Update README', 'Investigate it', 'Add a page', 'Fix it'), fc.string())
    const names = fc.constantFrom(
      'README.md',
      'docs/a.md',
      'src/a.ts',
      'src/auth/b.go',
      'src/lazy/c.go',
      'x',
      'src/a.tsx',
    )
    fc.assert(
      fc.property(titles, fc.uniqueArray(names), fc.uniqueArray(names), (title, expected, changed) => {
        const contract = contractOf(title, expected)
        const added = confirmContract(contract, changed, project)
        const both = withAdditions(contract, added)
        expect(both.criteria.slice(0, contract.criteria.length)).toEqual(contract.criteria)
        expect(new Set(both.criteria.map(({ id }) => id)).size).toBe(both.criteria.length)
        const isCode = contract.type === 'verifiable' || changed.some((path) => !path.endsWith('.md'))
        expect(isCode && both.type !== 'verifiable').toBe(false)
        expect(confirmContract(both, changed, project).criteria).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
