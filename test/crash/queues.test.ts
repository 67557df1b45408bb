/**
 * Landing cannot break: random queues of tasks that edit the same lines of a few files and land on one branch, while
 * agents fail, the user commits on that branch, tasks are cancelled and tried again, and Muster stops or dies and comes
 * back. Afterwards the branch must hold the merges of verified snapshots and the user's own commits, and nothing else,
 * with nobody's work lost. A few queues here, two hundred in `npm run soak`; `MUSTER_SEED=<n>` takes one.
 */
import { expect, test } from 'vitest'
import { seeds } from '../support/draw.ts'
import { problemsOf } from './landed.ts'
import { Queue } from './queue.ts'

test.for(seeds([7, 38], 200))('L4, L6, L7, S1.13, S1.26, E-23 a random queue lands whole, seed %i', async (seed) => {
  const queue = await Queue.create(seed)
  try {
    await queue.drive()
    const replay = `MUSTER_SEED=${seed} npx vitest run test/crash/queues.test.ts`
    expect(await problemsOf(queue), `${queue.describe()}again: ${replay}\n`).toEqual([])
  } finally {
    await queue.dispose()
  }
})
