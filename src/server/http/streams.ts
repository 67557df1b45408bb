/**
 * Open `text/event-stream` answers. What waits for one reader is limited: a reader that does not read is disconnected.
 * Each stream ends with its connection or with the server, and regular comments show both sides that it is alive.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../ports/clock.ts'
import { heartbeatMs, queueBytesMax } from './limits.ts'

export class Stream {
  readonly #outgoing: ServerResponse
  readonly #gone = new AbortController()

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing
    outgoing.once('close', () => this.#gone.abort())
    outgoing.on('error', () => this.#gone.abort())
    // It ends with its connection, so its parts need no lengths: one write each.
    outgoing.useChunkedEncodingByDefault = false
    outgoing.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
    outgoing.flushHeaders()
  }

  /** Aborts when nobody reads any more. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  send(chunk: string | Buffer): void {
    if (this.gone.aborted) return
    if (this.#outgoing.writableLength > queueBytesMax) return this.#cutOff()
    this.#outgoing.write(chunk)
  }

  /** Settles when the reader has taken what was sent, or is gone. */
  async drained(): Promise<void> {
    if (!this.#outgoing.writableNeedDrain || this.gone.aborted) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#outgoing.off('drain', go)
        this.gone.removeEventListener('abort', go)
        resolve()
      }
      this.#outgoing.once('drain', go)
      this.gone.addEventListener('abort', go)
    })
  }

  end(): void {
    this.#gone.abort()
    this.#outgoing.end()
  }

  #cutOff(): void {
    this.#gone.abort()
    this.#outgoing.destroy()
  }
}

export class Streams {
  readonly #clock: Clock
  readonly #open = new Set<Stream>()
  readonly #beats: (() => void)[] = []
  #cancel: (() => void) | null = null
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#open.size
  }

  begin(outgoing: ServerResponse): Stream {
    const stream = new Stream(outgoing)
    this.#open.add(stream)
    stream.gone.addEventListener('abort', () => void this.#open.delete(stream))
    if (this.#closed) stream.end()
    else this.#cancel ??= this.#clock.after(heartbeatMs, () => this.#beat())
    return stream
  }

  /** Called with every heartbeat. */
  onBeat(listener: () => void): void {
    this.#beats.push(listener)
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
    for (const stream of this.#open) stream.end()
  }

  #beat(): void {
    for (const stream of this.#open) stream.send(':\n\n')
    for (const listener of this.#beats) listener()
    this.#cancel = this.#open.size === 0 ? null : this.#clock.after(heartbeatMs, () => this.#beat())
  }
}

/** One message: JSON has no line breaks, and neither has a name of ours. */
export function message(data: unknown, { id, event }: { id?: number; event?: string } = {}): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
