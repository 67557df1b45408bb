/** A project in the middle of its work, as the board would show it on a usual day: for its tests and its pictures. */
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'

const CHANGE = 'mkdir -p src; echo "$MUSTER_TASK_ID $MUSTER_ATTEMPT" >>"src/$MUSTER_TASK_ID.txt"'
const CHECKS = `checks:
  unit: "printf 'TAP version 13\\\\nok 1 - refuses a token after 30 minutes\\\\nok 2 - keeps one at 29:59\\\\nok 3 - clock skew\\\\n1..3\\\\n'"
  types: "true"
  lint: "test ! -f src/s-6.txt"
`

export const TASKS = `  - { id: 1, name: Export endpoint, description: "Answer GET /export with all invoices as CSV.", acceptance_criteria: "GET /export answers 200", checks: [unit, types, lint] }
  - { id: 2, name: Totals with tax, description: "Show totals with tax.", checks: [unit, types] }
  - { id: 3, name: Expire sessions after 30 minutes, description: "A session that is older than 30 minutes is refused, however often it was refreshed.", acceptance_criteria: "A session older than 30 minutes is refused", checks: [unit, types, lint] }
  - { id: 4, name: CSV header per locale, description: "The header of the CSV follows the locale.", checks: [unit, types, lint] }
  - { id: 5, name: Timezone of due dates, description: "Due dates are shown in the customer's timezone.", checks: [unit, types, lint] }
  - { id: 6, name: Escape formula cells, description: "Cells that begin with = are escaped.", checks: [unit, types, lint] }
  - { id: 7, name: Rate-limit login, description: "Five tries a minute.", checks: [unit], depends_on: [3] }
  - { id: 8, name: Rotate signing keys, description: "Every 30 days.", checks: [unit], depends_on: [7] }
  - { id: 9, name: Currency rounding, description: "Half to even.", checks: [unit, types] }
  - { id: 10, name: PDF page breaks, description: "No invoice line is cut in two.", checks: [unit, types], phases: reviewed }
`

/** Tasks done, at work, being checked, refused by their checker, out of rounds, waiting for a person and for others. */
export async function usualDay(): Promise<{ api: Api; open(): Promise<void> }> {
  const world = await World.create({
    roles: ['implementer', 'checker'],
    config: `phases: checked\nlimits: { maxWorkers: 8, maxTaskRounds: 2 }\n${CHECKS}`,
  })
  const gates = [world.gate('writing'), world.gate('checking')]
  world.agent('implementer', `${CHANGE}; verdict pass`)
  world.agent('s-4.implementer', `${CHANGE}; echo 'Edit src/export/csv.ts (+14 -3)'; gate writing; verdict pass`)
  world.agent('s-5.checker', 'echo "Reading src/due.ts"; gate checking; verdict pass')
  world.agent('s-3.checker', 'verdict fail "token refresh never checks the absolute limit (src/session.ts:88)"')
  world.agent('s-9.checker', 'verdict fail "rounds half up, not half to even"')
  world.agent('s-2.checker', 'verdict warn "the constant 1800 appears twice"')
  world.agent('task-1.checker', 'verdict fail "nothing says what is slow"')
  const api = await Api.of(world)
  const landed = (id: string) => world.until(({ type, task }) => type === 'task-completed' && task === id)
  const asked = (id: string) => world.until(({ type, task }) => type === 'checked' && task === id)
  await world.submit(TASKS, 'Invoices and sessions')
  await Promise.all([
    ...['s-1', 's-2'].map(landed),
    ...['s-3', 's-9'].map(asked),
    world.until(({ type, task, to }) => type === 'phase-entered' && task === 's-10' && to === 'review'),
    world.until(({ type, task }) => type === 'task-failed' && task === 's-6'),
    world.until(({ type, task }) => type === 'check-started' && task === 's-5'),
  ])
  await world.accept('s-9', 'the accountant wants it so')
  await landed('s-9')
  // As muster serve does: tasks of no story have their turns as well.
  world.engine.settled(undefined).catch(() => undefined)
  await world.add('Investigate slow checkout')
  await world.until(({ type, task }) => type === 'checked' && task === 'task-1')
  return { api, open: async () => void (await Promise.all(gates.map((gate) => gate.open()))) }
}
