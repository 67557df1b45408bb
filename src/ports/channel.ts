/** Channels tell people things. */
import type { NoticeKind, NoticeText } from '../domain/notice.ts'

export interface Notice extends NoticeText {
  at: number
  /** null: it is about a story, or no task. */
  taskId: string | null
  /** Of the task: somebody's words, like the text. */
  title: string | null
  /** Where the board shows it, while `muster serve` runs. It opens nothing for those who are not signed in. */
  link: string | null
}

export interface Channel {
  /** The same for the same place after a restart: what was not told yet is told there. */
  name: string
  /** The kinds it wants. */
  on: readonly NoticeKind[]
  /** Whether many at once are spread over time: people read it. */
  paced: boolean
  /**
   * Delivers, or rejects; the engine tries again a bounded number of times. Gives up when the signal aborts. A crash may
   * have it deliver once more: the same notice has the same key, by which a channel or its receiver drops it.
   */
  send(notice: Notice, signal: AbortSignal): Promise<void>
}
