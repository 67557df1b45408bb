import { describe, expect, test } from 'vitest'
import { phasesMax } from '../limits.ts'
import type { KnownSteps, RawPhase } from './phase-map.ts'
import { asWritten, buildPhaseMap, parseStep, phaseNamed, settledMap, type PhaseMap } from './phase-map.ts'
import { PRESETS } from './presets.ts'

const known: KnownSteps = {
  agent: ['implementer', 'checker', 'validator', 'planner'],
  check: ['contract', 'unit-test'],
  action: ['merge', 'mark-ready', 'open-pr'],
  signal: ['human-approval', 'acceptance', 'pr-review', 'plan-approval'],
}

const build = (raw: Record<string, RawPhase>) => buildPhaseMap(new Map(Object.entries(raw)), known)
const problemsOf = (raw: Record<string, RawPhase>) => build(raw).problems
const implement: RawPhase = { run: 'agent implementer', on_pass: 'land' }
const land: RawPhase = { run: 'action merge', on_pass: 'done', on_fail: 'implement' }

describe('parseStep', () => {
  test.each([
    ['agent implementer', { type: 'agent', name: 'implementer' }],
    ['check unit-test', { type: 'check', name: 'unit-test' }],
    ['action merge', { type: 'action', name: 'merge' }],
    ['signal human-approval', { type: 'signal', name: 'human-approval' }],
    ['  agent \t implementer ', { type: 'agent', name: 'implementer' }],
  ])('reads "%s"', (run, step) => {
    expect(parseStep(run)).toEqual(step)
  })

  test.each(['', 'agent', 'agent a b', 'robot implementer', 'Agent implementer', 'merge'])(
    'does not take "%s" for a step',
    (run) => {
      expect(parseStep(run)).toBeNull()
    },
  )
})

describe('a map that is accepted', () => {
  test('S2.32 keeps the order written: the first phase starts the task', () => {
    expect(build({ implement, land }).map.map((phase) => phase.name)).toEqual(['implement', 'land'])
    const swapped = build({ land: { ...land, on_pass: 'implement' }, implement: { ...implement, on_pass: 'done' } })
    expect(swapped.problems).toEqual([])
    expect(swapped.map[0]?.name).toBe('land')
  })

  test('S2.6 by default a failure stays at its phase, a wait stays, nothing bounds attempts or time', () => {
    expect(build({ implement: { run: 'agent implementer', on_pass: 'done' } })).toEqual({
      problems: [],
      map: [
        {
          name: 'implement',
          step: { type: 'agent', name: 'implementer', does: 'work' },
          onPass: 'done',
          onFail: 'implement',
          onWait: null,
          attempts: null,
          timeoutMs: null,
        },
      ],
    })
  })

  test('carries what a phase says of its targets, attempts and time', () => {
    const { map } = build({
      implement: { ...implement, on_wait: 'land', attempts: 2, timeoutMs: 5000 },
      land,
    })
    expect(phaseNamed(map, 'implement')).toMatchObject({ onPass: 'land', onWait: 'land', attempts: 2, timeoutMs: 5000 })
    expect(phaseNamed(map, 'nowhere')).toBeUndefined()
  })

  test.each(Object.keys(PRESETS))('the preset %s is one', (name) => {
    expect(problemsOf(PRESETS[name] ?? {})).toEqual([])
  })

  test('S2.10 on_pass may point backwards', () => {
    const map = {
      implement: { run: 'agent implementer', on_pass: 'check' },
      check: { run: 'agent checker', on_pass: 'implement', on_fail: 'land' },
      land,
    }
    expect(problemsOf(map)).toEqual([])
  })

  test('an action that waits at itself is no cycle: the engine waits for an event', () => {
    expect(problemsOf({ implement, land: { ...land, on_wait: 'land' } })).toEqual([])
  })

  test('a cycle of actions with a signal in it is no cycle of actions alone', () => {
    const map = {
      ready: { run: 'action mark-ready', on_pass: 'review', on_fail: 'review' },
      review: { run: 'signal human-approval', on_pass: 'done', on_fail: 'ready' },
    }
    expect(problemsOf(map)).toEqual([])
  })
})

describe('a map that is refused at load', () => {
  test('without a phase', () => {
    expect(problemsOf({})).toEqual([{ path: [], message: 'a phase map needs at least one phase' }])
  })

  test('with more phases than anybody can mean', () => {
    const names = Array.from({ length: phasesMax + 1 }, (_, index) => `p${index}`)
    const raw = Object.fromEntries(names.map((name) => [name, { run: 'action merge', on_pass: 'done' }]))
    expect(problemsOf(raw)).toEqual([{ path: [], message: `a phase map has at most ${phasesMax} phases, not 101` }])
  })

  test('S2.11 with a phase named done', () => {
    expect(problemsOf({ implement, land, done: land })).toContainEqual({
      path: ['done'],
      message: '"done" is reserved and cannot name a phase',
    })
  })

  test.each(['on_pass', 'on_fail', 'on_wait'] as const)('L19 with an unknown target in %s', (key) => {
    const problems = problemsOf({ implement: { ...implement, [key]: 'lnad' }, land })
    expect(problems).toEqual([
      {
        path: ['implement', key],
        message: 'unknown phase "lnad" (known: implement, land, done; did you mean "land"?)',
      },
    ])
  })

  test.each(['on_fail', 'on_wait'] as const)('L20 with done in %s: only a pass completes', (key) => {
    expect(problemsOf({ implement: { ...implement, [key]: 'done' }, land })).toEqual([
      { path: ['implement', key], message: '"done" is only valid for on_pass: only a pass completes a task' },
    ])
  })

  test.each([
    ['step type', 'agnet implementer', 'unknown step type "agnet"', 'did you mean "agent"?'],
    ['step type that is a step name alone', 'merge', 'unknown step type "merge"', 'write "<type> <name>"'],
    ['step without a name', 'agent', '"agent" is not a step', 'write "agent <name>"'],
    ['step with two names', 'check a b', '"check a b" is not a step', 'write "check <name>"'],
    ['role', 'agent implementor', 'unknown role "implementor"', 'did you mean "implementer"?'],
    ['check', 'check unit-tests', 'unknown check "unit-tests"', 'did you mean "unit-test"?'],
    ['action', 'action merge-pr', 'unknown action "merge-pr"', 'known: merge, mark-ready, open-pr'],
    ['signal', 'signal approval', 'unknown signal "approval"', 'known: human-approval'],
  ])('L21 with an unknown %s', (_, run, what, help) => {
    const [problem, ...others] = problemsOf({ implement: { run, on_pass: 'land' }, land })
    expect(others).toEqual([])
    expect(problem?.path).toEqual(['implement', 'run'])
    expect(problem?.message).toContain(what)
    expect(problem?.message).toContain(help)
  })

  test('with a phase that cannot be reached', () => {
    const lost = { run: 'check unit-test', on_pass: 'done' }
    expect(problemsOf({ implement, land, lost })).toEqual([
      { path: ['lost'], message: 'no phase leads to "lost", so it can never be reached' },
    ])
  })

  test('with phases that lead to each other only', () => {
    const problems = problemsOf({
      implement: { run: 'agent implementer', on_pass: 'verify' },
      verify: { run: 'check unit-test', on_pass: 'implement' },
    })
    expect(problems).toEqual([
      { path: ['implement'], message: 'no path leads from "implement" to "done"' },
      { path: ['verify'], message: 'no path leads from "verify" to "done"' },
    ])
  })

  test('with a dead end that one phase can fall into', () => {
    const problems = problemsOf({
      implement: { ...implement, on_fail: 'pit' },
      pit: { run: 'signal human-approval', on_pass: 'pit' },
      land,
    })
    expect(problems).toEqual([{ path: ['pit'], message: 'no path leads from "pit" to "done"' }])
  })

  test('E-27 with an action that fails into itself, also by default', () => {
    const { on_fail: _, ...byDefault } = land
    expect(problemsOf({ implement, land: byDefault })).toEqual([
      {
        path: ['land'],
        message: 'land → land is a cycle of actions only: it would loop without any work in between',
      },
    ])
  })

  test('E-27 with a cycle of several actions, over any outcome', () => {
    const problems = problemsOf({
      implement: { ...implement, on_pass: 'ready' },
      ready: { run: 'action mark-ready', on_pass: 'land', on_fail: 'implement' },
      land: { ...land, on_wait: 'ready' },
    })
    expect(problems.map((problem) => problem.message)).toEqual([
      'ready → land → ready is a cycle of actions only: it would loop without any work in between',
    ])
  })

  test('and says everything that is wrong at once', () => {
    const problems = problemsOf({
      implement: { run: 'agent nobody', on_pass: 'nowhere' },
      land: { run: 'nothing', on_pass: 'done', on_fail: 'done' },
    })
    expect(problems.map((problem) => problem.path)).toEqual([
      ['implement', 'run'],
      ['land', 'run'],
      ['implement', 'on_pass'],
      ['land', 'on_fail'],
    ])
  })
})

test.each([
  [
    'two signals that wait for each other',
    {
      a: { run: 'signal human-approval', on_pass: 'done', on_wait: 'b' },
      b: { run: 'signal human-approval', on_pass: 'done', on_wait: 'a' },
    },
  ],
  [
    'an agent that a pending signal runs again and again',
    {
      a: { run: 'agent implementer', on_pass: 'b' },
      b: { run: 'signal human-approval', on_pass: 'done', on_fail: 'a', on_wait: 'a' },
    },
  ],
])('a cycle by waiting in which nothing counts a round is refused: %s', (_, raw) => {
  const known = { agent: ['implementer'], check: [], action: ['merge'], signal: ['human-approval'] }
  const { problems } = buildPhaseMap(new Map(Object.entries(raw)), known)
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('loops by waiting')])
})

test('a landing may wait at a gate that a person opens', () => {
  const raw = {
    a: { run: 'agent implementer', on_pass: 'land' },
    land: { run: 'action merge', on_pass: 'done', on_fail: 'a', on_wait: 'ask' },
    ask: { run: 'signal human-approval', on_pass: 'land', on_fail: 'a' },
  }
  const known = { agent: ['implementer'], check: [], action: ['merge'], signal: ['human-approval'] }
  expect(buildPhaseMap(new Map(Object.entries(raw)), known).problems).toEqual([])
})

test('a step has what its role does, as whoever reads the map knows it; in a map of an older Muster, its name says it', () => {
  const raw = { work: { run: 'agent checker', on_pass: 'judge' }, judge: { run: 'agent planner', on_pass: 'done' } }
  const dutyOf = (role: string) => (role === 'checker' ? 'work' : 'judge')
  const { map } = buildPhaseMap(new Map(Object.entries(raw)), { ...known, dutyOf })
  const duties = (of: PhaseMap) => of.map(({ step }) => step.does)
  expect(duties(map)).toEqual(['work', 'judge'])
  const older = asWritten(map)
  expect(older[0]?.step).toEqual({ type: 'agent', name: 'checker' })
  expect(duties(settledMap(older))).toEqual(['judge', 'plan'])
  // What was written by this Muster is read as it is, to the letter: maps are compared as texts.
  expect(JSON.stringify(settledMap(JSON.parse(JSON.stringify(map)) as PhaseMap))).toBe(JSON.stringify(map))
})
