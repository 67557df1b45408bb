/** muster advisory: lists advisory tasks and their results. */
import { forDisplay } from '../domain/display.ts'
import { eachTask, iso } from '../engine/views/views.ts'
import type { Store } from '../ports/store.ts'
import type { Io } from './io.ts'
import { oneLine, printJson } from './io.ts'
import { reading, storyOption } from './session.ts'

interface AdvisoryView {
  taskId: string
  description: string
  status: string
  /** The end of what the agent printed; null while there is none. */
  output: string | null
  completedAt: string | null
}

export async function advisory(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store) => {
    const all = await advisoryTasks(store, await storyOption(store, options))
    if (options['json'] === true) return printJson(io, { advisoryTasks: all })
    if (all.length === 0) io.say('no task is advisory\n')
    for (const { taskId, description, status, output, completedAt } of all) {
      io.out(`${taskId}  ${oneLine(description, 100)}  ${completedAt === null ? status : `${status} ${completedAt}`}\n`)
      const text = forDisplay(output ?? '', { colours: false }).trim()
      if (text !== '') io.out(`    ${text.replaceAll('\n', '\n    ')}\n`)
    }
  })
}

async function advisoryTasks(store: Store, story: string | undefined): Promise<AdvisoryView[]> {
  const found: AdvisoryView[] = []
  for await (const { spec, state } of eachTask(store, story === undefined ? {} : { story })) {
    const contract = (await store.contracts(spec.id)).at(-1)
    if (contract?.type !== 'advisory') continue
    const runs = await store.runs(spec.id)
    const last = runs.findLast(({ end }) => end?.facts.output !== undefined)?.end
    const over = state.status === 'completed' ? (runs.findLast(({ end }) => end !== null)?.end?.at ?? null) : null
    found.push({
      taskId: spec.id,
      description: spec.title,
      status: state.status,
      output: last?.facts.output ?? null,
      completedAt: over === null ? null : iso(over),
    })
  }
  return found
}
