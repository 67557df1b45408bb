import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classify, classifyTask } from './classify.ts'

const typeOf = (text: string, files?: string[]) => classify(text, files).type

describe('the examples of the source design (S3.36)', () => {
  test.each([
    ['Add dark mode toggle', 'verifiable'],
    ['Investigate slow API', 'advisory'],
    ['Update README', 'skip'],
    ['Design new onboarding flow', 'advisory'],
    ['Refactor auth module', 'verifiable'],
    ['Update installation docs', 'skip'],
  ])('%s is %s', (text, type) => {
    expect(classify(text)).toMatchObject({ type, ambiguous: false })
  })
})

describe('words, not substrings (E-9)', () => {
  test.each([
    'Add pricing plan page',
    'Planet view crashes',
    'Show the planet name',
    'Add comment model',
    'Preview pane',
    'Add review form',
    'Redesign button',
    'Give the designer a colour picker',
    'audit log table',
    'Document upload',
    'document.cookie is read twice',
    'Typography scale',
    'Explorer sidebar',
    'Discussion board',
    'Fix docs build crash',
    'Implement plan from design doc',
    'Analytics dashboard',
    'Add audit logging for deleted orders',
    'Handle comments in the tokenizer',
    'Comment out the dead branch',
    'Users can comment on orders',
    'Survey editor loses focus',
    'Subscription plans page',
    'Create the premium plan',
    'Note history',
    'Update the reviewed list',
  ])('"%s" is verifiable', (text) => {
    expect(typeOf(text)).toBe('verifiable')
  })

  test.each(['Explain the retry rules', 'Explain query plans'])(
    '"%s" is not advice because of the letters in it',
    (text) => {
      expect(typeOf(text)).not.toBe('advisory')
    },
  )

  test.each(['Analyse the slow start', 'Analyze the slow start'])('"%s" is advisory in either spelling', (text) => {
    expect(typeOf(text)).toBe('advisory')
  })
})

describe('advice', () => {
  test.each([
    'Please investigate why the nightly build is red',
    'Why is the search so slow?',
    'Should we drop the old format?',
    'Can we move to another queue',
    'Question: keep the v1 routes?',
    'Spike: offline mode',
    '[RFC] Plugin loading',
    'Consider a smaller image',
    'Look into the failing webhook',
    'Find out who uses the v1 routes',
    'Any plans for offline mode?',
    'Choose a licence',
    'Write a proposal for tenant isolation',
    'Run a security audit of the billing service',
    'Gather feedback from the pilot group',
    'Migration strategy',
    'Feasibility study for offline maps',
    'Review the session module and report findings',
    'Have the payment code audited',
    'Define the process for hotfixes',
    'Compare three queue libraries',
    'Plan the data migration',
    'Review why the build fails',
  ])('%s', (text) => {
    expect(classify(text)).toMatchObject({ type: 'advisory', ambiguous: false })
  })
})

describe('prose', () => {
  test.each([
    'Fix typos in the handbook',
    'Document the retry options',
    'docs: mention the new flag',
    'Correct broken links',
    'Add a troubleshooting section to the guide',
    'Add JSDoc to the public API',
    'Remove outdated comments in parser.ts',
    'Add more comments to the code',
    'Reword the install instructions',
    'Clarify the default of --depth',
    'Update CONTRIBUTING.md',
    'How to run it behind a proxy',
    'Add a changelog entry for 2.1',
    'Use the new command name consistently in the README',
    'Note that Windows is not supported',
    'Add the missing word',
    'Add proposal template',
    'Properly document the retry options',
    '[Docs part] Installation',
    'Update guide.md, whose example crashes',
  ])('%s', (text) => {
    expect(classify(text)).toMatchObject({ type: 'skip', ambiguous: false })
  })
})

describe('code', () => {
  test.each([
    'Review app deploy fails',
    'Document upload returns 500',
    'Analyze command exits 0 on error',
    'Discuss button missing on mobile',
    'Could you add a retry?',
    'When upload fails, warn the user',
    'The importer should accept empty rows',
    'Does not handle quotes yet',
    'Generate docs from the types',
    'Upgrade the documentation site',
    'Update the changelog generator',
    'Create order endpoint & API documentation',
    'Fix naïve encoding of café names',
    '',
    '   ',
    '42',
    '!!!',
    'Fix it',
  ])('"%s"', (text) => {
    expect(classify(text)).toMatchObject({ type: 'verifiable', ambiguous: false })
  })
})

describe('ambiguity is a result of its own (D-17, S3.19)', () => {
  test.each([
    'Investigate and fix the memory leak',
    'Design and implement the cache',
    'Review and update the docs',
    'Fix docs crash',
    'Interview scheduling page',
    'feat: evaluate rules lazily',
  ])('"%s" is verifiable, and ambiguous', (text) => {
    const found = classify(text)
    expect(found).toMatchObject({ type: 'verifiable', ambiguous: true })
    expect(found.why).toMatch(/ or /)
  })
})

describe('files outrank words', () => {
  test('a source file is never waved through', () => {
    expect(classify('Update README', ['README.md', 'src/main.ts'])).toMatchObject({
      type: 'verifiable',
      why: 'src/main.ts is expected to change',
      notices: ['its text alone says skip: "update … readme" produces prose'],
    })
    expect(classify('Investigate slow API', ['src/api.ts'])).toMatchObject({ type: 'verifiable', ambiguous: true })
  })

  test('prose alone needs no tests', () => {
    expect(typeOf('Add retry notes', ['docs/retry.md', 'README.md'])).toBe('skip')
    expect(classify('Investigate slow API', ['docs/report.md'])).toMatchObject({ type: 'skip', ambiguous: true })
  })

  test('they settle what the words leave open', () => {
    expect(classify('Fix docs crash', ['docs/build.ts'])).toMatchObject({ type: 'verifiable', ambiguous: false })
  })
})

describe('other languages are verifiable, and said so', () => {
  test.each([
    'Aktualisiere die Dokumentation',
    'Investigar por que la API es lenta',
    'Ajouter un bouton de recherche',
    '調査する',
    'Обновить документацию',
    'README を更新する',
  ])('%s', (text) => {
    const found = classify(text)
    expect(found).toMatchObject({ type: 'verifiable', why: 'the language is not understood' })
    expect(found.notices).toHaveLength(1)
  })
})

describe('the instructions', () => {
  test('are read where the title says nothing', () => {
    expect(classifyTask('Task 3', 'Investigate why the import is slow. Then report.', [])).toMatchObject({
      type: 'advisory',
    })
    expect(classifyTask('Add retries', 'Investigate first.', [])).toMatchObject({ type: 'verifiable' })
  })

  test('may say outright that nothing is to be changed', () => {
    expect(classifyTask('The import', 'Do not change any code. Say what you find.', []).type).toBe('advisory')
    expect(classifyTask('Refactor the import', 'Do not change files outside src/.', []).type).toBe('verifiable')
  })
})

describe('whatever the text', () => {
  test('there is an answer, and the same one again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.array(fc.string()), (text, files) => {
        const found = classify(text, files)
        expect(['verifiable', 'advisory', 'skip']).toContain(found.type)
        expect(found.ambiguous && found.type === 'advisory').toBe(false)
        expect(classify(text, files)).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })

  test('of known words in any order', () => {
    const words = 'add fix review the a docs design page why not ? and : [rfc] README.md plan comment out to in'.split(
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), (some) => {
        expect(classify(some.join(' ')).why).not.toBe('')
      }),
      { numRuns: 300 },
    )
  })

  test('of 10,000 characters', () => {
    expect(typeOf('Investigate '.repeat(1000))).toBe('advisory')
    expect(typeOf('a'.repeat(10_000))).toBe('verifiable')
    expect(typeOf('(['.repeat(5000))).toBe('verifiable')
  })
})
