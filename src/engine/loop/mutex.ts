/** Mutual exclusion: one at a time, in order of request; by name where several things must not disturb each other. */

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => undefined)
    return turn
  }
}

export class Mutexes {
  readonly #byName = new Map<string, { mutex: Mutex; asked: number }>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#byName.get(name) ?? { mutex: new Mutex(), asked: 0 }
    this.#byName.set(name, entry)
    entry.asked += 1
    try {
      return await entry.mutex.run(work)
    } finally {
      // Names come and go; nobody waits under this one any more.
      if (--entry.asked === 0) this.#byName.delete(name)
    }
  }
}
