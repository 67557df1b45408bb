/** Tasks that work under an older muster.yaml than the current one. Changes nothing; a person's retry does. */
import { configChanges } from '../../domain/config-changes.ts'
import type { ProjectConfig } from '../../domain/config.ts'
import { isOver } from '../../domain/task/task.ts'
import type { ListedTask, OpenTask, Store } from '../../ports/store.ts'
import { configHash, readSnapshot } from '../config-snapshot.ts'
import { eachTask } from './views.ts'

/** What changed in muster.yaml since each task got its configuration. Each stored configuration is compared once. */
export class Outdated {
  readonly #store: Store
  readonly #now: ProjectConfig
  readonly #known = new Map<string, string[]>()

  constructor(store: Store, now: ProjectConfig) {
    this.#store = store
    this.#now = now
    this.#known.set(configHash(now), [])
  }

  /** Empty: nothing, or the task is done with. */
  async of({ spec, state }: OpenTask): Promise<string[]> {
    if (state.status === 'completed' || state.status === 'cancelled') return []
    const known = this.#known.get(spec.configHash)
    if (known !== undefined) return known
    const body = await this.#store.config(spec.configHash)
    const changes = body === null ? [] : configChanges(readSnapshot(body), this.#now)
    this.#known.set(spec.configHash, changes)
    return changes
  }
}

export interface OlderConfig {
  /** How many open tasks work under an older one, of those that were looked at. */
  count: number
  /** The first of them. */
  tasks: string[]
  changes: string[]
}

/** More tasks than a person would retry one by one are not looked at. */
const lookedMax = 1000
const namedMax = 10

/** Null: every open task works under what muster.yaml says. */
export async function olderConfig(store: Store, now: ProjectConfig, story?: string): Promise<OlderConfig | null> {
  const outdated = new Outdated(store, now)
  const found: { task: ListedTask; changes: string[] }[] = []
  let looked = 0
  for await (const task of eachTask(store, { open: true, ...(story === undefined ? {} : { story }) })) {
    if ((looked += 1) > lookedMax) break
    const changes = isOver(task.state.status) ? [] : await outdated.of(task)
    if (changes.length > 0) found.push({ task, changes })
  }
  if (found.length === 0) return null
  const tasks = found.slice(0, namedMax).map(({ task }) => task.spec.id)
  return { count: found.length, tasks, changes: [...new Set(found.flatMap(({ changes }) => changes))] }
}

/** In one line, with what to type. */
export function olderLine({ count, tasks, changes }: OlderConfig): string {
  const who = count === 1 ? '1 task works' : `${count} tasks work`
  const more = changes.length > 2 ? [`${changes.length - 2} more`] : []
  const which = count === 1 ? (tasks[0] ?? '<task>') : '<task>'
  const named = count === 1 ? '' : ` (${tasks.slice(0, 3).join(', ')}${count > 3 ? ', …' : ''})`
  return `${who} under an older muster.yaml (${[...changes.slice(0, 2), ...more].join('; ')}): muster retry ${which} uses the new one${named}`
}
