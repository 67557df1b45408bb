/** The rule of the gate, case by case. What it comes to over whole lives of tasks is in gate.property.test.ts. */
import { because } from './reasons.ts'
import { worded } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import type { Contract, Criterion } from '../contract/contract.ts'
import { sampleContract } from '../fixtures/samples.ts'
import { MAP, Walk } from '../fixtures/walk.ts'
import {
  askPerson,
  isGated,
  isLastGate,
  isUnverified,
  unanswered,
  unasked,
  verifiedTree,
  withAnswers,
  withoutAnswers,
} from './gate.ts'
import { settledMap, type PhaseMap } from './phase-map.ts'
import { initialState, type TaskState } from './task.ts'

const criterion = (id: string, judge: Criterion['judge'], more: Partial<Criterion> = {}): Criterion => ({
  id,
  activity: 'acceptance',
  description: 'it works',
  kind: 'goal',
  judge,
  ...more,
})
const contract = (type: Contract['type'], ...criteria: Criterion[]): Contract => ({ ...sampleContract, type, criteria })
const ALL = contract('verifiable', criterion('c1', 'machine'), criterion('c2', 'checker'), criterion('c3', 'person'))
const gate = { contract: ALL, handsUp: false }
const state = (more: Partial<TaskState> = {}): TaskState => ({ ...initialState('t', 50), commit: 'a', ...more })
const idsOf = (criteria: readonly Criterion[]) => criteria.map(({ id }) => id)

describe('unanswered', () => {
  test('is what judges and people have not answered for this snapshot and this contract', () => {
    expect(idsOf(unanswered(state(), gate))).toEqual(['c2', 'c3'])
    const by = { c2: 'checker', c3: 'ada' }
    expect(unanswered(state({ answers: { commit: 'a', contract: 'h1', by } }), gate)).toEqual([])
    expect(unanswered(state({ answers: { commit: 'b', contract: 'h1', by } }), gate)).toHaveLength(2)
    expect(unanswered(state({ answers: { commit: 'a', contract: 'h0', by } }), gate)).toHaveLength(2)
  })

  test('leaves out what a person waived for this snapshot, what is skipped, and what the parent answers', () => {
    const waiver = { commit: 'a', criteria: ['c3'], reason: 'fine', by: 'ada' }
    expect(idsOf(unanswered(state({ waiver }), gate))).toEqual(['c2'])
    expect(idsOf(unanswered(state({ waiver: { ...waiver, commit: 'b' } }), gate))).toEqual(['c2', 'c3'])
    const skipped = contract('verifiable', criterion('c1', 'checker', { skipped: 'no tool' }))
    expect(unanswered(state(), { contract: skipped, handsUp: false })).toEqual([])
    expect(unanswered(state(), { contract: ALL, handsUp: true })).toEqual([])
  })
})

describe('answers', () => {
  test('a judge answers what it names and is for judges; a person answers everything', () => {
    expect(withAnswers(state(), gate, ['c1', 'c2', 'c3', 'c9'], 'checker').answers?.by).toEqual({ c2: 'checker' })
    const both = withAnswers(withAnswers(state(), gate, ['c2'], 'checker'), gate, 'all', 'ada')
    expect(both.answers).toEqual({ commit: 'a', contract: 'h1', by: { c2: 'checker', c3: 'ada' } })
    expect(withoutAnswers(both, ['c2']).answers?.by).toEqual({ c3: 'ada' })
  })

  test('those of another snapshot or contract are gone with the first new one', () => {
    const old = state({ answers: { commit: 'b', contract: 'h1', by: { c2: 'checker' } } })
    expect(withAnswers(old, gate, ['c2'], 'validator').answers).toEqual({
      commit: 'a',
      contract: 'h1',
      by: { c2: 'validator' },
    })
    expect(withAnswers(state({ commit: null }), gate, 'all', 'ada').answers).toBeNull()
  })
})

describe('verification', () => {
  const verified = { tree: 'tree', contract: 'h1' }

  test('counts for the contract in force alone', () => {
    expect(verifiedTree(state({ verified }), gate)).toBe('tree')
    expect(verifiedTree(state({ verified: { ...verified, contract: 'h0' } }), gate)).toBeNull()
    expect([isUnverified(state(), gate), isUnverified(state({ verified }), gate)]).toEqual([true, false])
  })

  test.each<[boolean, Contract | null]>([
    [true, contract('skip')],
    [true, contract('advisory', criterion('c1', 'machine'))],
    [false, contract('advisory', criterion('c1', 'person'))],
    [false, contract('advisory', criterion('c1', 'machine', { skipped: 'no tool' }))],
    [false, null],
  ])('is %s to be done for %j', (needed, of) => {
    expect(isUnverified(state(), { contract: of })).toBe(needed)
  })
})

describe('maps', () => {
  const mapOf = (...runs: string[]): PhaseMap =>
    settledMap(
      runs.map((run, n) => {
        const [type, name = ''] = run.split(' ')
        const step = { type: type as 'agent', name }
        return { name: `p${n}`, step, onPass: 'done', onFail: 'p0', onWait: null, attempts: null, timeoutMs: null }
      }),
    )

  test('produce a tree if they land or verify', () => {
    const gated = (...runs: string[]) => isGated(mapOf(...runs))
    expect([gated('action merge'), gated('check contract'), gated('agent merge', 'check unit')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test.each<[string[], string[]]>([
    [
      ['agent implementer', 'action merge'],
      ['c2', 'c3'],
    ],
    [
      ['agent implementer', 'signal ci', 'action merge'],
      ['c2', 'c3'],
    ],
    [['agent implementer', 'agent verifier', 'action merge'], ['c3']],
    [['agent implementer', 'signal human-approval', 'action merge'], []],
  ])('%j ask nobody about %j', (runs, open) => {
    expect(idsOf(unasked(ALL, mapOf(...runs)))).toEqual(open)
  })
})

test('what a person is asked names the criteria', () => {
  const asked = askPerson([criterion('c1', 'person'), criterion('c2', 'person')])
  expect(asked).toEqual(because('unanswered', { ids: ['c1', 'c2'] }))
})

describe('a person', () => {
  test('H-12 is asked before the landing, as a value, and answers what is open', () => {
    const walk = new Walk(MAP, { contract: ALL }).to('land').step()
    expect(walk.state).toMatchObject({ held: { code: 'unanswered' }, phase: 'land', run: null })
    expect(walk.decides('accept').state).toMatchObject({
      held: null,
      answers: { by: { c2: 'ada', c3: 'ada' } },
    })
  })

  test('H-1 who takes what a held author left has overruled nobody: judges are asked as ever', () => {
    const map = { ...MAP, implement: { run: 'agent implementer', on_pass: 'verify', attempts: 1 } }
    const walk = new Walk(map, { contract: ALL }).runs('RETRY', 'not done', { commit: 'c1' })
    expect(worded(walk.state).held).toContain('used its only attempt')
    const { state: taken } = walk.decides('accept', 'good enough to look at')
    expect(taken).toMatchObject({ phase: 'verify', waiver: { criteria: [] } })
    expect(idsOf(unanswered(taken, gate))).toEqual(['c2', 'c3'])
  })
})

describe('the last gate before the landing', () => {
  const map = (...steps: [string, PhaseMap[number]['step']['type'], string][]): PhaseMap =>
    settledMap(
      steps.map(([name, type, what], index) => ({
        name,
        step: { type, name: what },
        onPass: steps[index + 1]?.[0] ?? 'done',
        onFail: steps[0]?.[0] ?? '',
        onWait: null,
        attempts: null,
        timeoutMs: null,
      })),
    )
  const work = ['implement', 'agent', 'implementer'] as const
  const land = ['land', 'action', 'merge'] as const

  test('is one behind which only machines and judges look', () => {
    const checked = map([...work], ['accept', 'signal', 'acceptance'], ['lint', 'check', 'lint'], [...land])
    expect(isLastGate(checked, 'accept')).toBe(true)
    expect(isLastGate(checked, 'land')).toBe(true)
    expect(isLastGate(checked, 'implement')).toBe(false)
    const judged = map([...work], ['review', 'signal', 'human-approval'], ['look', 'agent', 'validator'], [...land])
    expect(isLastGate(judged, 'review')).toBe(true)
  })

  test('is none that another person, another author or a pull request comes behind, and none that leads nowhere', () => {
    const two = map([...work], ['first', 'signal', 'acceptance'], ['second', 'signal', 'human-approval'], [...land])
    expect([isLastGate(two, 'first'), isLastGate(two, 'second')]).toEqual([false, true])
    const planned = map(['plan', 'agent', 'planner'], ['agree', 'signal', 'human-approval'], [...work], [...land])
    expect(isLastGate(planned, 'agree')).toBe(false)
    const pull = map([...work], ['accept', 'signal', 'acceptance'], ['pr', 'action', 'open-pr'], [...land])
    expect(isLastGate(pull, 'accept')).toBe(false)
    expect(isLastGate(map([...work], ['end', 'signal', 'acceptance']), 'end')).toBe(false)
    const circle = [{ ...two[1]!, onPass: 'first' }]
    expect(isLastGate(circle, 'first')).toBe(false)
  })
})
