/** A priority queue of ids in natural order, each at most once: the lowest gets the next free worker. */

interface Item {
  id: string
  key: string
}

export class ReadyQueue {
  readonly #heap: Item[] = []
  readonly #ids = new Set<string>()

  get size(): number {
    return this.#heap.length
  }

  /** The key of who comes next; empty if nobody waits. */
  get first(): string {
    return this.#heap[0]?.key ?? ''
  }

  push(item: Item): void {
    if (this.#ids.has(item.id)) return
    this.#ids.add(item.id)
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (above === undefined || above.key <= item.key) break
      heap[at] = above
      at = parent
    }
    heap[at] = item
  }

  pop(): string | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined) return undefined
    this.#ids.delete(top.id)
    if (heap.length > 0) this.#sink(last)
    return top.id
  }

  #sink(item: Item): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      let below = heap[child]
      if (below === undefined) break
      const right = heap[child + 1]
      if (right !== undefined && right.key < below.key) [child, below] = [child + 1, right]
      if (item.key <= below.key) break
      heap[at] = below
      at = child
    }
    heap[at] = item
  }
}
