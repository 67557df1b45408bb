/** muster cost: what agents have used, by day, story, role and program. */
import type { Cost } from '../domain/cost.ts'
import { costOf, describeCost } from '../domain/cost.ts'
import { costOfLines, dayText, spentLines } from '../engine/views/overview.ts'
import type { SpentLine } from '../ports/store.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { reading, storyOption } from './session.ts'

export async function cost(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store) => {
    const story = await storyOption(store, options)
    const lines = await spentLines(store, story)
    const view = costOfLines(lines)
    const { total } = view
    if (options['json'] === true) return printJson(io, view)
    if (lines.length === 0) return io.say('no agent has run yet\n')
    for (const part of [
      section('day', lines, ({ day }) => dayText(day)),
      section('story', lines, (line) => line.story ?? '(none)'),
      section('role', lines, ({ role }) => role),
      section('program', lines, ({ program }) => program),
    ])
      io.out(`${part}\n`)
    io.out(`total: ${runsText(total.runs)}, ${costText(total)}\n`)
    if (total.partial)
      io.say('incomplete: some runs did not report their cost; prices are estimates (docs/agents.md)\n')
  })
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

const runsText = (runs: number): string => `${runs} ${runs === 1 ? 'run' : 'runs'}`
const costText = (cost: Cost): string => describeCost(cost) ?? 'cost unknown'
