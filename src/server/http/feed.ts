/**
 * The feed of stored events: reads them from the store in their order, turns each into text once, and gives it to every
 * reader. The engine only signals that there is something to read. So what a reader resumes from and what it gets live
 * is one sequence, without gaps or duplicates.
 */
import { checkedTask } from '../../domain/task/purpose.ts'
import { Mutex } from '../../engine/loop/mutex.ts'
import { iso } from '../../engine/views/views.ts'
import type { ProbeEvent } from '../../ports/probe.ts'
import type { Store, StoredEvent } from '../../ports/store.ts'
import type { ANSWERS, Shape } from './answers.ts'
import { pageEvents, rememberedTasksMax } from './limits.ts'
import type { HttpService } from './service.ts'
import type { Stream, Streams } from './streams.ts'
import { message } from './streams.ts'

type EventView = Shape<(typeof ANSWERS)['Event']>

interface Subscription {
  /** Go on behind this event; undefined: from now on. */
  after: number | undefined
  task: string | undefined
  story: string | undefined
  /** Also what is told and not stored. */
  news: boolean
}

interface Reader extends Subscription {
  stream: Stream
  /** It has everything up to the feed's last event; until then it reads the store by itself. */
  live: boolean
}

interface Line {
  view: EventView
  text: string
}

export class Feed {
  readonly #service: HttpService
  readonly #readers = new Set<Reader>()
  readonly #turn = new Mutex()
  readonly #stories: Stories
  readonly #unsubscribe: () => void
  /** The last line of what runs now, by task: who comes later has something to look at, too. */
  readonly #lastLines = new Map<string, ProbeEvent>()
  /** Every live reader has been given everything up to here. */
  #last = 0
  #asked = false

  constructor(service: HttpService, streams: Streams) {
    this.#service = service
    this.#stories = new Stories(service.store)
    this.#unsubscribe = service.subscribe((event) => this.#heard(event))
    // A few events are stored without being told; nobody waits for them longer than this.
    streams.onBeat(() => this.#look())
  }

  close(): void {
    this.#unsubscribe()
  }

  /** Gives the stream all events behind where it was, then those that come. Settles when it is live, or gone. */
  async join(stream: Stream, subscription: Subscription): Promise<void> {
    const { store, clock } = this.#service
    const { task, story } = subscription
    const reader: Reader = { ...subscription, stream, live: false }
    const first = this.#readers.size === 0
    this.#readers.add(reader)
    stream.gone.addEventListener('abort', () => void this.#readers.delete(reader))
    // While nobody listens the feed stands still.
    if (first) await this.#turn.run(async () => void (this.#last = await store.lastSeq()))
    let at = Math.min(subscription.after ?? this.#last, this.#last)
    stream.send(`retry: 1000\n${message({ seq: at }, { event: 'ready', id: at })}`)
    for (const event of this.#lastLines.values()) this.#tell(event, [reader])
    while (at < this.#last && !stream.gone.aborted) {
      const upTo = this.#last
      const page = await store.eventsSince({ after: at, upTo, task, story, limit: pageEvents })
      stream.send((await this.#linesOf(page)).map(({ text }) => text).join(''))
      at = page.length < pageEvents ? upTo : (page.at(-1)?.seq ?? upTo)
      await stream.drained()
      await new Promise<void>((resolve) => clock.soon(resolve))
    }
    reader.live = true
    this.#look()
  }

  #heard(event: ProbeEvent): void {
    if (event.type !== 'output') this.#look()
    const { type, task } = event
    if (type === 'output' && task !== undefined && this.#lastLines.size < rememberedTasksMax)
      this.#lastLines.set(task, event)
    if (type === 'run-ended' && task !== undefined) this.#lastLines.delete(task)
    // What is stored has an actor, and comes from the store.
    if (event['actor'] === undefined) this.#tell(event, [...this.#readers])
  }

  /** News, to those of the readers that want them. */
  #tell(event: ProbeEvent, readers: readonly Reader[]): void {
    const wanted = readers.filter(({ news, task }) => news && (task === undefined || task === event.task))
    if (wanted.length === 0) return
    const text = message(event, { event: 'news' })
    for (const { stream, story } of wanted) {
      if (story === undefined) stream.send(text)
      else if (event.task !== undefined) {
        void this.#stories.of(event.task).then((of) => of === story && stream.send(text))
      }
    }
  }

  /** Looks whether there is something new, once for however many signs. */
  #look(): void {
    if (this.#asked || this.#readers.size === 0) return
    this.#asked = true
    this.#turn
      .run(async () => {
        this.#asked = false
        await this.#goOn()
      })
      .catch((error: unknown) => this.#service.emit({ type: 'http-failed', error: String(error) }))
  }

  async #goOn(): Promise<void> {
    for (;;) {
      const page = await this.#service.store.eventsSince({ after: this.#last, limit: pageEvents })
      this.#give(await this.#linesOf(page))
      if (page.length < pageEvents) return
    }
  }

  /** All at once, so that a reader that becomes live is either before these events or behind them. */
  #give(lines: readonly Line[]): void {
    const last = lines.at(-1)
    if (last === undefined) return
    this.#last = last.view.seq
    const all = Buffer.from(lines.map(({ text }) => text).join(''))
    for (const { stream, live, task, story } of this.#readers) {
      if (!live) continue
      if (task === undefined && story === undefined) {
        stream.send(all)
        continue
      }
      const fits = ({ view }: Line) =>
        (task === undefined || view.task === task) && (story === undefined || view.story === story)
      const own = lines.filter(fits).map(({ text }) => text)
      if (own.length > 0) stream.send(own.join(''))
    }
  }

  async #linesOf(events: readonly StoredEvent[]): Promise<Line[]> {
    const lines: Line[] = []
    for (const event of events) {
      const view = await eventView(event, this.#stories)
      lines.push({ view, text: message(view, { id: view.seq }) })
    }
    return lines
  }
}

/** Which story a task's events belong to; a checker's belong to the story of the task it checks. */
export class Stories {
  readonly #store: Store
  readonly #known = new Map<string, string | null>()

  constructor(store: Store) {
    this.#store = store
  }

  async of(task: string): Promise<string | null> {
    const known = this.#known.get(task)
    if (known !== undefined) return known
    const spec = (await this.#store.task(task))?.spec
    const checked = spec === undefined ? null : checkedTask(spec)
    const story = checked === null ? (spec?.story ?? null) : await this.of(checked)
    if (this.#known.size >= rememberedTasksMax) this.#known.clear()
    this.#known.set(task, story)
    return story
  }
}

export async function eventView(event: StoredEvent, stories: Stories): Promise<EventView> {
  const { seq, n, type, actor, at, data, chain } = event
  const id = chain.slice(chain.indexOf(':') + 1)
  const task = chain.startsWith('task:') ? id : null
  return { seq, n, type, task, story: task === null ? id : await stories.of(task), actor, at: iso(at), data }
}
