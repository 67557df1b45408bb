/** `muster stats`: how reliable judges are (F-5), how many rounds work takes, and what each role costs. */
import type { Cost } from '../../domain/cost.ts'
import { costOf } from '../../domain/cost.ts'
import { CONTRACT, isOver } from '../../domain/task/task.ts'
import type { Verdict } from '../../domain/verdict/verdict.ts'
import { VERDICTS } from '../../domain/verdict/verdict.ts'
import type { Store, VerdictLine } from '../../ports/store.ts'
import { eachTask } from './views.ts'

/** `check contract` as people call it. */
const VERIFICATION = 'verification'

export interface Stats {
  /** What judges said, by role. */
  judges: ({ role: string } & Record<Verdict, number>)[]
  /** What agents said of their own work and of others', and what verifications came to; by role and program. */
  verdicts: ({ role: string; program: string | null } & Record<Verdict, number>)[]
  /** How often people overruled the checker: of so many that they decided on, so many. */
  overruled: { pass: Overruled; fail: Overruled }
  /** Of tasks that are over. */
  rounds: {
    tasks: number
    mean: number | null
    max: number | null
    none: number
    /** How many tasks took how many, the fewest first. */
    by: { rounds: number; tasks: number }[]
  }
  roles: ({ role: string; runs: number } & Cost)[]
}

interface Overruled {
  verdicts: number
  overruled: number
  /** null: nothing to go by. */
  rate: number | null
}

export async function statistics(store: Store, story?: string): Promise<Stats> {
  const ids = story === undefined ? null : new Set<string>()
  const rounds: number[] = []
  for await (const { spec, state } of eachTask(store, story === undefined ? {} : { story })) {
    ids?.add(spec.id)
    if (isOver(state.status)) rounds.push(state.round)
  }
  const spent = Map.groupBy(await store.spent({ story }), ({ role }) => role)
  const verdicts = await store.verdicts(story)
  return {
    judges: counted(
      verdicts.filter(({ does }) => does === 'judge'),
      ({ role }) => ({ role }),
    ),
    verdicts: counted(
      verdicts.filter(({ kind, role }) => kind === 'agent' || role === CONTRACT),
      ({ kind, role, program }) => ({ role: kind === 'check' ? VERIFICATION : role, program }),
    ),
    overruled: await overruledOf(store, ids),
    rounds: {
      tasks: rounds.length,
      mean: rounds.length === 0 ? null : rounds.reduce((sum, round) => sum + round, 0) / rounds.length,
      max: rounds.length === 0 ? null : rounds.reduce((most, round) => Math.max(most, round), 0),
      none: rounds.filter((round) => round === 0).length,
      by: [...Map.groupBy(rounds, (round) => round)]
        .map(([round, tasks]) => ({ rounds: round, tasks: tasks.length }))
        .sort((a, b) => a.rounds - b.rounds),
    },
    roles: [...spent].map(([role, lines]) => {
      return { role, runs: lines.reduce((sum, { runs }) => sum + runs, 0), ...costOf(lines) }
    }),
  }
}

/** How often which verdict, by what `keyOf` leaves of a line, in the order of the lines. */
function counted<K extends object>(
  lines: readonly VerdictLine[],
  keyOf: (line: VerdictLine) => K,
): (K & Record<Verdict, number>)[] {
  const found = new Map<string, K & Record<Verdict, number>>()
  for (const line of lines) {
    const key = keyOf(line)
    const none = Object.fromEntries(VERDICTS.map((one) => [one, 0])) as Record<Verdict, number>
    const counts = found.get(JSON.stringify(key)) ?? { ...key, ...none }
    Object.assign(counts, { [line.verdict]: counts[line.verdict] + line.runs })
    found.set(JSON.stringify(key), counts)
  }
  return [...found.values()]
}

/**
 * A PASS is overruled when a person sends the same attempt back, a FAIL when a person accepts it. Of an attempt only the
 * last word counts.
 */
async function overruledOf(store: Store, ids: Set<string> | null): Promise<Stats['overruled']> {
  const checks = new Map<string, Verdict>()
  const against = { pass: new Set<string>(), fail: new Set<string>() }
  for (const { chain, type, data } of await store.judgements()) {
    const task = chain.slice('task:'.length)
    if (ids !== null && !ids.has(task)) continue
    if (type === 'checked') checks.set(`${task} ${String(data['attempt'])}`, data['verdict'] as Verdict)
    const about = `${task} ${String(data['attempt'])}`
    if (type !== 'decision' || !checks.has(about)) continue
    const rejected = data['kind'] === 'reject'
    const passed = data['check'] === 'PASS' || data['check'] === 'WARN'
    if (rejected && passed) against.pass.add(about)
    if (!rejected && data['check'] === 'FAIL') against.fail.add(about)
  }
  const count = (...of: Verdict[]) => [...checks.values()].filter((verdict) => of.includes(verdict)).length
  const rated = (verdicts: number, overruled: number): Overruled => {
    return { verdicts, overruled, rate: verdicts === 0 ? null : overruled / verdicts }
  }
  return {
    pass: rated(count('PASS', 'WARN'), against.pass.size),
    fail: rated(count('FAIL'), against.fail.size),
  }
}
