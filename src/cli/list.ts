/** muster list: the tasks alone, finished ones too, by stage and story. */
import { MusterError } from '../domain/errors.ts'
import { STAGES, type Stage } from '../domain/task/stage.ts'
import { findTask } from '../engine/meant.ts'
import { stagePage } from '../engine/views/overview.ts'
import type { Io } from './io.ts'
import { paintWith, printJson } from './io.ts'
import { commaList, limitedNow, reading } from './session.ts'
import { limitOf, taskRows } from './status.ts'

export async function list(io: Io, _: string[], options: Record<string, unknown>): Promise<void> {
  const limit = limitOf(options['limit'], 'muster list --limit 50')
  const stages = stagesOf(options['stage'])
  const story = typeof options['story'] === 'string' ? options['story'] : undefined
  await reading(io, async (store) => {
    const after = typeof options['after'] === 'string' ? await findTask(store, options['after']) : undefined
    const page = await stagePage(store, { story, after, limit }, stages, await limitedNow(store))
    if (options['json'] === true) return printJson(io, page)
    const none = stages === null && story === undefined && after === undefined
    if (page.tasks.length === 0) io.say(none ? 'no tasks yet: muster run "what should be done"\n' : 'no tasks match\n')
    for (const row of taskRows(page.tasks, paintWith(io.color))) io.out(`${row}\n`)
    if (page.next !== null) io.say(`… more: repeat with --after ${page.next}\n`)
  })
}

function stagesOf(given: unknown): ReadonlySet<Stage> | null {
  if (given === undefined) return null
  const wanted = commaList(given)
  const wrong = wanted.find((word) => !STAGES.includes(word as Stage))
  if (wanted.length > 0 && wrong === undefined) return new Set(wanted as Stage[])
  throw new MusterError('usage', `"${wrong ?? ''}" is not a stage`, { hint: `stages are ${STAGES.join(', ')}` })
}
