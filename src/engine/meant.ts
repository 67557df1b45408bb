/** Finds the task or story that a person means when they type a part of its id. */
import { MusterError } from '../domain/errors.ts'
import { resolveId, resolvePart } from '../domain/ids.ts'
import type { Store } from '../ports/store.ts'

/** The task a person means by an id or the end of one. */
export async function findTask(store: Store, wanted: string): Promise<string> {
  if (wanted === '') throw new MusterError('usage', 'the task id is empty', { hint: 'muster status lists them' })
  if ((await store.task(wanted)) !== null) return wanted
  return resolveId(wanted, await store.taskIdsEndingWith(wanted, 100), 'task')
}

/** The story a person means by an id or any part of one. */
export async function findStory(store: Store, wanted: string): Promise<string> {
  if ((await store.story(wanted)) !== null) return wanted
  const ids = (await store.stories()).map(({ id }) => id)
  return resolvePart(wanted, ids, 'story', 'muster story list --all')
}
