import { describe, expect, test } from 'vitest'
import type { Contract, Criterion } from './contract.ts'
import { contractSection, contractText } from './contract-text.ts'

const guard = { kind: 'guard', judge: 'machine' } as const
const CRITERIA: Criterion[] = [
  {
    id: 'c1',
    activity: 'unit-test',
    description: 'Unit tests for src/Toggle.tsx pass',
    pattern: 'Toggle',
    command: 'npm test',
    ...guard,
  },
  {
    id: 'c2',
    activity: 'e2e',
    description: 'The end-to-end tests pass',
    timing: 'immediate',
    command: 'npx playwright test',
    ...guard,
  },
  { id: 'c3', activity: 'e2e', description: 'The end-to-end tests pass', timing: 'deferred', ...guard },
  {
    id: 'c4',
    activity: 'acceptance',
    description: 'The theme is kept\n## after a reload',
    kind: 'goal',
    judge: 'checker',
  },
  {
    id: 'c5',
    activity: 'command',
    description: '`shop -v` prints `2`',
    command: 'shop -v',
    expect: { output: '2' },
    kind: 'goal',
    judge: 'machine',
  },
  {
    id: 'c6',
    activity: 'links',
    description: 'The check "links" passes',
    command: 'check-links',
    kind: 'goal',
    judge: 'machine',
  },
  { id: 'c7', activity: 'lint', description: 'No lint errors', ...guard, skipped: 'the project has no lint tool' },
]

function contractOf(rest: Partial<Contract>): Contract {
  return {
    type: 'verifiable',
    criteria: CRITERIA,
    generatedFrom: 'auto',
    generatedAt: '2026-01-01T00:00:00.000Z',
    ambiguous: false,
    couldBe: null,
    why: 'because',
    notices: [],
    files: [],
    taskHash: '',
    hash: 'f'.repeat(64),
    ...rest,
  }
}

describe('the section of the prompt (S3.23)', () => {
  test('is a numbered list with timing, that ends with what other tools look for', () => {
    expect(contractSection(contractOf({}))).toMatchInlineSnapshot(`
      "## Verification Contract

      Your work will be verified by:

      1. **Unit tests** (c1): Unit tests for src/Toggle.tsx pass (\`npm test\`; tests that match "Toggle")
      2. **E2E test** (c2): The end-to-end tests pass (\`npx playwright test\`; runs immediately)
      3. **E2E test** (c3): The end-to-end tests pass (deferred: runs before the story ships)
      4. **Acceptance** (c4): The theme is kept ## after a reload (judged by an independent checker)
      5. **Command** (c5): \`shop -v\` prints \`2\`
      6. **Check** (c6): The check "links" passes (\`check-links\`)

      Write your implementation knowing these criteria will be checked."
    `)
  })

  test('of prose says what it is about', () => {
    expect(contractSection(contractOf({ type: 'skip', criteria: CRITERIA.slice(0, 1) }))).toContain(
      'This task is about prose.',
    )
  })

  test('of advice asks for no change', () => {
    const section = contractSection(contractOf({ type: 'advisory', criteria: [] }))
    expect(section).toContain('Change no files')
    expect(section).not.toContain('1.')
  })

  test('of a project without tools promises nothing', () => {
    expect(contractSection(contractOf({ criteria: CRITERIA.slice(6) }))).toContain('has no tools')
  })
})

describe('at the terminal', () => {
  test('one line per criterion, with why and where from', () => {
    const files = [
      { path: 'src/Toggle.tsx', from: 'predicted', why: 'has "toggle" in its path' },
      { path: 'src/theme.ts', from: 'expected' },
    ] as const
    expect(contractText(contractOf({ files, notices: ['take care'], ambiguous: true }))).toMatchInlineSnapshot(`
      "verifiable (ambiguous): because
        file   src/Toggle.tsx (predicted: has "toggle" in its path)
        file   src/theme.ts (expected)
        c1   unit-test   Unit tests for src/Toggle.tsx pass (guard, machine)  $ npm test
        c2   e2e         The end-to-end tests pass [immediate] (guard, machine)  $ npx playwright test
        c3   e2e         The end-to-end tests pass [deferred] (guard, machine)
        c4   acceptance  The theme is kept ## after a reload (goal, checker)
        c5   command     \`shop -v\` prints \`2\` (goal, machine)  $ shop -v prints "2"
        c6   links       The check "links" passes (goal, machine)  $ check-links
        c7   lint        No lint errors (does not count: the project has no lint tool)
        note   take care
        made from the task's text and the project; hash ffffffffffff"
    `)
  })

  test('nothing a task says acts on it', () => {
    const nasty = [{ ...CRITERIA[0], id: 'c1', description: 'a\u001b]0;title\u0007\r\nb' } as Criterion]
    const text = contractText(contractOf({ criteria: nasty, why: '\u001b[2Jx' }))
    for (const control of ['\u001b', '\r', '\u0007']) expect(text).not.toContain(control)
    expect(text.split('\n')).toHaveLength(3)
  })
})
