import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { factsOf } from '../tools/facts.ts'
import { DEFAULT_RULES } from '../domain/contract/rules.ts'
import type { ContractProject, ContractTask } from './generate.ts'
import { generateContract } from './generate.ts'
import { indexFiles, predictFiles } from './predict.ts'
import { ruleBook } from './rules.ts'
import { isIntact, isMadeFor } from './seal.ts'

const AT = '2026-01-01T00:00:00.000Z'
const PATHS = [
  'package.json',
  'tsconfig.json',
  'playwright.config.ts',
  'README.md',
  'src/pages/settings.tsx',
  'src/pages/home.tsx',
  'src/components/Toggle.tsx',
  'src/components/Toggle.test.tsx',
  'src/theme/dark.css',
  'src/session/index.ts',
]
const PACKAGE = JSON.stringify({
  scripts: { test: 'vitest run', lint: 'oxlint' },
  devDependencies: { typescript: '7', '@playwright/test': '1' },
})

const project: ContractProject = {
  facts: factsOf(PATHS, (path) => (path === 'package.json' ? PACKAGE : null)),
  rules: ruleBook(DEFAULT_RULES),
  files: indexFiles(PATHS),
}
const bare: ContractProject = { facts: { tools: {}, off: [], parts: [] }, rules: project.rules, files: indexFiles([]) }

function taskOf(title: string, rest: Partial<ContractTask> = {}): ContractTask {
  const nothing = { instructions: '', acceptanceCriteria: '', expectedFiles: [], checks: [], checkCommands: {} }
  return { title, ...nothing, inStory: false, ...rest }
}
const generate = (task: ContractTask, from = project) => generateContract(task, from, AT)
const activities = (task: ContractTask, from = project) => generate(task, from).criteria.map(({ activity }) => activity)

describe('the dark-mode example', () => {
  const contract = generate(taskOf('Add dark mode toggle to settings page'))

  test('predicts files, and says why', () => {
    expect(contract.files).toEqual([
      { path: 'src/pages/settings.tsx', from: 'predicted', why: 'has "setting" in its path' },
      { path: 'src/components/Toggle.tsx', from: 'predicted', why: 'has "toggle" in its path' },
      { path: 'src/theme/dark.css', from: 'predicted', why: 'has "dark" in its path' },
    ])
  })

  test('asks for unit tests, immediate end-to-end tests, types and lint (S3.8, S3.9, S3.36)', () => {
    expect(contract.type).toBe('verifiable')
    expect(contract.criteria).toEqual([
      {
        id: 'c1',
        activity: 'unit-test',
        description: 'Unit tests for src/pages/settings.tsx pass',
        pattern: 'settings',
        command: 'npm test',
        kind: 'guard',
        judge: 'machine',
      },
      {
        id: 'c2',
        activity: 'unit-test',
        description: 'Unit tests for src/components/Toggle.tsx pass',
        pattern: 'Toggle',
        command: 'npm test',
        kind: 'guard',
        judge: 'machine',
      },
      {
        id: 'c3',
        activity: 'e2e',
        description: 'End-to-end tests for src/pages/settings.tsx and 2 more pass',
        timing: 'immediate',
        command: 'npx playwright test',
        kind: 'guard',
        judge: 'machine',
      },
      {
        id: 'c4',
        activity: 'typecheck',
        description: 'No type errors',
        command: 'npx tsc --noEmit',
        kind: 'guard',
        judge: 'machine',
      },
      {
        id: 'c5',
        activity: 'lint',
        description: 'No lint errors',
        command: 'npm run lint',
        kind: 'guard',
        judge: 'machine',
      },
    ])
  })

  test('is sealed: it knows when it or its task was changed (E-7, L25)', () => {
    expect(isIntact(contract)).toBe(true)
    expect(isIntact({ ...contract, type: 'skip' })).toBe(false)
    expect(isIntact({ ...contract, criteria: contract.criteria.slice(1) })).toBe(false)
    expect(isMadeFor(contract, taskOf('Add dark mode toggle to settings page'))).toBe(true)
    expect(isMadeFor(contract, taskOf('Add dark mode toggle to settings page', { instructions: 'And more.' }))).toBe(
      false,
    )
  })

  test('is the same again; when it was made is no part of it', () => {
    const again = generateContract(taskOf('Add dark mode toggle to settings page'), project, '2027-01-01T00:00:00.000Z')
    expect(again).toEqual({ ...contract, generatedAt: '2027-01-01T00:00:00.000Z' })
    expect(again.hash).toBe(contract.hash)
  })

  test('without a repository asks for the same, and says what the project does not have', () => {
    const contract = generate(taskOf('Add dark mode toggle'), bare)
    expect(contract.criteria.map(({ activity, timing, skipped }) => [activity, timing, skipped])).toEqual([
      ['unit-test', undefined, 'the project has no unit-test tool'],
      ['e2e', 'immediate', 'the project has no e2e tool'],
      ['typecheck', undefined, 'the project has no typecheck tool'],
      ['lint', undefined, 'the project has no lint tool'],
    ])
  })
})

describe('types', () => {
  test('prose gets types and lint only, advice nothing (S3.16); all say where they come from (E-11)', () => {
    expect(generate(taskOf('Update README'))).toMatchObject({ type: 'skip', generatedFrom: 'auto', generatedAt: AT })
    expect(activities(taskOf('Update README'))).toEqual(['typecheck', 'lint'])
    expect(generate(taskOf('Investigate slow API'))).toMatchObject({
      type: 'advisory',
      criteria: [],
      generatedFrom: 'auto',
    })
  })

  test('refactoring is verified (S3.15)', () => {
    expect(activities(taskOf('Refactor the session handling'))).toEqual(['unit-test', 'typecheck', 'lint'])
  })

  test('what a machine can check is not advice', () => {
    const contract = generate(taskOf('Investigate slow API', { acceptanceCriteria: '`npm test -- api` exits 0' }))
    expect(contract).toMatchObject({ type: 'verifiable', why: 'the task says how it is checked' })
    expect(contract.notices).toContain('its text alone says advisory: "investigate …" produces an answer')
  })

  test('criteria of advice are for people', () => {
    const contract = generate(
      taskOf('Investigate slow API', { acceptanceCriteria: '- names the three slowest queries' }),
    )
    expect(contract).toMatchObject({ type: 'advisory', criteria: [{ id: 'c1', judge: 'person' }] })
  })

  test('prose keeps the criteria somebody wrote', () => {
    const contract = generate(taskOf('Update README', { acceptanceCriteria: 'README contains `muster run`' }))
    expect(contract.criteria.map(({ activity, judge }) => `${activity} ${judge}`)).toEqual([
      'file machine',
      'typecheck machine',
      'lint machine',
    ])
  })
})

describe('goals', () => {
  test('are the checks a task lists; they are run once, as goals', () => {
    const task = taskOf('Update README', {
      checks: ['lint', 'links'],
      checkCommands: { lint: 'oxlint', links: 'check-links' },
    })
    const contract = generate(task)
    expect(contract.type).toBe('verifiable')
    expect(contract.criteria.map(({ activity, kind, command }) => [activity, kind, command])).toEqual([
      ['lint', 'goal', 'oxlint'],
      ['links', 'goal', 'check-links'],
      ['unit-test', 'guard', 'npm test'],
      ['typecheck', 'guard', 'npx tsc --noEmit'],
    ])
  })

  test('are acceptance criteria; a story’s make it a prd contract (S3.33)', () => {
    const acceptanceCriteria =
      '- `npm test -- cart` exits 0\n- `npm test -- cart` exits 0\n- the cart shows the sum in euros'
    const contract = generate(taskOf('Add the cart', { acceptanceCriteria, inStory: true }))
    expect(contract.generatedFrom).toBe('prd')
    expect(contract.criteria.slice(0, 2)).toMatchObject([
      { id: 'c1', activity: 'command', kind: 'goal', judge: 'machine' },
      { id: 'c2', activity: 'acceptance', kind: 'goal', judge: 'checker' },
    ])
    expect(generate(taskOf('Add the cart', { acceptanceCriteria })).generatedFrom).toBe('auto')
    expect(generate(taskOf('Add the cart', { inStory: true })).generatedFrom).toBe('auto')
  })

  test('vague ones are told, with a pattern to follow', () => {
    expect(generate(taskOf('Add the cart', { acceptanceCriteria: 'Code looks good' })).notices.join()).toContain(
      'looks good',
    )
  })
})

describe('a contract that somebody wrote', () => {
  test('wins', () => {
    const written = {
      type: 'verifiable',
      criteria: [
        { activity: 'unit-test', description: 'The cart adds up', command: 'npm test -- cart' },
        { activity: 'review', description: 'Names are clear' },
      ],
    } as const
    const contract = generate(taskOf('Investigate slow API', { written }))
    expect(contract).toMatchObject({
      type: 'verifiable',
      generatedFrom: 'user',
      ambiguous: false,
      why: 'somebody wrote it',
      notices: [],
    })
    expect(contract.criteria.map(({ id, activity, kind, judge }) => [id, activity, kind, judge])).toEqual([
      ['c1', 'unit-test', 'goal', 'machine'],
      ['c2', 'review', 'goal', 'checker'],
      ['c3', 'typecheck', 'guard', 'machine'],
      ['c4', 'lint', 'guard', 'machine'],
    ])
  })
})

describe('files', () => {
  test('that are expected bring their rules; two with the same name stay two (S3.10, E-10)', () => {
    const expectedFiles = ['src/cart/index.ts', 'src/shop/index.ts', 'src/a/cart.ts', 'src/b/cart.ts', 'src/b/cart.tsx']
    const contract = generate(taskOf('Sum up', { expectedFiles }))
    expect(contract.criteria.map(({ pattern }) => pattern).filter(Boolean)).toEqual([
      'src/cart',
      'shop',
      'a/cart',
      'src/b/cart.ts',
      'src/b/cart.tsx',
    ])
  })

  test('that are expected outrank words', () => {
    expect(generate(taskOf('Update README', { expectedFiles: ['src/main.ts'] })).type).toBe('verifiable')
  })

  test('out of the project are refused', () => {
    expect(() => generate(taskOf('Add it', { expectedFiles: ['../x.ts'] }))).toThrow('leads outside of the project')
  })

  test('in great number are one criterion', () => {
    const expectedFiles = Array.from({ length: 1000 }, (_, i) => `src/f${i}.ts`)
    expect(generate(taskOf('Rename it', { expectedFiles })).criteria.map(({ description }) => description)).toEqual([
      'The unit tests of 1000 files pass',
      'No type errors',
      'No lint errors',
    ])
  })

  test('with rules of the project bring timing and critics', () => {
    const rules = ruleBook({
      ...DEFAULT_RULES,
      patterns: [{ glob: '**/auth/**', rule: { unit: true, e2e: 'deferred', critics: ['security', 'privacy'] } }],
      wide: [{ touches: ['**/auth/**'], critics: ['security', 'api'] }],
    })
    const contract = generate(taskOf('Add login', { expectedFiles: ['src/auth/login.ts', 'src/auth/logout.ts'] }), {
      ...project,
      rules,
    })
    expect(contract.criteria.map(({ activity, pattern, timing, judge }) => [activity, pattern, timing, judge])).toEqual(
      [
        ['unit-test', 'login', undefined, 'machine'],
        ['unit-test', 'logout', undefined, 'machine'],
        ['e2e', undefined, 'deferred', 'machine'],
        ['critic', 'security', undefined, 'checker'],
        ['critic', 'privacy', undefined, 'checker'],
        ['critic', 'api', undefined, 'checker'],
        ['typecheck', undefined, undefined, 'machine'],
        ['lint', undefined, undefined, 'machine'],
      ],
    )
  })
})

describe('predictions', () => {
  const predicted = (text: string, paths = PATHS) => predictFiles(text, indexFiles(paths)).map(({ path }) => path)

  test('are paths the text names, then names with its words, never tests, locks or prose', () => {
    expect(predicted('Make src/pages/home.tsx greet by session')).toEqual([
      'src/pages/home.tsx',
      'src/session/index.ts',
    ])
    expect(predicted('Fix Toggle.tsx')).toEqual(['src/components/Toggle.tsx'])
    expect(predicted('Update the readme')).toEqual([])
  })

  test('are few, and none from a word that everything has', () => {
    const paths = Array.from({ length: 500 }, (_, i) => `src/order/part${i}/orders.ts`)
    expect(predicted('Add an order', paths)).toEqual([])
    expect(
      predicted(
        'Fix alpha',
        Array.from({ length: 10 }, (_, i) => `alpha${i}/alpha.ts`),
      ),
    ).toHaveLength(5)
  })
})

describe('whatever the task', () => {
  test('there is a contract, with ids in order and no criterion twice', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 })
    fc.assert(
      fc.property(text, text, text, (title, instructions, acceptanceCriteria) => {
        const contract = generate(taskOf(title, { instructions, acceptanceCriteria }))
        expect(contract.criteria.map(({ id }) => id)).toEqual(contract.criteria.map((_, index) => `c${index + 1}`))
        expect(isIntact(contract)).toBe(true)
        const guards = contract.type === 'advisory' ? [] : ['typecheck', 'lint']
        expect(contract.criteria.map(({ activity }) => activity)).toEqual(expect.arrayContaining(guards))
      }),
      { numRuns: 200 },
    )
  })

  test.each(['Fix x', 'a'.repeat(5000), 'Add '.repeat(1250)])('of %#: a short title or a very long one', (title) => {
    expect(generate(taskOf(title)).type).toBe('verifiable')
  })
})
