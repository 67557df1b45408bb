/** Intents as they are read: whole, or not at all. */
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Intent } from '../../ports/intent.ts'
import { openStore } from '../store.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-intents-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What is read of an intent that was stored so. */
async function read(kind: string, data: object): Promise<Intent[]> {
  const file = join(folder, 'muster.db')
  await (await openStore({ file })).close()
  const raw = new DatabaseSync(file)
  raw
    .prepare('insert into intents (key, kind, task_id, data, settled) values (?, ?, null, ?, 0)')
    .run('k', kind, JSON.stringify(data))
  raw.close()
  const store = await openStore({ file })
  try {
    return await store.pendingIntents()
  } finally {
    await store.close()
  }
}

test('a notice that an older Muster left pending knows no kind and no commands: it asks a person', async () => {
  const told = { channel: 'log', key: 'held:s-1', subject: 's-1 is held', text: 'no disk', at: 1 }
  expect(await read('notify', told)).toEqual([
    { key: 'k', kind: 'notify', taskId: null, data: { ...told, kind: 'needs-you', next: [] }, pinned: null },
  ])
})

test.each(['start', 'stop', 'publish', 'retire', 'push', 'status'])(
  '%s without what it is about is a mistake',
  async (kind) => {
    await expect(read(kind, {})).rejects.toThrow('a stored intent has')
  },
)
