/** One at a time, in the order of asking; by name where several things must not disturb each other. */

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => undefined)
    return turn
  }
}

export class Mutexes {
  readonly #byName = new Map<string, Mutex>()

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mutex = this.#byName.get(name) ?? new Mutex()
    this.#byName.set(name, mutex)
    return mutex.run(work)
  }
}
