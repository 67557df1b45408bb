/** Four weeks of work as they would be stored: two stories and some tasks of none, by two programs. For Insights. */
import type { NewEvent, NewTask, RunRecord } from '../../src/ports/store.ts'
import type { Verdict } from '../../src/domain/verdict/verdict.ts'
import { newRun, newStory, newTask, taskEvent } from '../../src/store/samples.ts'
import { Api } from '../support/http.ts'
import { World } from '../support/world.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const tasks = 60
/** How often the n-th task was sent back. */
const ROUNDS = [0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 3, 0]

export async function pastMonth(): Promise<Api> {
  const world = await World.create({ roles: ['implementer', 'checker'], config: 'phases: checked' })
  const api = await Api.of(world)
  const today = Math.floor(Date.now() / dayMs)
  const stories = [
    { ...newStory('invoices'), name: 'Invoice export' },
    { ...newStory('auth'), name: 'Auth hardening' },
  ]
  const made: NewTask[] = []
  const runs: RunRecord[] = []
  const events: NewEvent[] = []
  for (let n = 1; n <= tasks; n++) {
    const story = ['invoices', 'auth', null][n % 5 < 3 ? 0 : n % 5 === 3 ? 1 : 2] ?? null
    const id = `${story ?? 'task'}-${n}`
    const rounds = ROUNDS[n % ROUNDS.length] ?? 0
    const program = n % 3 === 0 ? 'codex' : 'claude'
    // Nobody works at the weekend.
    const day = today - 27 + Math.floor((n * 28) / (tasks + 1))
    const at = (day - (day % 7 === 2 ? 1 : day % 7 === 3 ? 2 : 0)) * dayMs + 10 * 60 * minuteMs
    made.push(newTask(id, { story }, { status: 'completed', phase: null, round: rounds, attempt: rounds + 1 }))
    events.push(taskEvent(id, 'task-created'))
    for (let round = 0; round <= rounds; round++) {
      const last = round === rounds
      const run = (kind: 'agent' | 'check', name: string, verdict: Verdict, minutes: number, usd?: number) => {
        const usage = { inputTokens: 9000, cachedTokens: 0, outputTokens: 700, ...(usd === undefined ? {} : { usd }) }
        const facts = kind === 'check' ? {} : { program: name === 'checker' ? 'codex' : program, usage }
        runs.push(
          newRun(id, runs.length, {
            kind,
            name,
            attempt: round + 1,
            startedAt: at,
            end: {
              at: at + minutes * minuteMs,
              outcome: 'ADVANCE',
              verdict,
              detail: '',
              commit: null,
              exit: '',
              facts,
            },
          }),
        )
      }
      run('agent', 'implementer', 'PASS', 6 + (n % 7), 0.3 + (n % 9) / 10)
      run('check', 'contract', last || n % 2 === 0 ? 'PASS' : 'FAIL', 1)
      if (!last && n % 2 === 1) continue
      const verdict: Verdict = last ? (n % 20 === 7 ? 'FAIL' : n % 6 === 0 ? 'WARN' : 'PASS') : 'FAIL'
      run('agent', 'checker', verdict, 2, 0.08)
      events.push(taskEvent(id, 'checked', { attempt: round + 1, verdict }))
      if (verdict === 'FAIL' && last)
        events.push(taskEvent(id, 'decision', { kind: 'accept', attempt: round + 1, check: verdict }))
      if (n % 30 === 0) events.push(taskEvent(id, 'decision', { kind: 'reject', attempt: round + 1, check: verdict }))
    }
  }
  await world.store.commit({ at: Date.now(), stories, tasks: made, runs, events })
  return api
}
