/** Runs beside the tests, in their process: tells with each test which probes it passed, and with each file which at its load. */
import { afterEach, beforeEach } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    hits?: number[]
    /** Of a file: what runs before its first test. */
    load?: number[]
  }
}

const load = new Set<number>()
const running = new Set<Set<number>>([load])
const own = new Map<string, Set<number>>()

Object.assign(globalThis, {
  __hit(probe: number) {
    for (const hits of running) hits.add(probe)
  },
})

beforeEach(({ task }) => {
  running.delete(load)
  task.file.meta.load = [...load]
  const hits = new Set<number>()
  own.set(task.id, hits)
  running.add(hits)
})

afterEach(({ task }) => {
  const hits = own.get(task.id) ?? new Set()
  running.delete(hits)
  task.meta.hits = [...hits]
})
