/** muster export: everything stored about tasks, as one JSON document for other programs. */
import { runView } from '../engine/views/run-view.ts'
import { eachTask, storyView, taskView } from '../engine/views/views.ts'
import type { Io } from './io.ts'
import { reading, storyOption } from './session.ts'

export async function exportAll(io: Io, _args: string[], options: Record<string, unknown>): Promise<void> {
  await reading(io, async (store) => {
    const only = await storyOption(store, options)
    const stories = (await store.stories()).filter(({ id }) => only === undefined || id === only)
    const views = await Promise.all(stories.map((story) => storyView(store, story)))
    // Task by task, so that a large store does not have to fit in memory.
    io.out(`{\n"version": 1,\n"stories": ${JSON.stringify(views)},\n"tasks": [`)
    let comma = '\n'
    for await (const { spec } of eachTask(store, only === undefined ? {} : { story: only })) {
      const task = await store.task(spec.id)
      if (task === null) continue
      const view = await taskView(store, task)
      const runs = (await store.runs(spec.id)).map(runView)
      io.out(`${comma}${JSON.stringify({ ...view, contracts: await store.contracts(spec.id), runs })}`)
      comma = ',\n'
    }
    io.out('\n]\n}\n')
  })
}
