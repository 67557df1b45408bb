/**
 * Intents by kind: what to carry out after a commit. Stored with the commit that decided it, parsed when it is read.
 */
import type { NoticeText } from '../domain/notice.ts'

export interface IntentData {
  /** `worker`: an agent or a check, which takes a slot; otherwise an action. */
  start: { runId: string; worker: boolean }
  stop: { runId: string }
  notify: NoticeText & { channel: string; at: number }
  publish: { branch: string; commit: string }
  /** `landed`: what its target has of it. */
  retire: { branch: string; landed: string }
  push: { branch: string; commit: string }
  /** `id`, `url`: of the pull request. */
  status: { id: string; url: string; commit: string; attempt: number }
}

export type IntentKind = keyof IntentData

interface Queued<K extends IntentKind> {
  /** The same key is carried out once, as far as the outside can tell. */
  key: string
  kind: K
  /** null for what concerns no task. */
  taskId: string | null
  data: IntentData[K]
}

export type NewIntent<K extends IntentKind = IntentKind> = { [Kind in K]: Queued<Kind> }[K]

export type Intent<K extends IntentKind = IntentKind> = NewIntent<K> & {
  /** What was fixed while carrying it out, so that a restart goes on with the same. */
  pinned: Record<string, unknown> | null
}
