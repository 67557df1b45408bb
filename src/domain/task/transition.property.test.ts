/** What holds for every task on every map, whatever happens to it in whatever order. */
import { stop, worded } from '../fixtures/reason.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MusterError } from '../errors.ts'
import type { Phase, PhaseMap, RawPhase } from './phase-map.ts'
import { nextCommands } from './next.ts'
import { buildPhaseMap, phaseNamed } from './phase-map.ts'
import type { TaskState } from './task.ts'
import { initialState, isOver } from './task.ts'
import type { Decided, Rules, StepResult, TaskEvent } from './event.ts'
import { decide } from './transition.ts'
import { standsAtAcceptance } from './check.ts'
import { dutyByName } from '../role.ts'
import { WORK } from './purpose.ts'
import { VERDICTS } from '../verdict/verdict.ts'

const KNOWN = {
  agent: ['implementer', 'checker', 'validator', 'planner'],
  check: ['unit'],
  action: ['merge', 'mark-ready'],
  signal: ['human-approval', 'acceptance', 'plan-approval'],
}
const STEPS = Object.entries(KNOWN).flatMap(([type, names]) => names.map((name) => `${type} ${name}`))
const NAMES = ['one', 'two', 'three', 'four', 'five', 'toString']

/** Mostly forward on a pass and back to an earlier phase on a failure, as people write them, and anything else at times. */
const rawMap = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const names = NAMES.slice(0, size)
  const any = fc.constantFrom(...names)
  const phases = names.map((_, index): fc.Arbitrary<RawPhase> => {
    const next = names[index + 1] ?? 'done'
    return fc.record({
      run: fc.constantFrom(...STEPS),
      on_pass: fc.oneof(
        { weight: 8, arbitrary: fc.constant(next) },
        { weight: 1, arbitrary: fc.constant('done') },
        any,
      ),
      on_fail: fc.oneof({ weight: 2, arbitrary: fc.constant(names[0]) }, any, fc.constant(undefined)),
      on_wait: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, any),
      attempts: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 3 })),
    })
  })
  return fc.tuple(...phases).map((raw) => new Map(raw.map((phase, index) => [names[index] ?? '', phase])))
})

const validMap = rawMap
  .map((raw) => buildPhaseMap(raw, KNOWN))
  .filter(({ problems }) => problems.length === 0)
  .map(({ map }) => map)

const ACCEPTED = buildPhaseMap(
  new Map([
    ['one', { run: 'agent implementer', on_pass: 'two' }],
    ['two', { run: 'signal acceptance', on_pass: 'three', on_fail: 'one' }],
    ['three', { run: 'action merge', on_pass: 'done', on_fail: 'one' }],
  ]),
  KNOWN,
).map

const rules: fc.Arbitrary<Rules> = fc.record({
  map: validMap,
  limits: fc.record({
    maxWorkers: fc.constant(1),
    maxTaskRounds: fc.integer({ min: 1, max: 6 }),
    maxErrorAttempts: fc.integer({ min: 1, max: 3 }),
    maxValidators: fc.constant(1),
    maxValidationAttempts: fc.constant(1),
    maxCheckerAttempts: fc.constant(1),
  }),
  agent: fc.constantFrom(null, { role: 'coder', does: 'work' }, { role: 'checker', does: 'judge' }),
  checked: fc.boolean(),
  purpose: fc.constant(WORK),
  contract: fc.constant(null),
  handsUp: fc.constant(false),
})

const result: fc.Arbitrary<StepResult> = fc.record(
  {
    outcome: fc.constantFrom('ADVANCE', 'ADVANCE', 'ADVANCE', 'RETRY', 'WAIT', 'ERROR'),
    // Failures differ as a rule: the same one three rounds in a row holds the task.
    detail: fc.constantFrom('', 'because', 'two\nlines', 'the form', 'the page', 'a link', 'no test'),
    findings: fc.constantFrom(
      [],
      ...['broken', 'missing', 'empty', 'wrong'].map((message) => [{ severity: 'FAIL' as const, message }]),
    ),
    commit: fc.constantFrom('c1', 'c2', null),
    crashed: fc.boolean(),
    interrupted: fc.boolean(),
  },
  { requiredKeys: ['outcome', 'detail', 'findings', 'commit'] },
)

/** `fits` asks for the event as it would really come; otherwise it is foreign, late or for another moment. */
const happening = fc.record({
  fits: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  event: fc.oneof(
    { weight: 12, arbitrary: fc.constant<TaskEvent>({ type: 'step' }) },
    {
      weight: 16,
      arbitrary: fc.record({ type: fc.constant('run-ended' as const), runId: fc.constant('x.r1'), result }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant('signal' as const), name: fc.constantFrom(...KNOWN.signal), result }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('waited' as const), reason: fc.constantFrom(stop('a'), stop('b')) }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        type: fc.constant('decided' as const),
        kind: fc.constantFrom('accept' as const, 'reject' as const, 'approve' as const),
        message: fc.constantFrom('', 'words'),
        by: fc.constant('ada'),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('checked' as const),
        check: fc.constant('t.check.99'),
        runs: fc.constant(1),
        verdict: fc.constantFrom(...VERDICTS),
        detail: fc.constantFrom('', 'because'),
        findings: fc.constantFrom([], [{ severity: 'FAIL' as const, message: 'broken' }]),
        answers: fc.constant([]),
      }),
    },
    { weight: 3, arbitrary: fc.constant<TaskEvent>({ type: 'retried', by: 'ada' }) },
    { weight: 1, arbitrary: fc.constant<TaskEvent>({ type: 'cancelled', reason: 'enough', by: 'ada' }) },
  ),
})

interface Move {
  before: TaskState
  event: TaskEvent
  after: TaskState
  decided: Decided
  map: PhaseMap
  of: Rules
}

/** Walks a task through what happens and shows every move; a person's impossible request is no move. */
function walk(rules: Rules, happenings: readonly { fits: boolean; event: TaskEvent }[]): Move[] {
  deepFreeze(rules)
  const moves: Move[] = []
  let before = deepFreeze(initialState('t', rules.limits.maxTaskRounds))
  const oldRuns: string[] = []
  for (const { fits, event: raw } of happenings) {
    const event = deepFreeze(aimed(raw, fits, before, oldRuns, rules.map))
    const first = attempt(before, event, rules)
    expect(attempt(structuredClone(before), structuredClone(event), structuredClone(rules))).toEqual(first)
    if (first === null) continue
    moves.push({ before, event, after: first.state, decided: first, map: rules.map, of: rules })
    if (before.run !== null && first.state.run === null) oldRuns.push(before.run.id)
    before = deepFreeze(first.state)
  }
  return moves
}

function attempt(state: TaskState, event: TaskEvent, rules: Rules): Decided | null {
  try {
    return decide(state, event, rules)
  } catch (error) {
    if (error instanceof MusterError && isPersons(event)) return null
    throw error
  }
}

function aimed(event: TaskEvent, fits: boolean, state: TaskState, oldRuns: string[], map: PhaseMap): TaskEvent {
  if (event.type === 'run-ended') {
    return { ...event, runId: (fits ? state.run?.id : oldRuns.at(-1)) ?? event.runId }
  }
  if (event.type === 'checked') return fits && state.check !== null ? { ...event, check: state.check.id } : event
  const step = phaseNamed(map, state.phase ?? '')?.step
  if (event.type === 'signal' && fits && step?.type === 'signal') return { ...event, name: step.name }
  return event
}

const isPersons = (event: TaskEvent) => ['decided', 'retried', 'cancelled'].includes(event.type)

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

const walks = fc.tuple(rules, fc.array(happening, { minLength: 5, maxLength: 60, size: 'max' }))

/** On a map with acceptance, checked: what random maps seldom come to. */
const checkedWalks = walks.map(([of, happenings]): [Rules, typeof happenings] => [
  { ...of, map: ACCEPTED, checked: true },
  happenings,
])

/** More of them in `npm run soak`. */
const walksRun = process.env['MUSTER_SOAK'] ? 500 : 60

/** `then` holds for every move that `when` is about; a property about no move at all proves nothing. */
function always(when: (move: Move) => boolean, then: (move: Move) => void, numRuns = walksRun, among = walks): void {
  let met = 0
  fc.assert(
    fc.property(among, ([rules, happenings]) => {
      for (const move of walk(rules, happenings).filter(when)) {
        then(move)
        met += 1
      }
    }),
    { numRuns },
  )
  expect(met).toBeGreaterThan(0)
}

const everyMove = () => true
const said = ({ decided }: Move, outcome: string) =>
  decided.log.some(({ data }) => 'outcome' in data && data.outcome === outcome)
const decidedBy = ({ decided }: Move, ...kinds: string[]) =>
  decided.log.some((entry) => entry.type === 'decision' && kinds.includes(entry.data.kind))
const isLate = ({ decided }: Move) => decided.log.some((entry) => entry.type === 'late-result-ignored')

test('the maps these properties are tried on are many and various', () => {
  const maps = fc.sample(rawMap, { numRuns: 1000, seed: 1 }).map((raw) => buildPhaseMap(raw, KNOWN))
  const accepted = maps.filter(({ problems }) => problems.length === 0)
  expect(accepted.length).toBeGreaterThan(250)
  expect(new Set(accepted.map(({ map }) => map.length)).size).toBe(NAMES.length)
})

test('the walks reach every status, holds, waits and several rounds', () => {
  const seen = new Set<string | false>()
  for (const [rule, happenings] of fc.sample(walks, { numRuns: 600, seed: 2 })) {
    for (const { after } of walk(rule, happenings)) {
      seen
        .add(after.status)
        .add(after.held !== null && 'held')
        .add(after.wait !== null && 'wait')
      seen
        .add(after.decision !== null && 'decision')
        .add(after.round > 2 && 'rounds')
        .add(after.runs > 6 && 'runs')
    }
  }
  for (const status of ['not-started', 'in-progress', 'completed', 'failed', 'cancelled'])
    expect(seen).toContain(status)
  for (const other of ['held', 'wait', 'decision', 'rounds', 'runs']) expect(seen).toContain(other)
})

describe('whatever happens', () => {
  test('S2.1 deciding changes neither state, event nor rules, and answers the same twice', () => {
    // Both are checked on every walk: everything is frozen, and every question is asked twice.
    always(everyMove, ({ before }) => expect(Object.isFrozen(before)).toBe(true))
  })

  test('S2.8 S2.9 S2.10 the round changes on RETRY only, and by one', () => {
    always(everyMove, (move) => {
      const sentBack = !isLate(move) && (said(move, 'RETRY') || isSentBackByPerson(move))
      expect(move.after.round - move.before.round).toBe(sentBack ? 1 : 0)
    })
  })

  test('S2.28 the round never exceeds its bound', () => {
    always(everyMove, ({ after }) => expect(after.round).toBeLessThanOrEqual(after.roundsMax))
  })

  test('S2.28 a task at the bound of its rounds has failed, until a person gives it up', () => {
    always(
      ({ after }) => after.round === after.roundsMax && after.status !== 'cancelled',
      ({ after }) => {
        expect(after.status).toBe('failed')
        expect(worded(after).failureReason).toContain('exceeded max rounds')
      },
    )
  })

  test('completed is for ever', () => {
    always(
      ({ before }) => before.status === 'completed',
      ({ before, after }) => expect(after).toBe(before),
    )
  })

  test('failed and cancelled end only when a person retries; what failed may be given up', () => {
    always(
      ({ before }) => before.status === 'failed' || before.status === 'cancelled',
      ({ before, event, after }) => {
        const moved =
          event.type === 'retried' ? 'not-started' : event.type === 'cancelled' ? 'cancelled' : before.status
        expect(after.status).toBe(moved)
      },
    )
  })

  test('S2.11 only a recorded ADVANCE, or a recorded acceptance by a person, completes a task', () => {
    always(
      ({ before, after }) => after.status === 'completed' && before.status !== 'completed',
      (move) => {
        expect(said(move, 'ADVANCE') || decidedBy(move, 'accept', 'approve')).toBe(true)
        expect(phaseBefore(move)?.onPass).toBe('done')
      },
    )
  })

  test('S2.6 every entered phase is on_pass of a recorded pass, on_wait of a WAIT or on_fail of a new round', () => {
    always(
      ({ before, decided }) => before.phase !== null && decided.log.some((entry) => entry.type === 'phase-entered'),
      (move) => {
        const phase = phaseBefore(move)
        const passed = said(move, 'ADVANCE') || decidedBy(move, 'accept', 'approve')
        const waited = said(move, 'WAIT') || move.event.type === 'waited'
        const target = passed ? phase?.onPass : waited ? phase?.onWait : phase?.onFail
        expect(move.after.phase).toBe(target)
        expect(move.after.round - move.before.round).toBe(passed || waited ? 0 : 1)
      },
    )
  })

  test('no word of a person passes an action: only its own ADVANCE does', () => {
    always(
      (move) => phaseBefore(move)?.step.type === 'action' && decidedBy(move, 'accept', 'approve'),
      ({ before, after }) => expect([after.status, after.phase]).toEqual(['in-progress', before.phase]),
      1000,
    )
  })

  test('S2.12 S2.13 a run starts only in a turn, when none is active and no person is needed', () => {
    always(
      ({ decided }) => decided.commands.some((command) => command.type === 'start'),
      ({ before, event, after, decided }) => {
        const starts = decided.commands.filter((command) => command.type === 'start')
        expect([event.type, before.run, before.held, isOver(before.status)]).toEqual(['step', null, null, false])
        expect(starts).toHaveLength(1)
        expect(starts[0]?.run.id).toBe(`t.r${before.runs + 1}`)
        expect(starts[0]).toMatchObject({
          run: after.run,
          phase: after.phase,
          attempt: after.attempt,
          round: after.round,
        })
      },
    )
  })

  test('a run that no command started is the one that was there', () => {
    always(
      ({ after, decided }) => after.run !== null && !decided.commands.some((command) => command.type === 'start'),
      ({ before, after }) => expect(after.run).toBe(before.run),
    )
  })

  test('while a run is active the task is under way and not held', () => {
    always(
      ({ after }) => after.run !== null,
      ({ after }) => expect([after.status, after.held]).toEqual(['in-progress', null]),
    )
  })

  test('an active run leaves only when it ends or the task is cancelled, which stops it', () => {
    always(
      ({ before, after }) => before.run !== null && after.run === null,
      ({ before, event, decided }) => {
        const runId = before.run?.id
        const stops = decided.commands.filter((command) => command.type === 'stop')
        expect(event.type === 'cancelled' || (event.type === 'run-ended' && event.runId === runId)).toBe(true)
        expect(stops).toEqual(event.type === 'cancelled' ? [{ type: 'stop', runId }] : [])
      },
    )
  })

  test('the attempt grows with an author run only, by one', () => {
    always(everyMove, ({ before, after, decided }) => {
      const start = decided.commands.find((command) => command.type === 'start')
      const author = start?.run.kind === 'agent' && dutyByName(start.run.name) === 'work'
      expect(after.attempt - before.attempt).toBe(author ? 1 : 0)
    })
  })

  test('a held task moves only by a person', () => {
    always(
      ({ before, event }) => before.held !== null && !isPersons(event),
      ({ before, after, decided }) => {
        expect(after).toBe(before)
        expect(decided.commands).toEqual([])
      },
    )
  })

  test('a result of a foreign or finished run changes nothing and is written down', () => {
    always(
      ({ before, event }) => event.type === 'run-ended' && event.runId !== before.run?.id,
      ({ before, after, decided }) => {
        expect(after).toBe(before)
        expect(decided.log.map((entry) => entry.type)).toEqual(['late-result-ignored'])
        expect([...decided.commands, ...decided.findings]).toEqual([])
      },
    )
  })

  test('S0.2, S0.37 a checker is at work only for the snapshot of a task that stands unanswered at acceptance', () => {
    always(
      ({ after }) => after.check?.verdict === null,
      ({ after, map }) => {
        expect([standsAtAcceptance(after, map), after.decision]).toEqual([true, null])
        expect([after.check?.commit, after.check?.attempt]).toEqual([after.commit, after.attempt])
      },
      walksRun,
      checkedWalks,
    )
  })

  test('F-4, E-4 whatever takes the task from its checker calls it off in the same transition', () => {
    always(
      ({ before, after, event }) =>
        before.check?.verdict === null && after.check?.verdict !== null && event.type !== 'checked',
      ({ before, decided }) => {
        const also = decided.commands.find((command) => command.type === 'also')
        expect(also).toMatchObject({ task: before.check?.id, event: { type: 'superseded' } })
      },
      walksRun,
      checkedWalks,
    )
  })

  test('E-4, L13 a verdict that nobody waits for is written down and changes nothing', () => {
    always(
      ({ before, event }) =>
        event.type === 'checked' && (event.check !== before.check?.id || before.check.verdict !== null),
      ({ before, after, decided }) => {
        expect(after).toEqual(before)
        expect(decided.log.map((entry) => entry.type)).toEqual(['late-result-ignored'])
        expect([...decided.commands, ...decided.findings]).toEqual([])
      },
      walksRun,
      checkedWalks,
    )
  })

  test('S0.4, S0.5, L30 a checker moves a task by PASS and WARN only, never back and never in a round', () => {
    always(
      ({ event, decided }) => event.type === 'checked' && decided.log.some((entry) => entry.type === 'checked'),
      ({ before, after, event }) => {
        expect(after.round).toBe(before.round)
        const passed = event.type === 'checked' && (event.verdict === 'PASS' || event.verdict === 'WARN')
        const stays = after.status === before.status && after.phase === before.phase
        expect(passed || stays).toBe(true)
      },
      walksRun,
      checkedWalks,
    )
  })

  test('what leaves no entry in the log changes, commands and finds nothing', () => {
    always(
      ({ decided }) => decided.log.length === 0,
      ({ before, after, decided }) => {
        expect(after).toBe(before)
        expect([...decided.commands, ...decided.findings]).toEqual([])
      },
    )
  })

  test('L20 a task under way stands at a phase of its map', () => {
    always(
      ({ after }) => after.status === 'in-progress',
      ({ after, map }) => expect(phaseNamed(map, after.phase ?? '')).toBeDefined(),
    )
  })

  test('a task that waits to start or has completed stands at no phase', () => {
    always(
      ({ after }) => after.status === 'not-started' || after.status === 'completed',
      ({ after }) => expect(after.phase).toBeNull(),
    )
  })

  test('a task that is over has no run and waits for nobody', () => {
    always(
      ({ after }) => isOver(after.status),
      ({ after: { run, held, wait, decision } }) =>
        expect([run, held, wait, decision]).toEqual([null, null, null, null]),
    )
  })

  test('ERROR never moves a task', () => {
    always(
      (move) => !isLate(move) && said(move, 'ERROR'),
      ({ before, after, decided }) => {
        expect([after.status, after.phase, after.round]).toEqual([before.status, before.phase, before.round])
        // What was said is for the person who decides, never for the author.
        expect(decided.findings.filter(({ severity }) => severity === 'FAIL')).toEqual([])
      },
    )
  })
  test('what a person is told to type is not refused', () => {
    const said = { message: 'because', by: 'ada' }
    const events: Record<string, TaskEvent> = {
      accept: { type: 'decided', kind: 'accept', ...said },
      approve: { type: 'decided', kind: 'approve', ...said },
      reject: { type: 'decided', kind: 'reject', ...said },
      retry: { type: 'retried', by: 'ada' },
      cancel: { type: 'cancelled', reason: '', by: 'ada' },
    }
    const told = new Set<string>()
    for (const among of [walks, checkedWalks]) {
      always(
        everyMove,
        ({ after, of }) => {
          for (const command of nextCommands(after, of.map)) {
            const word = command.split(' ')[1] ?? ''
            const event = events[word]
            if (event === undefined) continue
            told.add(word)
            expect(() => decide(after, event, of), `${command} of ${JSON.stringify(after)}`).not.toThrow()
          }
        },
        walksRun,
        among,
      )
    }
    expect([...told].toSorted()).toEqual(Object.keys(events).toSorted())
  })
})

function phaseBefore({ before, map }: Move): Phase | undefined {
  return phaseNamed(map, before.phase ?? '')
}

/** A rejection that acts at once; at a gate it is kept for the gate to read. */
function isSentBackByPerson(move: Move): boolean {
  return decidedBy(move, 'reject') && move.after.decision === null
}
