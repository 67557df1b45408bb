/** The OpenAPI 3.1 document, from the same routes and types that check requests and answer them. */
import { z } from 'zod'
import { version } from '../../version.ts'
import { ANSWERS } from './answers.ts'
import { pageItemsMax } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import { PROBLEM_TYPE, statusOf } from './problems.ts'
import { REQUESTS } from './requests.ts'
import type { Route } from './route.ts'

/** What every request may meet. */
const COMMON: readonly ProblemCode[] = ['usage', 'not_allowed', 'unauthorized', 'method_not_allowed', 'busy', 'storage']
const WITH_BODY: readonly ProblemCode[] = ['too_large', 'unsupported_media_type']

export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const one of routes) (paths[one.path] ??= {})[one.method.toLowerCase()] = operation(one)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version,
      description: `Drives AI coding agents through tasks and decides whether their work passes. Pages have at most ${pageItemsMax} items.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4747' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'In the file that muster serve prints' },
      },
      responses: problemResponses(routes),
      schemas: { ...schemas(REQUESTS, 'input'), ...schemas(ANSWERS, 'output') },
    },
  }
}

/** Those that have a name are told once; others refer to them by it. */
function schemas(types: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, unknown> {
  const named = z.registry<{ id: string }>()
  for (const [id, type] of Object.entries(types)) named.add(type, { id })
  const made = z.toJSONSchema(named, { io, uri: (id) => `#/components/schemas/${id}` }).schemas
  return Object.fromEntries(Object.entries(made).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]))
}

function jsonSchema(type: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' })
  return schema
}

function operation(one: Route): object {
  const { name, summary, open, body, answers, stream } = one
  const responses: Record<string, object> = {}
  for (const [status, what] of Object.entries(answers)) {
    const asked = stream === 'asked' ? { 'text/event-stream': { schema: { type: 'string' } } } : {}
    responses[status] = { description: described(what), ...etag(what), content: { ...contentOf(what), ...asked } }
  }
  if (stream === 'always') {
    responses[200] = {
      description: 'a stream of events',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }
  }
  for (const [status, codes] of problemsOf(one))
    responses[status] = { $ref: `#/components/responses/${codes.join('-')}` }
  const content = body === null ? null : { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } }
  return {
    operationId: name,
    summary,
    ...(open ? { security: [] } : {}),
    parameters: parametersOf(one),
    ...(content === null ? {} : { requestBody: { required: body !== 'Decision', content } }),
    responses,
  }
}

/** One for each group of codes that share a status somewhere. */
function problemResponses(routes: readonly Route[]): Record<string, object> {
  const content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } }
  const groups = routes.flatMap((one) => [...problemsOf(one).values()])
  return Object.fromEntries(groups.map((codes) => [codes.join('-'), { description: codes.join(', '), content }]))
}

function described(what: string): string {
  return what.includes('/') ? 'the text' : what
}

function contentOf(what: string): object {
  if (what === 'text/plain') return { 'text/plain': { schema: { type: 'string' } } }
  if (what === 'application/json') return { 'application/json': { schema: { type: 'object' } } }
  return { 'application/json': { schema: { $ref: `#/components/schemas/${what}` } } }
}

function etag(what: string): object {
  if (what !== 'Task') return {}
  return { headers: { ETag: { description: "the task's version, for If-Match", schema: { type: 'string' } } } }
}

/** By status, each with its codes. */
export function problemsOf({ problems, body, open }: Route): Map<number, ProblemCode[]> {
  const common = COMMON.filter((code) => !(open && code === 'unauthorized'))
  const codes = [...common, ...(body === null ? [] : WITH_BODY), ...problems, 'internal' as const]
  return Map.groupBy(new Set(codes), statusOf)
}

function parametersOf({ path, query, versioned, stream }: Route): object[] {
  const { properties = {}, required = [] } = jsonSchema(query) as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  const asked = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    required: required.includes(name),
    schema,
  }))
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    required: false,
    schema: { type: 'string' },
  })
  return [
    ...(path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...asked,
    ...(versioned ? [header('If-Match', 'the version that the task must have, as "<version>"')] : []),
    ...(stream === 'always' ? [header('Last-Event-ID', 'continue after this event')] : []),
  ]
}
