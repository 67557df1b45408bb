/**
 * Landing cannot break: random queues of tasks that edit the same lines of a few files and land on one branch, while
 * agents fail, the user commits on that branch, tasks are cancelled and tried again, and Muster stops or dies and comes
 * back. Afterwards the branch must hold the merges of verified snapshots and the user's own commits, and nothing else,
 * with nobody's work lost. A few queues here, two hundred in `npm run soak`; `MUSTER_SEED=<n>` takes one.
 */
import { expect, test } from 'vitest'
import { problemsOf } from './landed.ts'
import { Queue } from './queue.ts'

const { MUSTER_SEED, MUSTER_SOAK } = process.env
const sample = [7, 38]
const all = Array.from({ length: 200 }, (_, n) => n + 1)
const seeds = MUSTER_SEED ? [Number(MUSTER_SEED)] : MUSTER_SOAK ? all : sample

test.for(seeds)('L4, L6, L7, S1.13, S1.26, E-23 a random queue lands whole, seed %i', async (seed) => {
  const queue = await Queue.create(seed)
  try {
    await queue.drive()
    const replay = `MUSTER_SEED=${seed} npx vitest run test/crash/queues.test.ts`
    expect(await problemsOf(queue), `${queue.describe()}again: ${replay}\n`).toEqual([])
  } finally {
    await queue.dispose()
  }
})
