/** Channels tell people things. */

export interface Notice {
  /** The same notice always has the same key; a channel or its receiver drops repetitions by it. */
  key: string
  at: number
  taskId: string | null
  subject: string
  text: string
}

export interface Channel {
  name: string
  /** Delivers, or rejects; the engine tries again a bounded number of times. Gives up when the signal aborts. */
  send(notice: Notice, signal: AbortSignal): Promise<void>
}
