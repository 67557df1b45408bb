/** Short names for one sentence, and stories by a part of theirs. */
import { expect, test } from 'vitest'
import type { RunDocument } from '../support/muster.ts'
import { exited, makeRepo, planText } from '../support/muster.ts'

test('sentences that begin alike get short ids of their own, and the same one goes on with its story', async () => {
  const repo = makeRepo({ agent: 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' })
  const run = async (...words: string[]) =>
    exited(await repo.here('run', ...words, '--json'), 0)
      .json<RunDocument>()
      .tasks.map(({ id }) => id)
  expect(await run('Write down the names of all people on call')).toEqual(['write-down-the-1'])
  expect(await run('Write down the names of all dogs')).toEqual(['write-down-the-2-1'])
  expect(await run('Write down the names of all people on call')).toEqual(['write-down-the-1'])
  expect(await run('Write down the names of all people on call', '--new')).toEqual(['write-down-the-3-1'])
})

test('a story may be named by any part of its id that no other has', async () => {
  const repo = makeRepo({ agent: 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"' })
  for (const key of ['shop-front', 'shop-back']) {
    repo.write(`${key}.yaml`, planText(key, { 1: '' }))
    exited(await repo.here('run', `${key}.yaml`), 0)
  }
  const ready = exited(await repo.here('run'), 0).stdout
  for (const key of ['shop-front', 'shop-back']) expect(ready).toContain(`story ${key} is ready: muster ship ${key}\n`)
  const refused = await repo.here('story', 'show', 'shop')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('shop-back, shop-front') })
  expect(await repo.here('ship', 'shop')).toMatchObject({ code: 2 })
  expect(await repo.here('ship', 'nowhere')).toMatchObject({ code: 5 })
  expect(exited(await repo.here('story', 'show', 'front'), 0).stdout).toMatch(/^shop-front /)
  expect(exited(await repo.here('status', '--all', '--story', 'back'), 0).stdout).toContain('shop-back-1')
  expect(exited(await repo.here('add', 'One more', '--story', 'back'), 0).stdout).toBe('shop-back-extra-1\n')
  expect(exited(await repo.here('ship', 'front'), 0).stdout).toMatch(/^shop-front [\s\S]*REVIEW_READY/)
  for (const command of ['cost', 'stats', 'export', 'advisory']) exited(await repo.here(command, '--story', 'front'), 0)
})
