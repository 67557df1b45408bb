/**
 * GitHub's published description of its API, as a judge: whether a request or an answer is one that GitHub knows. Only the
 * operations that are asked about are looked at. It also makes up answers that fit, for whatever a fake does not care about.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Schema {
  $ref?: string
  type?: string
  nullable?: boolean
  enum?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema: Schema
}

interface Body {
  $ref?: string
  required?: boolean
  content?: { 'application/json'?: { schema: Schema } }
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Body>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

/** What any operation may answer, whether it says so or not. */
const ANYWHERE = new Set(['304', '401', '403', '404', '429', '500', '502', '503'])
const BASIC_ERROR: Schema = { $ref: '#/components/schemas/basic-error' }

let loaded: Description | null = null

function description(): Description {
  if (loaded !== null) return loaded
  const folder = createRequire(import.meta.url)
    .resolve('@octokit/openapi/package.json')
    .replace(/package\.json$/, '')
  const { paths, components } = JSON.parse(
    readFileSync(`${folder}generated/api.github.com.json`, 'utf8'),
  ) as Description
  // What is kept is kept by everything that runs beside and after: no more than is asked for.
  const { examples: _, ...kept } = components
  const ours = Object.entries(paths).filter(([path]) => path.startsWith('/repos/{owner}/{repo}/'))
  loaded = { paths: Object.fromEntries(ours), components: kept }
  return loaded
}

function deref<T extends { $ref?: string }>(value: T): T {
  if (value.$ref === undefined) return value
  const [, , kind = '', name = ''] = value.$ref.split('/')
  return deref(description().components[kind]?.[name] as T)
}

export interface Exchange {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  body: unknown
}

/** What is wrong with a request, in words; empty if GitHub knows it. */
export function requestProblems(request: Exchange): string[] {
  const operation = operationOf(request)
  if (operation === null) return [`GitHub has no ${request.method} ${request.path}`]
  const parameters = (operation.parameters ?? []).map(deref).filter((one) => one.in === 'query')
  const known = new Map(parameters.map((one) => [one.name, one.schema]))
  const asked = [...request.query].flatMap(([name, value]) => {
    const schema = known.get(name)
    if (schema === undefined) return [`no query parameter ${name}`]
    return problems(deref(schema), deref(schema).type === 'integer' ? Number(value) : value, `?${name}`)
  })
  const schema = operation.requestBody?.content?.['application/json']?.schema
  if (schema === undefined) return [...asked, ...(request.body === undefined ? [] : ['it takes no body'])]
  const unknown = Object.keys(Object(request.body) as object).filter(
    (key) => !(key in (deref(schema).properties ?? {})),
  )
  return [...asked, ...unknown.map((key) => `no field ${key}`), ...problems(schema, request.body, 'body')]
}

/** What is wrong with an answer to it. */
export function answerProblems(request: Exchange, status: number, body: unknown): string[] {
  const operation = operationOf(request)
  const response = operation?.responses[String(status)]
  if (response === undefined) {
    return ANYWHERE.has(String(status)) ? problems(BASIC_ERROR, body ?? {}, 'answer') : [`it never answers ${status}`]
  }
  const schema = deref(response).content?.['application/json']?.schema
  return schema === undefined ? [] : problems(schema, body, 'answer')
}

function operationOf({ method, path }: Exchange): Operation | null {
  const segments = path.split('/')
  for (const [template, methods] of Object.entries(description().paths)) {
    const parts = template.split('/')
    const operation = methods[method.toLowerCase()]
    if (operation === undefined || parts.length !== segments.length) continue
    if (parts.every((part, index) => part.startsWith('{') || part === segments[index])) return operation
  }
  return null
}

function problems(given: Schema, value: unknown, at: string): string[] {
  const schema = deref(given)
  if (value === null && schema.nullable === true) return []
  const parts = schema.allOf?.flatMap((one) => problems(one, value, at)) ?? []
  for (const choices of [schema.anyOf, schema.oneOf]) {
    if (choices === undefined) continue
    const tries = choices.map((one) => problems(one, value, at))
    if (tries.every((found) => found.length > 0)) parts.push(`${at}: fits none of ${choices.length}: ${tries[0]?.[0]}`)
  }
  if (schema.enum !== undefined && !schema.enum.includes(value))
    parts.push(`${at}: ${JSON.stringify(value)} is not listed`)
  if (schema.type !== undefined && !isOf(schema.type, value))
    return [...parts, `${at}: ${JSON.stringify(value)} is no ${schema.type}`]
  if (typeof value === 'string') parts.push(...textProblems(schema, value, at))
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    parts.push(`${at}: ${value}`)
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema
    return [...parts, ...value.flatMap((one, index) => problems(items, one, `${at}[${index}]`))]
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    parts.push(...objectProblems(schema, value, at))
  return parts
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function textProblems(
  { format, pattern, minLength = 0, maxLength = Infinity }: Schema,
  value: string,
  at: string,
): string[] {
  const wrong =
    (format === 'uri' && !URL.canParse(value)) ||
    (format === 'date-time' && Number.isNaN(Date.parse(value))) ||
    (pattern !== undefined && !new RegExp(pattern).test(value)) ||
    value.length < minLength ||
    value.length > maxLength
  return wrong ? [`${at}: ${JSON.stringify(value)} is no ${format ?? pattern ?? 'text of that length'}`] : []
}

function objectProblems(
  { required = [], properties = {}, additionalProperties }: Schema,
  value: object,
  at: string,
): string[] {
  const missing = required.filter((key) => !(key in value)).map((key) => `${at}.${key} is missing`)
  const inside = Object.entries(value).flatMap(([key, one]) => {
    const schema = properties[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    if (schema !== undefined) return problems(schema, one, `${at}.${key}`)
    return additionalProperties === false ? [`${at}.${key} is unknown`] : []
  })
  return [...missing, ...inside]
}

const samples = new Map<string, Record<string, unknown>>()

/** A value of this type with nothing in it but what must be. Nobody may change it. */
export function sample(name: string): Record<string, unknown> {
  const known = samples.get(name) ?? (made({ $ref: `#/components/schemas/${name}` }) as Record<string, unknown>)
  samples.set(name, known)
  return known
}

function made(given: Schema): unknown {
  const schema = deref(given)
  if (schema.nullable === true) return null
  if (schema.enum !== undefined) return schema.enum[0]
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (schema.type === undefined && choice !== undefined) return made(choice)
  const whole = Object.assign({}, ...(schema.allOf ?? []).map(made)) as object
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'https://github.invalid/x'
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'array':
      return []
    default:
      return {
        ...whole,
        ...Object.fromEntries((schema.required ?? []).map((key) => [key, made(schema.properties?.[key] ?? {})])),
      }
  }
}
