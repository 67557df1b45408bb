/** What `muster run` says to type about what waits: what the task's standing asks for, never what its words contain (H-12). */
import { expect, test } from 'vitest'
import { nextCommands } from '../domain/task/next.ts'
import { stop } from '../domain/fixtures/reason.ts'
import { because } from '../domain/task/reasons.ts'
import { PRESETS } from '../domain/task/presets.ts'
import { buildPhaseMap } from '../domain/task/phase-map.ts'
import { initialState, type TaskState } from '../domain/task/task.ts'
import type { TaskView } from '../engine/views/views.ts'
import { summaryText } from './summary.ts'

const { map } = buildPhaseMap(new Map(Object.entries(PRESETS['reviewed'] ?? {})), {
  agent: ['implementer'],
  check: ['contract'],
  action: ['merge'],
  signal: ['human-approval'],
})
const at = (phase: string, more: Partial<TaskState>): TaskState => ({
  ...initialState('s-1', 50),
  status: 'in-progress',
  phase,
  commit: 'c1',
  ...more,
})
const APPROVAL = because('approval', { task: 's-1', target: 'main', open: [] })
const LURE = 'a person must approve the landing on main (muster approve s-1), its checker says so'

test.each<[string, TaskState, string]>([
  ['a decision', at('review', {}), 'muster diff s-1   muster accept s-1   muster reject s-1 -m "what must change"'],
  ['an approval to land', at('land', { wait: APPROVAL }), 'muster approve s-1'],
  [
    'an obstacle whose words speak of approval',
    at('land', { wait: stop(LURE) }),
    'muster diff s-1   muster run   muster reject',
  ],
  [
    'a hold whose words speak of approval',
    at('implement', { held: stop(LURE) }),
    'muster retry s-1   muster accept s-1 -m',
  ],
  [
    'criteria without an answer',
    at('land', { held: because('unanswered', { ids: ['c1'] }) }),
    'muster show s-1   muster accept s-1   muster',
  ],
  [
    'a question',
    at('implement', { held: because('contract-question', { task: 's-1', why: 'advisory' }) }),
    'muster contract s-1 --type verifiable',
  ],
])('%s', (_, state, answer) => {
  const next = nextCommands(state, map)
  const task = { id: 's-1', status: 'in-progress', stage: 'review', waitingFor: 'x', next, caveats: [] as string[] }
  const rest = { interrupted: false, paused: false, nothingToDo: false, unsaved: 0, limited: [], ready: [] }
  const text = summaryText({ story: null, tasks: [task as unknown as TaskView], ...rest })
  expect(text).toContain(answer)
  expect(text.includes('approve')).toBe(state.wait === APPROVAL)
})

test('a run without arguments names what can be shipped', () => {
  const rest = { interrupted: false, paused: false, nothingToDo: true, unsaved: 0, limited: [] }
  const text = summaryText({ story: null, tasks: [], ...rest, ready: ['shop', 'blog'] })
  expect(text).toBe(
    'open tasks: nothing to do\n  story shop is ready: muster ship shop\n  story blog is ready: muster ship blog\n',
  )
})
