/** muster cost: what agents have used, by day, story, role and program. */
import type { Cost } from '../domain/cost.ts'
import { costOf, describeCost, startOfDay } from '../domain/cost.ts'
import { MusterError } from '../domain/errors.ts'
import { iso } from '../engine/views.ts'
import type { SpentLine } from '../ports/store.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { reading } from './session.ts'

export async function cost(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  const story = typeof options['story'] === 'string' ? options['story'] : undefined
  await reading(io, async (store) => {
    if (story !== undefined && (await store.story(story)) === null) {
      throw new MusterError('not_found', `there is no story "${story}"`, { hint: 'muster status lists them' })
    }
    const lines = await store.spent({ story })
    const total = { runs: lines.reduce((sum, { runs }) => sum + runs, 0), ...costOf(lines) }
    if (options['json'] === true) return printJson(io, { total, lines: lines.map(lineView) })
    if (lines.length === 0) return io.say('no agent has run yet\n')
    for (const part of [
      section('day', lines, ({ day }) => dayText(day)),
      section('story', lines, (line) => line.story ?? '(none)'),
      section('role', lines, ({ role }) => role),
      section('program', lines, ({ program }) => program),
    ])
      io.out(`${part}\n`)
    io.out(`total: ${runsText(total.runs)}, ${costText(total)}\n`)
    if (total.partial) io.say('partial: some runs did not tell what they cost; prices are estimates (docs/agents.md)\n')
  })
}

function lineView({ day, story, role, program, runs, ...spent }: SpentLine) {
  return { day: dayText(day), story, role, program, runs, ...costOf([{ runs, ...spent }]) }
}

function section(by: string, lines: readonly SpentLine[], keyOf: (line: SpentLine) => string): string {
  const groups = Map.groupBy(lines, keyOf)
  const width = Math.max(...[...groups.keys()].map((key) => key.length))
  const rows = [...groups].map(([key, group]) => {
    const runs = group.reduce((sum, line) => sum + line.runs, 0)
    return `  ${oneLine(key).padEnd(width)}  ${runsText(runs).padEnd(8)}  ${costText(costOf(group))}\n`
  })
  return `by ${by}\n${rows.join('')}`
}

const dayText = (day: number): string => iso(startOfDay(day)).slice(0, 10)
const runsText = (runs: number): string => `${runs} ${runs === 1 ? 'run' : 'runs'}`
const costText = (cost: Cost): string => describeCost(cost) ?? 'not known'
