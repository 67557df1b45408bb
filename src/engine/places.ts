/**
 * The workers' places and who waits for one. Authors and checks share `maxWorkers` places; checkers have as many of their
 * own, so that the verdict on finished work does not queue behind work that is still to be done (S0.2).
 */
import { ReadyQueue } from './queue.ts'
import type { Entry } from './task-table.ts'

interface Room {
  waiting: ReadyQueue
  /** Runs that have a place. */
  taken: Set<string>
}

export class Places {
  readonly #max: number
  readonly #work: Room = { waiting: new ReadyQueue(), taken: new Set() }
  readonly #checks: Room = { waiting: new ReadyQueue(), taken: new Set() }

  constructor(max: number) {
    this.#max = max
  }

  /** How many are taken. */
  get taken(): number {
    return this.#work.taken.size + this.#checks.taken.size
  }

  /** Whether somebody waits for whom there is a place. */
  get canServe(): boolean {
    return this.#isServed(this.#work) || this.#isServed(this.#checks)
  }

  wait({ spec, key }: Entry): void {
    this.#roomOf(spec).waiting.push({ id: spec.id, key })
  }

  /** Who gets the next place: of each room the lowest id. */
  next(): string | undefined {
    return [this.#checks, this.#work].find((room) => this.#isServed(room))?.waiting.pop()
  }

  take(runId: string, spec: Entry['spec']): void {
    this.#roomOf(spec).taken.add(runId)
  }

  free(runId: string): void {
    for (const room of [this.#work, this.#checks]) room.taken.delete(runId)
  }

  #isServed({ waiting, taken }: Room): boolean {
    return waiting.size > 0 && taken.size < this.#max
  }

  #roomOf({ checkerFor }: Entry['spec']): Room {
    return checkerFor === null ? this.#work : this.#checks
  }
}
