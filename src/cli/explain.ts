/** muster explain: why it is here, what it waits for, what would move it. */
import { explain } from '../engine/views/explain.ts'
import { planLines, planName } from './plan-text.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { limitedNow, reading, requireTask } from './session.ts'

export async function explainTask(io: Io, [wanted = '']: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store) => {
    const told = await explain(store, await requireTask(store, wanted), await limitedNow(store))
    if (options['json'] === true) return printJson(io, told)
    const place = told.phase === null ? `stage ${told.stage}` : `stage ${told.stage}, phase ${told.phase}`
    io.out(`${told.id}: ${place} (round ${told.round}, attempt ${told.attempt})\n`)
    io.out(`  why        ${oneLine(told.why, 500)}\n`)
    if (told.waitingFor !== null && !told.why.endsWith(told.waitingFor))
      io.out(`  waiting    ${oneLine(told.waitingFor, 500)}\n`)
    if (told.plan?.approvedBy != null) io.out(`  plan       ${planName(told.plan)}: muster show ${told.id} --plan\n`)
    for (const caveat of told.caveats) io.out(`  note       ${oneLine(caveat, 300)}\n`)
    if (told.next.length > 0) io.out(`  next       ${told.next.join('\n             ')}\n`)
    if (told.plan?.approvedBy === null) io.out(planLines(told.plan))
    io.out('\n')
    for (const { at, actor, text } of told.history) {
      io.out(
        `  ${at.slice(0, 19).replace('T', ' ')}  ${actor === 'muster' ? '' : `${oneLine(actor, 30)}: `}${oneLine(text, 300)}\n`,
      )
    }
  })
}
