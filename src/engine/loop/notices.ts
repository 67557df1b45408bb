/**
 * Delivers notices: each over its own channel, in order, with a few retries and a rate that people can bear.
 * Undelivered ones stay pending until Muster starts the next time.
 */
import { NOTICE_KINDS, cut } from '../../domain/notice.ts'
import {
  noticeGapMs,
  noticeSubjectCharsMax,
  noticesBurstMax,
  notifyStopMs,
  notifyTriesMax,
} from '../../domain/limits.ts'
import type { Channel, Notice } from '../../ports/channel.ts'
import type { Intent, NewIntent } from '../../ports/intent.ts'
import { Mutexes } from './mutex.ts'
import type { EngineParts } from './parts.ts'
import { noticeIntents } from './pending.ts'

/**
 * The one channel of whoever writes to the store without running the engine: which channels there are, and the secrets that
 * they need, is known where the engine runs. It tells them when it starts.
 */
export const LATER: Channel = {
  name: 'later',
  on: NOTICE_KINDS,
  paced: false,
  send: () => Promise.reject(new Error('no engine runs here')),
}

export class Notices {
  readonly #parts: EngineParts
  readonly #settle: (key: string, instead?: readonly NewIntent[]) => Promise<void>
  /** Nothing more is begun. */
  readonly #over = new AbortController()
  /** Nobody waits any more for the answer to what was sent. */
  readonly #cut = new AbortController()
  readonly #turns = new Mutexes()
  /** By channel: when all that was sent would have gone, had it been sent one at a time. */
  readonly #paces = new Map<string, number>()

  /** `settle` queues, in the same commit, what is to be carried out instead. */
  constructor(parts: EngineParts, settle: (key: string, instead?: readonly NewIntent[]) => Promise<void>) {
    this.#parts = parts
    this.#settle = settle
  }

  /** Settles when it was told, or nobody will be told now. */
  async deliver(intent: Intent<'notify'>): Promise<void> {
    if (intent.data.channel === LATER.name) return this.#spread(intent)
    const channel = this.#parts.channels.find(({ name }) => name === intent.data.channel)
    // It is not configured any more.
    if (channel === undefined) return this.#settle(intent.key)
    await this.#turns.run(channel.name, async () => {
      // A task that comes to the same place again asks for the same notice: it was told already.
      if (!(await this.#parts.store.isPending(intent.key))) return
      if (channel.paced) await this.nap(this.#wait(channel))
      if (!this.#over.signal.aborted) await this.#send(channel, intent)
    })
  }

  async #spread({ key, taskId, data }: Intent<'notify'>): Promise<void> {
    const { at, channel: _, ...notice } = data
    const intents = noticeIntents(this.#parts.channels, taskId, notice, at)
    await this.#settle(key, intents)
    await Promise.all(intents.map((intent) => this.deliver({ ...intent, pinned: null })))
  }

  /**
   * Lets go of everything that is not under way. What is may have been taken already: it has a moment to be answered, since
   * it would be told twice otherwise. Returns what ends that.
   */
  giveUp(): () => void {
    this.#over.abort()
    return this.#parts.clock.after(notifyStopMs, () => this.#cut.abort())
  }

  async #send(channel: Channel, intent: Intent<'notify'>): Promise<void> {
    const notice = await this.#noticeOf(intent)
    for (let tries = 1; tries <= notifyTriesMax; tries++) {
      try {
        await channel.send(notice, this.#cut.signal)
        return await this.#settle(intent.key)
      } catch (error) {
        const task = intent.taskId ?? undefined
        this.#parts.probe.emit({ type: 'notice_failed', task, channel: channel.name, tries, error: String(error) })
      }
      if (this.#over.signal.aborted) return
      await this.nap(250 * 2 ** tries)
    }
  }

  async #noticeOf({ data, taskId }: Intent<'notify'>): Promise<Notice> {
    const { channel: _, ...told } = data
    const task = taskId === null ? null : await this.#parts.store.task(taskId)
    const board = await this.#parts.board()
    const page = taskId === null ? '' : `tasks/${encodeURIComponent(taskId)}`
    return {
      ...told,
      taskId,
      title: task === null ? null : cut(task.spec.title, noticeSubjectCharsMax),
      link: board === null ? null : `${board.shared ?? board.url}/${page}`,
    }
  }

  #wait({ name }: Channel): number {
    const now = this.#parts.clock.steady()
    const until = Math.max(this.#paces.get(name) ?? 0, now)
    this.#paces.set(name, until + noticeGapMs)
    return Math.max(0, until - now - (noticesBurstMax - 1) * noticeGapMs)
  }

  /** Whether nobody waits for what is still to be told. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Passes the time between two tries; ends early when nobody waits any more. */
  nap(ms: number): Promise<void> {
    const { signal } = this.#over
    if (ms === 0 || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, () => {
        signal.removeEventListener('abort', stop)
        resolve()
      })
      const stop = () => (cancel(), resolve())
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
