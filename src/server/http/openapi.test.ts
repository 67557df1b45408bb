import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ANSWERS } from './answers.ts'
import { httpApp } from './app.ts'
import type { Guard } from './guards.ts'
import { openApi, problemsOf } from './openapi.ts'
import { PROBLEM_CODES, statusOf } from './problems.ts'
import { REQUESTS } from './requests.ts'
import type { RequestParts } from './route.ts'
import { ROUTES } from './routes.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string }[]
  responses: Record<string, { $ref?: string }>
}
const document = openApi(ROUTES) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

test('openapi.json is up to date (npx node src/server/http/routes.ts > openapi.json)', () => {
  const committed: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
  expect(committed).toEqual(JSON.parse(JSON.stringify(document)))
})

test('every route of the app is in the document, and the other way round', () => {
  const shared = { service: {}, streams: {}, feed: {}, routes: ROUTES } as unknown as RequestParts<unknown, unknown>
  const app = httpApp(shared, {} as Guard, {} as Parameters<typeof httpApp>[2])
  const served = app.routes
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path}`)
  const told = operations.map(({ method, path }) => `${method} ${path.replace('{id}', ':id')}`)
  expect(served.toSorted()).toEqual(told.toSorted())
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(told.length)
})

test('it has every path of the design', () => {
  const design = [
    'GET /api/tasks',
    'POST /api/tasks',
    'GET /api/tasks/{id}',
    ...['cancel', 'archive', 'unarchive'].map((verb) => `POST /api/stories/{id}/${verb}`),
    ...['accept', 'reject', 'approve', 'retry', 'cancel'].map((verb) => `POST /api/tasks/{id}/${verb}`),
    ...['diff', 'events', 'attempts', 'explain'].map((what) => `GET /api/tasks/{id}/${what}`),
    'GET /api/attempts/{id}/log',
    'GET /api/attempts/{id}/prompt',
    'GET /api/stories',
    'POST /api/stories',
    'GET /api/stories/{id}',
    ...['status', 'cost', 'stats', 'events', 'openapi.json', 'health'].map((what) => `GET /api/${what}`),
  ]
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(design))
})

test('every reference leads somewhere, and everything with a name is referred to', () => {
  const text = JSON.stringify(document)
  const refs = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, to]) => to))
  const there = Object.entries(document.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `${kind}/${name}`))
  expect(refs).toEqual(new Set(there))
  expect(Object.keys(document.components.schemas)).toHaveLength(
    Object.keys(ANSWERS).length + Object.keys(REQUESTS).length,
  )
})

test('every problem is documented under its status, and every path with an id has a parameter for it', () => {
  for (const route of ROUTES) {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    for (const [status, codes] of problemsOf(route)) {
      expect(operation?.responses[status]).toEqual({ $ref: `#/components/responses/${codes.join('-')}` })
      for (const code of codes) expect(statusOf(code)).toBe(status)
    }
    const named = operation?.parameters.some((parameter) => parameter.in === 'path')
    expect(named).toBe(route.path.includes('{id}'))
  }
})

test.each([
  ['usage', 400],
  ['config', 400],
  ['unauthorized', 401],
  ['not_allowed', 403],
  ['not_found', 404],
  ['conflict', 409],
  ['gate_closed', 409],
  ['storage', 503],
  ['internal', 500],
] as const)('the code %s is the status %d', (code, status) => {
  expect(statusOf(code)).toBe(status)
  expect(PROBLEM_CODES).toContain(code)
})
