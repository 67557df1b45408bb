/**
 * The open tasks in memory: their state, their dependencies, and how many are moving. It answers the scheduler's
 * questions without reading all tasks; the store is the source of truth.
 */
import { naturalKey } from '../../domain/ids.ts'
import { checkedTask, homeStory, isCheck } from '../../domain/task/purpose.ts'
import { needsPerson } from '../../domain/task/stage.ts'
import { canStep, isOver } from '../../domain/task/task.ts'
import type { TaskState } from '../../domain/task/task.ts'
import type { OpenTask, TaskSummary } from '../../ports/store.ts'
import { LandingLine } from './landing-line.ts'

export interface Entry {
  /** Sorts in natural id order. */
  key: string
  spec: TaskSummary
  state: TaskState
  version: number
  /** Dependencies that are not completed. */
  blockedBy: Set<string>
  /** Something other than a person will move it on. Of a checker, its task says so. */
  moving: boolean
}

/** Most tasks wait for nothing; they share it. It is never added to. */
const NOTHING = new Set<string>()

export class TaskTable {
  readonly #entries = new Map<string, Entry>()
  readonly line = new LandingLine<Entry>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #movingByStory = new Map<string | null, number>()
  #moving = 0

  get(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  /** The task whose work it is part of: a checker's is the one it checks. */
  home(entry: Entry): Entry {
    const checked = checkedTask(entry.spec)
    return checked === null ? entry : (this.#entries.get(checked) ?? entry)
  }

  /** The story that it is work for, whether it counts there or not. */
  storyOf(entry: Entry): string | null {
    return homeStory(this.home(entry).spec)
  }

  get size(): number {
    return this.#entries.size
  }

  values(): Iterable<Entry> {
    return this.#entries.values()
  }

  /** The task waits for all its dependencies until those that are completed are released. */
  add({ spec, state, version }: OpenTask): Entry {
    this.remove(spec.id)
    const blockedBy = spec.dependsOn.length === 0 ? NOTHING : new Set(spec.dependsOn)
    const entry: Entry = { key: naturalKey(spec.id), spec, state, version, blockedBy, moving: false }
    this.#entries.set(spec.id, entry)
    for (const id of blockedBy) {
      const waiting = this.#dependents.get(id)
      if (waiting === undefined) this.#dependents.set(id, new Set([spec.id]))
      else waiting.add(spec.id)
    }
    this.#recount(entry)
    this.line.update(entry)
    return entry
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#setMoving(entry, false)
    this.line.remove(entry)
    for (const dependency of entry.blockedBy) this.#dependents.get(dependency)?.delete(id)
    this.#entries.delete(id)
  }

  /** Takes over a stored state. Returns the tasks that became free by it. */
  update(entry: Entry, state: TaskState, version: number): Entry[] {
    entry.state = state
    entry.version = version
    this.#recount(entry)
    const next = this.line.update(entry)
    const freed = next === null ? [] : [next]
    if (!isOver(state.status)) return freed
    this.remove(state.id)
    return state.status === 'completed' ? [...freed, ...this.release(state.id)] : freed
  }

  /** Dependencies of open tasks that are not open themselves: they are over, or missing. */
  outsideDependencies(): string[] {
    return [...this.#dependents.keys()].filter((id) => !this.#entries.has(id))
  }

  /** This task is completed. Returns the tasks that became free by it. */
  release(id: string): Entry[] {
    const freed: Entry[] = []
    for (const dependent of this.#dependents.get(id) ?? []) {
      const entry = this.#entries.get(dependent)
      if (entry?.blockedBy.delete(id) !== true) continue
      this.#recount(entry)
      if (entry.blockedBy.size === 0) freed.push(entry)
    }
    this.#dependents.delete(id)
    return freed
  }

  /** Everything that can never start because of this task, nearest first. */
  dependentsOf(id: string): string[] {
    const found: string[] = []
    const seen = new Set([id])
    const queue = [id]
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const dependent of this.#dependents.get(next) ?? []) {
        if (seen.has(dependent)) continue
        seen.add(dependent)
        found.push(dependent)
        queue.push(dependent)
      }
    }
    return found
  }

  /** How many tasks of a story, or of all (undefined), go on without a person. */
  moving(story?: string | null): number {
    return story === undefined ? this.#moving : (this.#movingByStory.get(story) ?? 0)
  }

  #recount(entry: Entry): void {
    const { state, spec, blockedBy } = entry
    const ready = canStep(state) && blockedBy.size === 0 && !needsPerson(state, spec.phases)
    // As long as a checker works, the task that it checks moves: that one counts, in its own story.
    this.#setMoving(entry, !isCheck(spec) && (state.run !== null || ready))
  }

  #setMoving(entry: Entry, moving: boolean): void {
    if (entry.moving === moving) return
    entry.moving = moving
    const by = moving ? 1 : -1
    this.#moving += by
    const story = homeStory(entry.spec)
    this.#movingByStory.set(story, (this.#movingByStory.get(story) ?? 0) + by)
  }
}
