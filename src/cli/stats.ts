/** muster stats: how often people overrule judges, how many rounds work takes, and what each role costs. */
import { describeCost } from '../domain/cost.ts'
import { statistics } from '../engine/views/stats.ts'
import type { Stats } from '../engine/views/stats.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { reading, storyOption } from './session.ts'

export async function stats(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store) => {
    const story = await storyOption(store, options)
    const found = await statistics(store, story)
    if (options['json'] === true) return printJson(io, found)
    io.out(render(found))
  })
}

function render({ judges, overruled, rounds, roles }: Stats): string {
  const said = judges.map(
    ({ role, PASS, WARN, FAIL, ERROR }) =>
      `  ${oneLine(role).padEnd(16)} ${PASS} passed, ${WARN} with warnings, ${FAIL} failed, ${ERROR} could not tell\n`,
  )
  const { pass, fail } = overruled
  const mean = rounds.mean === null ? '' : `, ${rounds.mean.toFixed(1)} on average, at most ${rounds.max}`
  const costs = roles.map(({ role, runs, ...cost }) => {
    return `  ${oneLine(role).padEnd(16)} ${runs} ${runs === 1 ? 'run' : 'runs'}, ${describeCost(cost) ?? 'cost unknown'}\n`
  })
  return [
    'What judges said\n',
    ...(said.length === 0 ? ['  nothing yet\n'] : said),
    '\nHow often people overruled the checker\n',
    `  after PASS: ${pass.overruled} of ${pass.verdicts} sent back${percent(pass.rate)}\n`,
    `  after FAIL: ${fail.overruled} of ${fail.verdicts} accepted${percent(fail.rate)}\n`,
    '\nRounds\n',
    `  ${rounds.tasks} finished tasks, ${rounds.none} of them never sent back${mean}\n`,
    '\nCost by role\n',
    ...(costs.length === 0 ? ['  no agent has run yet\n'] : costs),
  ].join('')
}

function percent(rate: number | null): string {
  return rate === null ? '' : ` (${Math.round(rate * 100)} %)`
}
