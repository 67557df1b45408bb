import { stop } from '../fixtures/reason.ts'
import { describe, expect, test } from 'vitest'
import { MusterError } from '../errors.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { nextCommands } from './next.ts'
import { buildPhaseMap, type RawPhase } from './phase-map.ts'
import { PRESETS } from './presets.ts'
import { planGateProblems } from './task-plan.ts'
import { initialState, type TaskState } from './task.ts'
import { decide } from './transition.ts'
import { type Rules, type TaskEvent } from './event.ts'
import { WORK } from './purpose.ts'

const known = {
  agent: ['implementer', 'planner'],
  check: ['contract'],
  action: ['merge'],
  signal: ['plan-approval', 'acceptance', 'human-approval'],
}
const mapOf = (raw: Record<string, RawPhase>) => buildPhaseMap(new Map(Object.entries(raw)), known).map
const PLANNED = mapOf(PRESETS['planned'] ?? {})
const rules: Rules = {
  map: PLANNED,
  limits: DEFAULT_LIMITS,
  agent: null,
  checked: false,
  purpose: WORK,
  contract: null,
  handsUp: false,
  protectedTarget: 'main',
}

const fresh = initialState('t', 50)
const plan = { run: 't.r1', digest: 'd1', approved: null }
/** At the gate, with work that was done before: only a map of somebody's own leads there. */
const atGate: TaskState = { ...fresh, status: 'in-progress', phase: 'approve-plan', runs: 1, plan, commit: 'c1' }
/** A changed muster.yaml. */
const under = { config: { from: 'a', to: 'b' }, changes: [], contract: { from: 'a', to: 'b' }, criteria: {} } as never
const say = (state: TaskState, kind: 'accept' | 'approve' | 'reject', message = '') =>
  decide(state, { type: 'decided', kind, message, by: 'ada' }, rules)
const end = (result: object): TaskEvent => ({
  type: 'run-ended',
  runId: 't.r1',
  result: { outcome: 'ADVANCE', detail: '', findings: [], ...result },
})

describe('a plan', () => {
  test('is the newest that a planner wrote, and no attempt', () => {
    const begun = decide(fresh, { type: 'step' }, rules).state
    expect(begun).toMatchObject({ phase: 'plan', attempt: 0, run: { name: 'planner' } })
    const { state, log } = decide(begun, end({ plan: 'd1' }), rules)
    expect(state).toMatchObject({ phase: 'approve-plan', attempt: 0, commit: null, plan })
    expect(log[0]?.data).toMatchObject({ plan: 'd1' })
  })

  test.each(['accept', 'approve'] as const)('%s approves it, and not the work that was done before (H-1)', (kind) => {
    const { state, log } = say(atGate, kind, 'go on')
    expect(state).toMatchObject({ approval: null, answers: null, waiver: null, decision: { kind: 'accept' } })
    expect(state.plan).toEqual({ ...plan, approved: { by: 'ada', note: 'go on' } })
    expect(log[0]?.data).toMatchObject({ kind, by: 'ada', plan: 'd1' })
    expect(log[0]?.data).not.toHaveProperty('approves')
  })

  test('that was approved under other terms is read again under the new ones', () => {
    const approved = { ...plan, approved: { by: 'ada', note: '' } }
    for (const commit of [null, 'c1']) {
      const stands: TaskState = { ...atGate, commit, phase: 'implement', plan: approved }
      const { state } = decide(stands, { type: 'retried', by: 'ada', under }, rules)
      expect(state).toMatchObject({ phase: 'approve-plan', plan, decision: null })
    }
  })

  test.each(['plan', 'approve-plan'])(
    'under other terms the task stays at %s, whatever work was left before (H-1)',
    (phase) => {
      const { state } = decide({ ...atGate, phase }, { type: 'retried', by: 'ada', under }, rules)
      expect(state).toMatchObject({ status: 'in-progress', phase, plan, decision: null })
    },
  )

  test('is asked for where a map without one had come to its author', () => {
    const { state } = decide(
      { ...atGate, phase: 'implement', plan: null },
      { type: 'retried', by: 'ada', under },
      rules,
    )
    expect(state).toMatchObject({ status: 'not-started', phase: null })
  })

  test('of a planner that is held is nothing to accept, whatever work there is', () => {
    const held: TaskState = { ...atGate, phase: 'plan', held: stop('it failed three times') }
    expect(() => say(held, 'accept', 'fine')).toThrow(MusterError)
    expect(nextCommands(held, PLANNED)).toEqual(['muster logs t', 'muster retry t', 'muster cancel t'])
    expect(say(held, 'reject', 'say how').state).toMatchObject({ phase: 'plan', held: null, round: 1 })
  })

  test('whose gate is held can still be approved', () => {
    const { state } = say({ ...atGate, held: stop('phase "approve-plan" used all its 3 attempts') }, 'accept')
    expect(state).toMatchObject({ held: null, decision: { kind: 'accept' }, plan: { approved: { by: 'ada' } } })
  })

  test("a person's own commit takes the place of the work, not of the plan", () => {
    const { state } = decide(atGate, { type: 'submitted', commit: 'c2', by: 'ada' }, rules)
    expect(state).toMatchObject({ phase: 'verify', commit: 'c2', attempt: 1 })
  })
})

describe('a gate for plans', () => {
  const phase = (run: string, on_pass: string, more: Partial<RawPhase> = {}): RawPhase => ({ run, on_pass, ...more })
  const gate = phase('signal plan-approval', 'work', { on_fail: 'plan' })
  const work = phase('agent implementer', 'land')
  const land = phase('action merge', 'done', { on_fail: 'work' })

  test('is reached by the pass of a planner', () => {
    expect(planGateProblems(PLANNED)).toEqual([])
  })

  test.each<[string, Record<string, RawPhase>, string[]]>([
    ['at the start', { gate, plan: phase('agent planner', 'work'), work, land }, ['gate', 'run']],
    ['after other work', { plan: phase('agent implementer', 'gate'), gate, work, land }, ['plan', 'on_pass']],
    [
      'after a failure',
      { plan: phase('agent planner', 'gate'), gate, work, land: { ...land, on_fail: 'gate' } },
      ['land', 'on_fail'],
    ],
  ])('is refused %s: nobody could say what is approved there', (_, raw, path) => {
    expect(planGateProblems(mapOf(raw))).toEqual([
      { path, message: expect.stringContaining('only a planner\'s phase may lead to "signal plan-approval"') },
    ])
  })

  test('is refused where its wait goes on without a person', () => {
    const raw = { plan: phase('agent planner', 'gate'), gate: { ...gate, on_wait: 'work' }, work, land }
    const message = `only a person's decision leads on from "signal plan-approval": remove on_wait`
    expect(planGateProblems(mapOf(raw))).toEqual([{ path: ['gate', 'on_wait'], message }])
  })
})
