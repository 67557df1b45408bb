/** How far judges can be relied on, and how many rounds work takes. */
import { expect, test } from 'vitest'
import type { Store } from '../../ports/store.ts'
import { statistics } from './stats.ts'

interface Told {
  judgements?: [task: string, type: 'checked' | 'decision', data: Record<string, unknown>][]
  tasks?: [id: string, status: string, round: number][]
}

function stats({ judgements = [], tasks = [] }: Told, story?: string) {
  const listed = tasks.map(([id, status, round]) => ({ spec: { id }, state: { status, round } }))
  const store = {
    listTasks: async ({ after }: { after?: string }) => (after === undefined ? listed : []),
    spent: async () => [],
    verdicts: async () => [],
    judgements: async () => judgements.map(([task, type, data]) => ({ chain: `task:${task}`, type, data })),
  }
  return statistics(store as unknown as Store, story)
}

const checked = (task: string, verdict: string, attempt = 1) =>
  [task, 'checked', { attempt, verdict }] as ['a', 'checked', object] as NonNullable<Told['judgements']>[number]
const decided = (task: string, kind: string, check: string, attempt = 1) =>
  [task, 'decision', { attempt, kind, check }] as ['a', 'decision', object] as NonNullable<Told['judgements']>[number]

test('F-5 a PASS is overruled by who sends it back, a FAIL by who accepts it', async () => {
  const { overruled } = await stats({
    judgements: [
      checked('a', 'PASS'),
      decided('a', 'accept', 'PASS'),
      checked('b', 'WARN'),
      decided('b', 'reject', 'WARN'),
      checked('c', 'FAIL'),
      decided('c', 'accept', 'FAIL'),
      checked('d', 'FAIL'),
      decided('d', 'reject', 'FAIL'),
      checked('e', 'ERROR'),
      decided('e', 'accept', 'ERROR'),
      decided('f', 'accept', 'FAIL'),
    ],
  })
  expect(overruled).toEqual({
    pass: { verdicts: 2, overruled: 1, rate: 0.5 },
    fail: { verdicts: 2, overruled: 1, rate: 0.5 },
  })
})

test('where nobody was judged there is no rate', async () => {
  expect((await stats({})).overruled.pass).toEqual({ verdicts: 0, overruled: 0, rate: null })
})

test('of a story only its own tasks count', async () => {
  const judgements = [checked('a', 'PASS'), checked('b', 'PASS')]
  const { overruled } = await stats({ judgements, tasks: [['a', 'completed', 0]] }, 's')
  expect(overruled.pass.verdicts).toBe(1)
})

test('rounds are those of tasks that are over', async () => {
  const { rounds } = await stats({
    tasks: [
      ['a', 'completed', 0],
      ['b', 'failed', 3],
      ['c', 'completed', 0],
      ['d', 'in-progress', 9],
    ],
  })
  expect(rounds).toEqual({
    tasks: 3,
    mean: 1,
    max: 3,
    none: 2,
    by: [
      { rounds: 0, tasks: 2 },
      { rounds: 3, tasks: 1 },
    ],
  })
})
