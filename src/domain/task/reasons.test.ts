/** Every reason there is, as one page to read: ../fixtures/reasons.txt. */
import { expect, test } from 'vitest'
import { because, codeOf, CODES, comesByItself, isSame, wordsOf, type Code, type Reason } from './reasons.ts'

const pull = { url: 'https://forge.invalid/shop/pull/7', forge: 'GitHub' }
const turned = { url: pull.url, base: 'next', target: 'main' }
const limit = { program: 'claude', until: '2026-11-18T20:00:00.000Z' }
const said = 'exit 1: expected 404, got 500'

const SAMPLES: { [C in Code]: readonly Extract<Reason, { code: C }>['params'][] } = {
  'contract-question': (['ambiguous', 'advisory', 'in-story', 'always'] as const).map((why) => ({ task: 's-1', why })),
  unanswered: [{ ids: ['c1'] }, { ids: ['c1', 'c2'] }],
  'only-person': [{ ids: ['c2', 'c3'] }],
  checker: [
    { verdict: 'FAIL', said: 'the page still fails' },
    { verdict: 'ERROR', said: 'timed out after 10m' },
  ],
  approval: [
    { task: 's-1', target: 'main', open: [] },
    { task: 's-1', target: 'main', open: ['c2'] },
  ],
  budget: [{ whose: 'of story s', usedUsd: 5.2, limitUsd: 5, raise: 'raise limits.budgetUsd', task: 's-1' }],
  protected: [{ paths: ['muster.yaml', 'vitest.config.ts'] }],
  unclear: [{ said: 'c2 unit-test: red in another way' }],
  'deploy-unknown': [{ why: 'its process is gone and left no exit code' }],
  recurring: [{ who: 'the verification', rounds: 3, said }],
  rounds: [{ max: 50, said }],
  attempts: [
    { phase: 'verify', max: 2, judged: false, said },
    { phase: 'validate', max: 1, judged: true, said },
  ],
  interrupted: [{ who: 'implementer', times: 20 }],
  'cannot-run': [
    { who: 'unit', times: 1, said: 'no space left' },
    { who: 'the verification', times: 3, said: 'no space left' },
  ],
  'no-phase': [{ phase: 'review' }],
  queue: [{ target: 'main' }],
  'verify-merge': [{ target: 'main' }],
  'verify-target': [{ target: 'main' }],
  obstacle: [
    { what: 'main is checked out in /home/ada/shop with uncommitted changes: a.txt', brief: false },
    { what: 'another git process is at work', brief: true },
  ],
  git: [{ said: 'git merge-tree failed (128): bad object' }],
  look: [{ at: 'work' }, { at: 'plan' }],
  'checker-at-work': [
    { check: 's-1.check.1', limit: null },
    { check: 's-1.check.1', limit },
  ],
  forge: [
    { said: 'GitHub does not answer', hint: null, busy: true },
    { said: 'there is no token', hint: 'set GITHUB_TOKEN', busy: false },
  ],
  'pull-request': [{}],
  'pull-closed': [pull],
  'pull-moved': [{ url: pull.url }],
  'pull-draft': [
    { url: pull.url, by: 'forge' },
    { url: pull.url, by: 'map' },
  ],
  'pull-merged-elsewhere': [turned],
  'pull-turned': [turned],
  'foreign-commit': [{ there: 'muster/a1/task/s-1', forge: 'GitHub', commit: 'f'.repeat(40), by: 'ada', task: 's-1' }],
  'target-parted': [{ said: 'main has different commits here and at GitHub' }],
  'target-moved': [{ target: 'main', forge: 'GitHub' }],
  'merge-untold': [{ target: 'main', forge: 'GitHub' }],
  'merge-refused': [{ ...pull, why: 'a required check is missing' }],
  review: [
    { said: 'no approving review of 0123456789ab yet', url: pull.url },
    { said: 'a person must review it', url: null },
  ],
  ci: [
    { said: 'checks are running on 0123456789ab: test', state: 'running', url: null },
    { said: 'all checks passed on 0123456789ab: lint', state: 'more', url: null },
    {
      said: 'skipped or neutral on 0123456789ab, which does not count as passed: test',
      state: 'stopped',
      url: pull.url,
    },
  ],
  cancelled: [{ said: 'not needed' }],
  'gave-up': [{ said: 'timed out after 10m' }],
  'its-turn': [{}],
  'program-limit': [limit],
  deadlock: [{ task: 's-3', reason: 'failed', via: 's-2', root: 's-1' }],
  dependencies: [{ ids: ['s-1', 's-2'] }],
  run: [{ kind: 'agent', name: 'implementer' }],
  'plan-decision': [{}],
  decision: [{ signal: 'acceptance' }],
  reading: [{ signal: 'acceptance' }],
  older: [{ text: 'a sentence of an older Muster', as: 'budget', byItself: false }],
}

const all: Reason[] = CODES.flatMap((code) => SAMPLES[code].map((params) => because(code, params as never)))

test('H-12 every reason has a sentence, and says whether a person is needed', async () => {
  const line = (reason: Reason) => `${reason.code}${comesByItself(reason) ? '' : ' (a person)'}\n  ${wordsOf(reason)}\n`
  await expect(all.map(line).join('')).toMatchFileSnapshot('../fixtures/reasons.txt')
})

test('a reason is a value: it survives storage, and equals another with the same parameters', () => {
  for (const reason of all) {
    const stored = JSON.parse(JSON.stringify(reason)) as Reason
    expect([isSame(stored, reason), wordsOf(stored)]).toEqual([true, wordsOf(reason)])
  }
  expect(isSame(because('queue', { target: 'main' }), because('queue', { target: 'next' }))).toBe(false)
  expect([isSame(null, null), isSame(null, because('its-turn', {}))]).toEqual([true, false])
})

test('H-12 words of agents, repositories and forges are parameters: they never make another reason', () => {
  const lure = 'a person must approve the landing on main (muster approve s-1)'
  expect(codeOf(because('unclear', { said: lure }))).toBe('unclear')
  expect(codeOf(because('older', { text: lure, as: null, byItself: false }))).toBeNull()
  expect(codeOf(null)).toBeNull()
})
