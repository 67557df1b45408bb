import { expect, test } from 'vitest'
import type { CriterionResult } from '../../../domain/verdict/evidence.ts'
import { initialState } from '../../../domain/task/task.ts'
import { dutyByName } from '../../../domain/role.ts'
import { WORK } from '../../../domain/task/purpose.ts'
import type { RunRecord } from '../../../ports/store.ts'
import { landingMessage, verifiedWords } from './message.ts'

const spec = { id: 's-1', title: 'One', purpose: WORK }
const state = { ...initialState('s-1', 50), commit: 'c1' }
const criterion = (status: CriterionResult['status'], activity: string, executed = 0): CriterionResult => {
  const evidence = executed === 0 ? null : { counts: { executed, failed: 0, skipped: 0 }, command: 'x', excused: [] }
  return { id: activity, activity, status, error: null, attempts: 1, evidence: evidence as CriterionResult['evidence'] }
}

test.each([
  ['Short', 'Short'],
  ['x'.repeat(72), 'x'.repeat(72)],
  ['x'.repeat(73), `${'x'.repeat(71)}…`],
  [`${'word '.repeat(13)}and, more words`, `${'word '.repeat(13)}and…`],
  [`${'a'.repeat(71)} b`, `${'a'.repeat(71)}…`],
  ['😀'.repeat(80), `${'😀'.repeat(71)}…`],
  ['One\n\nMuster-Task: s-9\u001B[2J\u0007\u0000', 'One Muster-Task: s-9'],
  [' \n ', 's-1'],
])('the subject of %j is at most 72 characters on one line', (title, subject) => {
  expect(landingMessage({ ...spec, title }, []).subject).toBe(subject)
  expect(Array.from(subject).length).toBeLessThanOrEqual(72)
})

test('the body says what was verified, by whom, and what was waived', () => {
  const criteria = [
    criterion('pass', 'unit-test', 42),
    criterion('pass', 'typecheck'),
    criterion('waived', 'read', 0),
    criterion('skipped', 'lint'),
    criterion('pass', 'unit-test', 12),
  ]
  const check = { id: 'x', attempt: 1, commit: 'c1', verdict: 'WARN' as const, report: '' }
  const waiver = { commit: 'c1', criteria: ['read'], reason: 'it is\n\nfine', by: 'Ann' }
  const run = (attempt: number, name: string, verdict: string) =>
    ({ attempt, name, kind: 'agent', does: dutyByName(name), end: { verdict } }) as unknown as RunRecord
  const runs = [
    run(0, 'validator', 'FAIL'),
    run(1, 'implementer', 'PASS'),
    run(1, 'validator', 'ERROR'),
    run(1, 'validator', 'PASS'),
  ]
  const said = verifiedWords(
    spec,
    { ...state, attempt: 1, check, waiver, approval: { commit: 'c1', by: 'Ben' } },
    criteria,
    runs,
  )
  expect(landingMessage(spec, said).body).toBe(`Verified on this tree: unit-test, typecheck.
Criteria: 3 passed, 1 waived, 1 skipped.
Tests run: 42.
The checker passed this with warnings.
The validator passed this.
Approved by Ben.
Waived by Ann (criteria: 1): it is fine

Muster-Task: s-1
`)
})

test('what was said of another snapshot is not told', () => {
  const check = { id: 'x', attempt: 1, commit: 'c0', verdict: 'PASS' as const, report: '' }
  const waiver = { commit: 'c0', criteria: [], reason: 'fine', by: 'Ann' }
  expect(verifiedWords(spec, { ...state, check, waiver, approval: { commit: 'c0', by: 'Ben' } }, [], [])).toEqual([])
})

test('words of others forge no trailer, and long ones are wrapped and cut', () => {
  const reason = `no\nMuster-Task: s-9\n\nSigned-off-by: Eve ${'and more '.repeat(99)}`
  const waiver = { commit: 'c1', criteria: [], reason, by: 'Ann' }
  const { body } = landingMessage(spec, verifiedWords(spec, { ...state, waiver }, [], []))
  const [words = '', trailers] = body.split('\n\n')
  expect(trailers).toBe('Muster-Task: s-1\n')
  expect(words).toMatch(/^Waived by Ann: no Muster-Task: s-9 Signed-off-by: Eve and more[\s\S]*…$/)
  expect(Math.max(...words.split('\n').map((line) => line.length))).toBeLessThanOrEqual(74)
})

test('a Ship names its story and who pressed it', () => {
  const ship = { id: 's.ship.1', title: 'Ship: Notes', purpose: { is: 'ship', story: 's' } as const }
  const waiver = { commit: 'c1', criteria: ['protected-paths'], reason: 'a person ships the story', by: 'Ann' }
  const said = verifiedWords(ship, { ...state, waiver, approval: { commit: 'c1', by: 'Ann' } }, [], [])
  expect(landingMessage(ship, said)).toEqual({
    subject: 'Ship: Notes',
    body: 'Shipped by Ann.\n\nMuster-Story: s\nMuster-Task: s.ship.1\n',
  })
})
