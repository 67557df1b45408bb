/** The routes as a Hono app: first the guards, then the request's content, then its answer or a problem. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { Hono } from 'hono'
import { MusterError } from '../../domain/errors.ts'
import { checked, readBody } from './body.ts'
import type { Guard } from './guards.ts'
import { MCP_PATH, mcpRoute } from './mcp.ts'
import type { Problem } from './problems.ts'
import { HttpError, PROBLEM_TYPE, problemOf } from './problems.ts'
import { REQUESTS } from './requests.ts'
import type { Answer, RequestParts, Route } from './route.ts'
import type { Web } from './web.ts'

type Env = { Bindings: HttpBindings; Variables: { asker: 'board' | 'token' } }

/** What the adapter takes for "somebody else has answered". */
const ALREADY_SENT = { 'x-hono-already-sent': 'true' }

/** What every handler gets. */
type Shared = Pick<RequestParts<unknown, unknown>, 'service' | 'streams' | 'feed' | 'routes' | 'link' | 'enter'>

const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/') || path === MCP_PATH

export function httpApp(shared: Shared, guard: Guard, web: Web): Hono<Env> {
  const { service, routes } = shared
  const app = new Hono<Env>()
  app.use(async (context, next) => {
    const { req, env } = context
    const { host, origin, authorization } = env.incoming.headers
    const asker = { host, origin, authorization }
    guard.place(asker)
    const open = routes.some((route) => route.open && route.path === req.path && route.method === req.method)
    context.set('asker', !open && isApi(req.path) ? guard.token(asker) : 'token')
    await next()
  })
  for (const route of routes) {
    app.on(route.method, honoPath(route.path), async (context) => {
      return respond(await handle(route, context, shared))
    })
  }
  const mcp = mcpRoute(service)
  app.on('POST', MCP_PATH, ({ req, env }) => mcp(req.raw, env.incoming))
  app.on('GET', '*', ({ req }, next) => (isApi(req.path) ? next() : page(req.path, web)))
  app.notFound((context) => tell(unknownPath(context, routes)))
  app.onError((error, context) => {
    if (problemOf(error).code === 'internal') {
      service.emit({ type: 'http-failed', path: context.req.path, error: error.stack ?? String(error) })
    }
    return tell(error)
  })
  return app
}

async function handle(route: Route, { req, env, var: { asker } }: Context<Env>, shared: Shared): Promise<Answer> {
  const { incoming, outgoing } = env
  // A stream has no head to speak of, and would begin.
  if (incoming.method === 'HEAD' && route.stream !== undefined) throw notThatWay('GET')
  const query = checked(route.query, req.query(), 'the query')
  const body = route.body === null ? {} : checked(REQUESTS[route.body], await readBody(incoming), 'the body')
  const version = route.versioned ? versionIn(incoming.headers['if-match']) : undefined
  const commands = shared.service.commandsOf(asker)
  return route.handle({
    ...shared,
    asker,
    commands,
    id: req.param('id') ?? '',
    query,
    body,
    version,
    incoming,
    outgoing,
  })
}

/** The board, which knows nothing before it is let in. */
async function page(path: string, web: Web): Promise<Response> {
  const { body, headers } = web.at(path)
  return new Response(new Uint8Array(body), { headers })
}

function respond(answer: Answer): Response {
  if (answer === 'streamed') return new Response(null, { headers: ALREADY_SENT })
  const { headers = {} } = answer
  if ('text' in answer) {
    return new Response(answer.text, { headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } })
  }
  return send(answer.status ?? 200, answer.json, { 'Content-Type': 'application/json', ...headers })
}

function tell(error: unknown): Response {
  const problem: Problem = problemOf(error)
  const more = error instanceof HttpError ? error.headers : {}
  return send(problem.status, problem, { 'Content-Type': PROBLEM_TYPE, ...more })
}

function send(status: number, json: object, headers: Record<string, string>): Response {
  return new Response(`${JSON.stringify(json)}\n`, { status, headers })
}

function versionIn(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const version = Number(/^\s*"(\d{1,15})"\s*$/.exec(header)?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(version)) return version
  throw new MusterError('usage', 'If-Match is not a version', { hint: 'send the ETag that the task was answered with' })
}

function unknownPath({ req }: Context<Env>, routes: readonly Route[]): Error {
  if (!isApi(req.path)) return notThatWay('GET')
  if (req.path === MCP_PATH) return notThatWay('POST')
  const there = routes.filter(({ path }) => pathPattern(path).test(req.path)).map(({ method }) => method)
  if (there.length > 0) return notThatWay([...new Set(there)].join(', '))
  return new MusterError('not_found', 'there is no such path', {
    hint: 'GET /api/openapi.json lists all paths',
  })
}

function notThatWay(allowed: string): HttpError {
  return new HttpError('method_not_allowed', 'this path does not allow that method', `use ${allowed}`, {
    Allow: allowed,
  })
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')
const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
