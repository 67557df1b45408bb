/**
 * A person's accept, a person's reject and the checker's verdict arrive together, in every order: exactly one wins, and
 * the log says which (E-4, F-11, S0.56). The engine, its transactions and the store are real; nobody works, so that there
 * can be many.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkId, CHECKER_MAP } from '../../src/domain/task/check.ts'
import { DEFAULT_LIMITS } from '../../src/domain/limits.ts'
import { buildPhaseMap } from '../../src/domain/task/phase-map.ts'
import { initialState, type TaskState } from '../../src/domain/task/task.ts'
import type { Verdict } from '../../src/domain/verdict/verdict.ts'
import { outcomeOf } from '../../src/domain/verdict/verdict.ts'
import { engineCommands } from '../../src/engine/commands.ts'
import { Engine } from '../../src/engine/loop/engine.ts'
import type { EngineParts } from '../../src/engine/loop/parts.ts'
import { acceptance } from '../../src/engine/steps/signals/acceptance.ts'
import type { Store } from '../../src/ports/store.ts'
import { newTask, taskEvent } from '../../src/store/samples.ts'
import { openStore } from '../../src/store/store.ts'

const count = process.env['MUSTER_SOAK'] ? 500 : 50

let top = ''
let store: Store
afterEach(async () => {
  await store.close()
  rmSync(top, { recursive: true })
})

const MAP = buildPhaseMap(
  new Map([
    ['implement', { run: 'agent implementer', on_pass: 'accept' }],
    ['accept', { run: 'signal acceptance', on_pass: 'polish', on_fail: 'implement' }],
    ['polish', { run: 'agent implementer', on_pass: 'done' }],
  ]),
  { agent: ['implementer'], check: [], action: [], signal: ['acceptance'] },
).map

/** A task at acceptance whose checker is at work, as a crash would leave both. */
async function stand(id: string): Promise<void> {
  const check = { id: checkId(id, 1), attempt: 1, commit: 'c1', verdict: null, report: '' }
  const at: Partial<TaskState> = { status: 'in-progress', phase: 'accept', attempt: 1, runs: 1, commit: 'c1', check }
  const run = { id: `${check.id}.r1`, kind: 'agent' as const, name: 'checker', does: 'judge' as const }
  const checking: Partial<TaskState> = { status: 'in-progress', phase: 'check', attempt: 1, runs: 1, commit: 'c1', run }
  const checker = newTask(check.id, { phases: CHECKER_MAP, purpose: { is: 'check', of: id } }, checking)
  const record = { taskId: check.id, phase: 'check', attempt: 1, round: 0, nonce: 'n', contract: null, startedAt: 1 }
  await store.commit({
    at: 1,
    tasks: [newTask(id, { phases: MAP }, { ...initialState(id, 50), ...at }), checker],
    runs: [{ ...run, ...record, end: null }],
    events: [taskEvent(id, 'task-created'), taskEvent(check.id, 'task-created')],
  })
}

/** What of the engine's surroundings is asked at all when nobody works. */
function parts(): EngineParts {
  const config = {
    limits: DEFAULT_LIMITS,
    agents: { checker: {} },
    protected: [],
    phases: MAP,
  } as unknown as EngineParts['config']
  const absent = new Proxy({}, { get: () => async () => null })
  return {
    store,
    config,
    signals: { acceptance },
    actions: {},
    channels: [],
    probe: { emit() {} },
    clock: { now: () => 1, steady: () => 1, after: () => () => {}, soon: (work: () => void) => setImmediate(work) },
    random: { nonce: () => 'n' },
    workspaces: absent,
    forge: absent,
    runtime: absent,
    contracts: absent,
    verifier: absent,
    executor: absent,
    golden: absent,
    dataDir: top,
    projectRoot: top,
  } as unknown as EngineParts
}

const VERDICTS: Verdict[] = ['PASS', 'WARN', 'FAIL', 'ERROR']
const ORDERS = [
  ['accept', 'reject', 'verdict'],
  ['accept', 'verdict', 'reject'],
  ['reject', 'accept', 'verdict'],
  ['reject', 'verdict', 'accept'],
  ['verdict', 'accept', 'reject'],
  ['verdict', 'reject', 'accept'],
] as const

test(`E-4, F-11, S0.56 ${count} times accept, reject and a verdict together: exactly one wins, and the log says which`, async () => {
  top = mkdtempSync(join(tmpdir(), 'muster-races-'))
  store = await openStore({ file: join(top, 'muster.db') })
  await store.commit({ at: 1, configs: [{ hash: 'c1', body: JSON.stringify(parts().config) }] })
  for (let n = 0; n < count; n++) await stand(`t-${n}`)
  const engine = new Engine(parts())
  const commands = engineCommands(engine)
  await engine.load()
  const winners = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const id = `t-${n}`
    const verdict = VERDICTS[n % VERDICTS.length] ?? 'PASS'
    const order = ORDERS[Math.floor(n / VERDICTS.length) % ORDERS.length] ?? ORDERS[0]
    const result = { outcome: outcomeOf(verdict), verdict, detail: 'said', findings: [] }
    const runId = `${checkId(id, 1)}.r1`
    const end = { at: 1, outcome: result.outcome, verdict, detail: 'said', commit: null, exit: null, facts: {} }
    const ended = { id: runId, end }
    const acts = {
      accept: () => commands.decide({ kind: 'accept', task: id, message: 'fine', by: 'ann' }),
      reject: () => commands.decide({ kind: 'reject', task: id, message: 'no', by: 'bob' }),
      verdict: () => engine.transactor.apply(checkId(id, 1), { type: 'run-ended', runId, result }, { ended }),
    }
    const ends = await Promise.allSettled(order.map((act) => acts[act]()))
    const said = new Map(order.map((act, index) => [act, ends[index]?.status === 'fulfilled']))
    const events = await store.events(`task:${id}`)
    const decisions = events.filter(({ type }) => type === 'decision')
    const moved = events.filter(({ type, data }) => type === 'checked' && data['outcome'] === 'ADVANCE')
    const waited = events.filter(({ type, data }) => type === 'checked' && data['outcome'] === 'WAIT')
    const late = (await store.events(`task:${checkId(id, 1)}`)).filter(({ type }) => type === 'late-result-ignored')
    const { state } = (await store.task(id))!

    // One of the three has decided, and both others know that they have not.
    expect([n, decisions.length + moved.length]).toEqual([n, 1])
    expect(decisions.length).toBe([said.get('accept'), said.get('reject')].filter(Boolean).length)
    const winner = String(decisions[0]?.data['kind'] ?? 'verdict')
    winners.set(winner, (winners.get(winner) ?? 0) + 1)
    // A verdict that came first and waited for a person is what the person decided on; one that came later is late.
    expect([winner, waited.length + late.length]).toEqual([winner, winner === 'verdict' ? 0 : 1])
    expect([state.phase, state.decision?.kind ?? 'verdict']).toEqual([
      winner === 'verdict' ? 'polish' : 'accept',
      winner,
    ])
  }
  // Every one of them has won at times, or the race was none.
  expect([...winners.keys()].sort()).toEqual(['accept', 'reject', 'verdict'])
  expect((await store.verifyHistory()).bad).toBeNull()
})
