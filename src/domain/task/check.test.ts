/** What a checker's verdict means for the task that it checked, without any engine. */
import { worded } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import type { Criterion } from '../contract/contract.ts'
import { sampleContract } from '../fixtures/samples.ts'
import { Walk } from '../fixtures/walk.ts'
import type { FindingText, Verdict } from '../verdict/verdict.ts'

const MAP = {
  implement: { run: 'agent implementer', on_pass: 'accept' },
  accept: { run: 'signal acceptance', on_pass: 'land', on_fail: 'implement' },
  land: { run: 'action merge', on_pass: 'done', on_fail: 'implement' },
}
const criterion = (id: string, judge: Criterion['judge']): Criterion => {
  return { id, activity: 'acceptance', description: 'it works', kind: 'goal', judge }
}
const forChecker = [criterion('c1', 'checker')]
const forPeople = [...forChecker, criterion('c2', 'person'), criterion('c3', 'person')]
const odd: FindingText = { severity: 'FAIL', message: 'odd', file: 'a.ts', line: 3, criterion: 'c1' }

function checking(criteria = forChecker): Walk {
  const contract = { ...sampleContract, criteria }
  return new Walk(MAP, { contract, checked: true }).to('accept')
}

function says(walk: Walk, verdict: Verdict, detail = '', findings: FindingText[] = [], check = 't-1.check.1'): Walk {
  return walk.apply({ type: 'checked', check, runs: 1, verdict, detail, findings, answers: ['c1'] })
}

describe('a checker', () => {
  test('begins in the transition that brings the task to acceptance', () => {
    const walk = checking()
    expect(walk.state).toMatchObject({ phase: 'accept', check: { id: 't-1.check.1', attempt: 1, commit: 'c1' } })
    expect(walk.commands).toContainEqual({ type: 'check', check: walk.state.check })
  })

  test.each<Verdict>(['PASS', 'WARN'])('that says %s accepts what nobody else has to answer', (verdict) => {
    expect(says(checking(), verdict).state).toMatchObject({ phase: 'land', answers: { by: { c1: 'checker' } } })
  })

  test('H-2 that passes leaves to a person what only a person can answer, by name, its findings as remarks', () => {
    const walk = says(checking(forPeople), 'PASS', '', [odd])
    expect(worded(walk.state)).toMatchObject({
      phase: 'accept',
      wait: 'only a person can answer c2, c3 of its contract',
    })
    expect(walk.findings).toMatchObject([{ severity: 'WARN', message: 'odd', source: 'checker' }])
    expect(walk.commands).toMatchObject([{ type: 'notify', kind: 'needs-you', subject: 't-1 needs your decision' }])
  })

  test('that says FAIL keeps the task for a person, with all that it said', () => {
    const walk = says(checking(), 'FAIL', 'it is empty', [odd])
    expect(worded(walk.state)).toMatchObject({
      phase: 'accept',
      wait: 'its checker says it is not done: it is empty',
      check: { verdict: 'FAIL', report: 'it is empty\n[FAIL] c1 a.ts:3 odd' },
      answers: null,
    })
    expect(walk.findings.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'FAIL it is empty',
      'FAIL odd',
    ])
  })

  test('that could not tell is no answer, and nothing for the author', () => {
    const walk = says(checking(), 'ERROR', 'it took too long', [odd])
    expect(worded(walk.state)).toMatchObject({ wait: 'its checker could not tell: it took too long' })
    expect(walk.findings).toEqual([])
  })

  test('of another attempt, or after a person has spoken, is written down and ignored', () => {
    const other = says(checking(), 'PASS', '', [], 't-1.check.2')
    expect(other.state).toMatchObject({ phase: 'accept', check: { verdict: null } })
    const late = says(checking().decides('accept'), 'FAIL')
    expect(late.state).toMatchObject({ decision: { kind: 'accept' }, check: null })
    for (const walk of [other, late]) expect(walk.log.at(-1)?.type).toBe('late-result-ignored')
  })

  test('is called off in the moment in which a person accepts', () => {
    const { commands } = checking().decides('accept')
    expect(commands).toMatchObject([{ type: 'also', task: 't-1.check.1', event: { type: 'superseded' } }])
  })
})
