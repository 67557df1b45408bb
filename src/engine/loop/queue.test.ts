import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareNatural, naturalKey } from '../../domain/ids.ts'
import { ReadyQueue } from './queue.ts'

test('S2.27, E-26 gives ids in natural order, each once, in whatever order they came', () => {
  const id = fc.integer({ min: 1, max: 300 }).map((n) => `task-${n}`)
  fc.assert(
    fc.property(fc.array(id), (ids) => {
      const queue = new ReadyQueue()
      for (const id of ids) queue.push({ id, key: naturalKey(id) })
      const out: string[] = []
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) out.push(next)
      expect(out).toEqual([...new Set(ids)].sort(compareNatural))
    }),
  )
})

test('takes an id again after it was given', () => {
  const queue = new ReadyQueue()
  queue.push({ id: 'a', key: 'a' })
  expect([queue.pop(), queue.pop()]).toEqual(['a', undefined])
  queue.push({ id: 'a', key: 'a' })
  expect([queue.size, queue.pop()]).toEqual([1, 'a'])
})
