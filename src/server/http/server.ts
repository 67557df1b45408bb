/** The HTTP server: an app on a port, with limits on connections, and an orderly end that finishes open answers. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { MusterError } from '../../domain/errors.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import { httpApp } from './app.ts'
import { Feed } from './feed.ts'
import { SECURITY_HEADERS, guardOf, isLoopback } from './guards.ts'
import { checkMs, connectionsMax, headersMs, keepAliveMs, requestMs, silenceMs, silentMax, stopMs } from './limits.ts'
import { ROUTES } from './routes.ts'
import type { HttpService } from './service.ts'
import { sessionsOf } from './sessions.ts'
import { Streams } from './streams.ts'
import { Web } from './web.ts'

export { isLoopback } from './guards.ts'
export { tokenIn } from './token.ts'

interface HttpOptions {
  host: string
  /** 0: any that is free. */
  port: number
  token: string
  /** Names it may be called by beside its loopback addresses. */
  names: readonly string[]
  /** Where the built web board is. */
  web: string
}

export interface HttpServer {
  url: string
  port: number
  /** A link that opens the board in a browser: once, and for a while. Who asks for it decides what its page may. */
  link(asker?: 'board' | 'token'): string
  /** Answers from now on; requests that came before have waited. */
  begin(service: HttpService): void
  /** How many streams are open. */
  streams(): number
  /** Takes no more requests, ends the streams, and waits a moment for those that are being answered. */
  close(): Promise<void>
}

/** Takes the port. What answers comes later, so that nothing is begun for a port that somebody else has. */
export async function listen(options: HttpOptions, clock: Clock, random: Random): Promise<HttpServer> {
  const { host, names, token } = options
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
  })
  server.maxConnections = connectionsMax
  boundSilence(server)
  server.timeout = silenceMs
  const port = await bind(server, host, options.port)
  const streams = new Streams(clock)
  const ready = Promise.withResolvers<ReturnType<typeof getRequestListener>>()
  let feed: Feed | null = null
  server.on('request', (incoming, outgoing) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value)
    void ready.promise.then((answer) => answer(incoming, outgoing))
  })
  // Beyond this machine it goes by its name: it may listen on many addresses.
  const name = isLoopback(host) ? host : (names[0] ?? host)
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`
  const sessions = sessionsOf(port, token, clock, random)
  // Behind the #, so that no server and no log ever gets it with an address.
  const link = (asker?: 'board' | 'token') => `${url}/#key=${sessions.key(asker === 'board')}`
  return {
    url,
    port,
    link,
    begin(service) {
      feed = new Feed(service, streams)
      const guard = guardOf({ host, port, names, token, sessions })
      const shared = { service, streams, feed, link, enter: sessions.open, routes: ROUTES }
      const app = httpApp(shared, guard, new Web(options.web))
      ready.resolve(getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false }))
    },
    streams: () => streams.size,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      feed?.close()
      streams.close()
      server.closeIdleConnections()
      const cancel = clock.after(stopMs, () => server.closeAllConnections())
      await closed
      cancel()
    },
  }
}

function boundSilence(server: Server): void {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
    const [oldest] = silent
    if (silent.size > silentMax) oldest?.destroy()
  })
  server.on('request', ({ socket }) => silent.delete(socket))
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, host, port)))
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): MusterError {
  const where = `${host}:${port}`
  if (cause.code === 'EADDRINUSE') {
    const hint = 'muster serve --port 0 takes any port that is free'
    return new MusterError('busy', `another program already listens on ${where}`, { hint, cause })
  }
  if (cause.code === 'EACCES') {
    const hint = 'choose a port above 1023: muster serve --port 4747'
    return new MusterError('not_allowed', `you have no permission to listen on ${where}`, { hint, cause })
  }
  const hint = 'check --host: it must be an address of this machine'
  return new MusterError('usage', `cannot listen on ${where}: ${cause.message}`, { hint, cause })
}
