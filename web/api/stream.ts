/** Reads a `text/event-stream` with the session in a header, which an EventSource cannot send. */
import { credentials } from './session.ts'

const silenceMs = 45_000

export interface Message {
  event: string
  /** Its own; '' if it has none. */
  id: string
  data: string
}

/** Reads until the returned function is called. `onEnd`: it was never there, or is over, and nobody asked for that. */
export function openStream(path: string, onMessage: (message: Message) => void, onEnd: () => void): () => void {
  const gone = new AbortController()
  const { signal } = gone
  const read = async (): Promise<void> => {
    const headers = { Accept: 'text/event-stream', ...credentials() }
    // Not through the browser's cache, in which a second tab would wait for the first one's answer to end.
    const { ok, body } = await fetch(path, { headers, cache: 'no-store', signal })
    if (!ok || body === null) return
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      // A comment comes every 15 seconds: where nothing does, nobody is there any more.
      const silence = setTimeout(() => void reader.cancel(), silenceMs)
      const { value, done } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) if (!signal.aborted && !block.startsWith(':')) onMessage(messageIn(block))
    }
  }
  void read()
    .catch(() => undefined)
    .then(() => signal.aborted || onEnd())
  return () => gone.abort()
}

function messageIn(block: string): Message {
  const fields = new Map(block.split('\n').map((line) => split(line)))
  return { event: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data: fields.get('data') ?? '' }
}

function split(line: string): [name: string, value: string] {
  const at = line.indexOf(': ')
  return [line.slice(0, at), line.slice(at + 2)]
}
