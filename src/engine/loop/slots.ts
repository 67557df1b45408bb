/**
 * The slots of workers, and who waits for one. Authors, checks and validators share `maxWorkers` slots; at most
 * `maxValidators` validators work at a time. Checkers have their own slots, so that verdicts on finished work do not
 * wait behind new work (S0.2, S4.21, D-7).
 */
import type { Limits } from '../../domain/limits.ts'
import { isCheck } from '../../domain/task/purpose.ts'
import { VALIDATING } from '../../domain/validation.ts'
import { ReadyQueue } from './queue.ts'
import type { Entry } from './task-table.ts'

class Room {
  readonly waiting = new ReadyQueue()
  /** Runs that have a place. */
  readonly taken = new Set<string>()
}

export class Slots {
  readonly #limits: Limits
  readonly #work = new Room()
  readonly #validation = new Room()
  readonly #checks = new Room()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** How many are taken. */
  get taken(): number {
    return this.#rooms.reduce((sum, room) => sum + room.taken.size, 0)
  }

  /** Whether somebody waits for whom there is a place. */
  get canServe(): boolean {
    return this.#rooms.some((room) => this.#isServed(room))
  }

  /** `role`: who works next on it. */
  wait(entry: Entry, role: string): void {
    this.#roomOf(entry, role).waiting.push({ id: entry.spec.id, key: entry.key })
  }

  /** Who gets the next place: checkers first, then whoever has the lowest id. */
  next(): string | undefined {
    const [first] = this.#rooms
      .filter((room) => this.#isServed(room))
      .sort((a, b) => (a === this.#checks || (b !== this.#checks && a.waiting.first < b.waiting.first) ? -1 : 1))
    return first?.waiting.pop()
  }

  take(runId: string, entry: Entry, role: string): void {
    this.#roomOf(entry, role).taken.add(runId)
  }

  free(runId: string): void {
    for (const room of this.#rooms) room.taken.delete(runId)
  }

  get #rooms(): Room[] {
    return [this.#work, this.#validation, this.#checks]
  }

  #isServed(room: Room): boolean {
    const { maxWorkers, maxValidators } = this.#limits
    if (room.waiting.size === 0) return false
    if (room === this.#checks) return room.taken.size < maxWorkers
    if (room === this.#validation && room.taken.size >= maxValidators) return false
    return this.#work.taken.size + this.#validation.taken.size < maxWorkers
  }

  #roomOf({ spec }: Entry, role: string): Room {
    if (isCheck(spec)) return this.#checks
    return VALIDATING.has(role) ? this.#validation : this.#work
  }
}
