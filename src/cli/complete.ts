/**
 * muster __complete <what> [beginning]: the ids that a shell offers while somebody types. On any problem it prints
 * nothing, because a shell would offer an error message as a word.
 */
import type { Io } from './io.ts'
import { reading } from './session.ts'

/** More than anybody reads. */
const idsMax = 200
const pageTasks = 1000

export async function complete(io: Io, [what = '', beginning = '']: string[]): Promise<void> {
  const fits = (id: string) => id.startsWith(beginning)
  const ids = await reading(io, async (store) => {
    if (what === 'stories') return (await store.stories()).map(({ id }) => id).filter(fits)
    if (what !== 'tasks') return []
    const found: string[] = []
    for (let after: string | undefined; found.length < idsMax;) {
      const page = await store.listTasks({ limit: pageTasks, after })
      found.push(...page.map(({ spec }) => spec.id).filter(fits))
      after = page.at(-1)?.spec.id
      if (page.length < pageTasks) break
    }
    return found
  }).catch(() => [])
  for (const id of ids.slice(0, idsMax)) io.out(`${id}\n`)
}
