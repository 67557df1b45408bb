/** A receiver of webhooks on loopback: keeps what it got, and answers as it is told. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  /** With a secret in it, as such addresses have. */
  url: string
  received: Received[]
  /** Answers with this from now on, so long after it has read what came. */
  answer(status: number, afterMs?: number): void
  /** Settles when so many have come. */
  got(count: number): Promise<void>
  close(): void
}

export async function receiver(): Promise<Receiver> {
  const received: Received[] = []
  let [status, waitMs] = [200, 0]
  let watchers: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      const answer = () => response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
      if (waitMs === 0) answer()
      else setTimeout(answer, waitMs)
      for (const look of watchers) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hunter2`,
    received,
    answer: (next, afterMs = 0) => void ([status, waitMs] = [next, afterMs]),
    got: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return
          watchers = watchers.filter((other) => other !== look)
          resolve()
        }
        watchers.push(look)
        look()
      }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
