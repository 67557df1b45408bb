/**
 * H-1, H-2: whatever the map, the contract and the order of events, no task is completed, and no landing begins, with a
 * criterion that nobody answered. What was answered is kept here apart from the state: from what was told to `decide`.
 */
import { stop } from '../fixtures/reason.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Contract, Criterion } from '../contract/contract.ts'
import { MusterError } from '../errors.ts'
import { sampleContract } from '../fixtures/samples.ts'
import { isGated } from './gate.ts'
import type { RawPhase } from './phase-map.ts'
import { buildPhaseMap } from './phase-map.ts'
import { currentPhase, initialState, type TaskState } from './task.ts'
import { decide } from './transition.ts'
import { type Rules, type TaskEvent } from './event.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { WORK } from './purpose.ts'

const KNOWN = {
  agent: ['implementer', 'validator', 'code-reviewer', 'planner'],
  check: ['unit', 'contract'],
  action: ['merge', 'mark-ready'],
  signal: ['human-approval', 'acceptance', 'pr-review', 'plan-approval'],
}
const STEPS = Object.entries(KNOWN).flatMap(([type, names]) => names.map((name) => `${type} ${name}`))
const OTHER = 'a tree that nobody verified'
const NAMES = ['one', 'two', 'three', 'four', 'five']

const rawMap = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const names = NAMES.slice(0, size)
  const phases = names.map((_, index): fc.Arbitrary<RawPhase> =>
    fc.record({
      run:
        index === 0 ? fc.oneof(fc.constant('agent implementer'), fc.constantFrom(...STEPS)) : fc.constantFrom(...STEPS),
      on_pass: fc.oneof(
        { weight: 6, arbitrary: fc.constant(names[index + 1] ?? 'done') },
        { weight: 2, arbitrary: fc.constant('done') },
        fc.constantFrom(...names),
      ),
      on_fail: fc.constantFrom(...names, undefined),
      on_wait: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom(...names)),
      attempts: fc.constantFrom(undefined, undefined, 1, 2),
    }),
  )
  return fc.tuple(...phases).map((raw) => new Map(raw.map((phase, index) => [names[index] ?? '', phase])))
})
const maps = rawMap
  .map((raw) => buildPhaseMap(raw, KNOWN))
  .filter(({ map, problems }) => problems.length === 0 && isGated(map))
  .map(({ map }) => map)

const criterion = fc.record(
  {
    activity: fc.constant('acceptance'),
    description: fc.constant('it works'),
    kind: fc.constantFrom<Criterion['kind']>('goal', 'guard'),
    judge: fc.constantFrom<Criterion['judge']>('machine', 'checker', 'person'),
    skipped: fc.constant('no tool'),
  },
  { requiredKeys: ['activity', 'description', 'kind', 'judge'] },
)

/** A sealed contract, and the same with one criterion more, as a diff may add it. */
const contracts = fc
  .tuple(
    fc.array(criterion, { maxLength: 4 }),
    criterion,
    fc.constantFrom<Contract['type']>('verifiable', 'skip', 'advisory'),
  )
  .map(([first, more, type]): [Contract, Contract] => {
    const of = (hash: string, list: typeof first, as: Contract['type']): Contract => {
      const criteria = list.map((one, index) => ({ ...one, id: `c${index + 1}` }))
      return { ...sampleContract, type: as, criteria, hash }
    }
    return [of('h1', first, type), of('h2', [...first, more], 'verifiable')]
  })

/** What may happen next, as wishes: a tale makes of each what an engine, a judge or a person could say at that point. */
const happening = fc.record({
  what: fc.constantFrom(
    'step',
    'step',
    'end',
    'end',
    'end',
    'end',
    'decide',
    'decide',
    'signal',
    'retry',
    'submit',
    'check',
    'late',
  ),
  outcome: fc.constantFrom('ADVANCE', 'ADVANCE', 'ADVANCE', 'RETRY', 'WAIT', 'ERROR'),
  kind: fc.constantFrom('accept', 'accept', 'approve', 'reject'),
  message: fc.constantFrom('', 'words'),
  answers: fc.subarray(['c1', 'c2', 'c3', 'c4', 'c5', 'c9']),
  grows: fc.boolean(),
  stale: fc.integer({ min: 0, max: 2 }),
  hold: fc.integer({ min: 0, max: 5 }),
  merged: fc.integer({ min: 0, max: 9 }),
})
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

/** What was told about one snapshot under one contract: the oracle. */
interface Told {
  verified: boolean
  answered: Set<string>
}

class Tale {
  state: TaskState = initialState('t', 50)
  /** What was open when a landing began or the task was completed. */
  readonly unanswered: string[] = []
  readonly #told = new Map<string, Told>()
  #contract: Contract
  #commits = 0

  readonly #rules: Omit<Rules, 'contract'>
  readonly #grown: Contract

  constructor(rules: Omit<Rules, 'contract'>, [contract, grown]: [Contract, Contract]) {
    this.#rules = rules
    this.#contract = contract
    this.#grown = grown
  }

  #about(commit: string | null, contract = this.#contract.hash): Told {
    const key = `${commit} ${contract}`
    const told = this.#told.get(key) ?? { verified: false, answered: new Set<string>() }
    this.#told.set(key, told)
    return told
  }

  happens(wish: Happening): void {
    const { state } = this
    const event = this.#event(wish)
    if (event === null) return
    // A new snapshot may bring a contract with more criteria in the same commit.
    const isNew = event.type === 'run-ended' && event.result.commit != null
    if (isNew && wish.grows) this.#contract = this.#grown
    const rules: Rules = { ...this.#rules, contract: this.#contract }
    let decided
    try {
      decided = decide(state, event, rules)
    } catch (error) {
      if (error instanceof MusterError) return
      throw error
    }
    this.state = decided.state
    this.#remember(event, state)
    const lands = decided.commands.some((command) => command.type === 'start' && command.run.name === 'merge')
    if (lands) this.unanswered.push(...this.#unanswered('judges'))
    if (this.state.status === 'completed' && state.status !== 'completed')
      this.unanswered.push(...this.#unanswered('all'))
  }

  /** What people and judges said counts for the snapshot and contract that it was said of. */
  #remember(event: TaskEvent, before: TaskState): void {
    const told = this.#about(before.commit)
    const everything = () => {
      for (const { id } of this.#contract.criteria) told.answered.add(id)
    }
    if (event.type === 'run-ended' && before.run?.id === event.runId) {
      const { verified, answers = [], landed } = event.result
      // Another tree than the verified one landed: it is to be verified.
      if (landed?.tree === OTHER) told.verified = false
      if (verified?.contract === this.#contract.hash) told.verified = true
      for (const id of answers) told.answered.add(id)
    }
    if (event.type === 'checked') for (const id of event.answers) told.answered.add(id)
    // Who approves a plan has seen no work.
    const atPlan = currentPhase(before, this.#rules.map)?.step.name === 'plan-approval'
    if (event.type === 'decided' && event.kind !== 'reject' && !atPlan) {
      everything()
      // Who accepts a held verification has waived what it did not find out; the next one leaves that out.
    }
    if (event.type === 'signal' && event.result.approval !== undefined) everything()
    if (event.type === 'step' && event.merged !== undefined) everything()
  }

  /** What nobody answered, of what has to be answered by now. */
  #unanswered(whom: 'judges' | 'all'): string[] {
    const contract = this.#contract
    const told = this.#about(this.state.commit)
    const counted = contract.criteria.filter(({ skipped }) => skipped === undefined)
    const open = counted.filter(({ judge, id }) => judge !== 'machine' && !told.answered.has(id))
    const machine = counted.some(({ judge }) => judge === 'machine') || contract.type !== 'advisory'
    return [
      ...(this.#rules.handsUp ? [] : open.map(({ id }) => id)),
      ...(whom === 'all' && machine && !told.verified ? ['the verification'] : []),
    ]
  }

  #event(wish: Happening): TaskEvent | null {
    const { state } = this
    const phase = currentPhase(state, this.#rules.map)
    switch (wish.what) {
      case 'step':
        return { type: 'step', ...(wish.merged === 0 && { merged: { by: 'forge' } }) }
      case 'end':
        return state.run === null ? null : this.#ended(wish, state.run)
      case 'late':
        return {
          type: 'run-ended',
          runId: 't.r0',
          result: { outcome: 'ADVANCE', detail: '', findings: [], answers: ['c1'] },
        }
      case 'decide':
        return { type: 'decided', kind: wish.kind as 'accept', message: wish.message, by: 'ada' }
      case 'signal': {
        if (phase?.step.type !== 'signal') return null
        // Only a decision, a review at the forge, or a parent's cover passes a signal.
        const reviewed = phase.step.name === 'pr-review' && state.commit !== null
        const passes = state.decision?.kind === 'accept' || reviewed || this.#rules.handsUp
        const outcome = wish.outcome === 'ADVANCE' && !passes ? 'WAIT' : (wish.outcome as 'ADVANCE')
        const approval = reviewed && outcome === 'ADVANCE' ? { commit: state.commit ?? '', by: 'bob' } : undefined
        return { type: 'signal', name: phase.step.name, result: { outcome, detail: '', findings: [], approval } }
      }
      case 'retry':
        return { type: 'retried', by: 'ada' }
      case 'submit':
        return { type: 'submitted', commit: `c${++this.#commits}`, by: 'ada' }
      default: {
        const { check } = state
        if (check === null) return null
        const passed = wish.outcome === 'ADVANCE'
        const verdict = passed ? ('PASS' as const) : wish.outcome === 'RETRY' ? ('FAIL' as const) : ('ERROR' as const)
        const answers = passed ? wish.answers : []
        return { type: 'checked', check: check.id, runs: 1, verdict, detail: 'said', findings: [], answers }
      }
    }
  }

  #ended({ outcome, answers, stale, hold }: Happening, run: NonNullable<TaskState['run']>): TaskEvent {
    const is = (name: string) => run.name === name
    const result = {
      outcome: outcome as 'ADVANCE',
      detail: `${outcome} of ${run.name} ${'x'.repeat(this.#commits)}`,
      findings: [],
    }
    const ended = (more: object): TaskEvent => ({ type: 'run-ended', runId: run.id, result: { ...result, ...more } })
    if (is('implementer'))
      return ended({ commit: `c${++this.#commits}`, verdict: outcome === 'ADVANCE' ? 'PASS' : 'FAIL' })
    if (is('planner')) return ended({ verdict: 'PASS', ...(outcome === 'ADVANCE' ? { plan: 'digest' } : {}) })
    if (is('contract')) {
      const passed = outcome === 'ADVANCE'
      const contract = stale === 0 ? 'h0' : this.#contract.hash
      const verified = passed ? { verified: { tree: `tree of ${this.state.commit}`, contract } } : {}
      const unmet = passed ? [] : this.#contract.criteria.filter(({ judge }) => judge === 'machine').map(({ id }) => id)
      return ended({ ...verified, unmet, ...(hold === 0 ? { hold: stop('it changes what judges') } : {}) })
    }
    if (is('merge')) {
      const tree = stale === 0 ? OTHER : this.state.verified?.tree
      const landed =
        outcome === 'ADVANCE' ? { landed: { from: 'a', to: 'b', ...(tree === undefined ? {} : { tree }) } } : {}
      return ended({ ...landed, ...(outcome === 'WAIT' ? { reverify: true } : {}) })
    }
    const passed = outcome === 'ADVANCE'
    return ended({ verdict: passed ? 'PASS' : outcome === 'RETRY' ? 'FAIL' : 'ERROR', ...(passed ? { answers } : {}) })
  }
}

const tales = fc.record({
  map: maps,
  contract: contracts,
  checked: fc.boolean(),
  handsUp: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  happenings: fc.array(happening, { minLength: 10, maxLength: 80, size: 'max' }),
})

test('H-1 no reachable state is completed, and no landing begins, with an unanswered criterion', () => {
  const ends = new Map<string, number>()
  fc.assert(
    fc.property(tales, ({ map, contract, checked, handsUp, happenings }) => {
      const rules = { map, limits: DEFAULT_LIMITS, agent: null, purpose: WORK, checked, handsUp }
      const tale = new Tale(rules, contract)
      for (const wish of happenings) tale.happens(wish)
      expect(tale.unanswered).toEqual([])
      ends.set(tale.state.status, (ends.get(tale.state.status) ?? 0) + 1)
    }),
    { numRuns: process.env['MUSTER_SOAK'] ? 10_000 : 1000 },
  )
  // Many of them do get there.
  expect(ends.get('completed') ?? 0).toBeGreaterThan(10)
})
