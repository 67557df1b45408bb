/** Checks a file's value against its schema: returns the typed value, or every problem in words for people. */
import type { ZodType } from 'zod'
import { z } from 'zod'
import type { Problem } from '../domain/problem.ts'
import { unknownWord } from '../domain/problem.ts'
import { isPlanned, notYet } from './planned.ts'
import type { YamlFile } from './yaml.ts'
import { refuse } from './yaml.ts'

/** `planned`: keys that are documented and not built, see planned.ts. */
export function check<T>(file: YamlFile, schema: ZodType<T>, planned: readonly string[], hint: string): T {
  const result = schema.safeParse(file.value)
  if (result.success) return result.data
  if (file.value === null || file.value === undefined) refuse(file, [{ path: [], message: 'it is empty' }], hint)
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, [], { file, schema, planned }))
  refuse(file, problems, hint)
}

interface Context {
  file: YamlFile
  schema: ZodType
  planned: readonly string[]
}

type Path = (string | number)[]

function problemsOf(issue: z.core.$ZodIssue, under: Path, context: Context): Problem[] {
  const path = [...under, ...issue.path.filter((key) => typeof key !== 'symbol')]
  const value = valueAt(context.file.value, path)
  const say = (text: string): Problem[] => [{ path, message: `${subject(path)} ${text}` }]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: keyProblem(key, path, context) }))
    case 'invalid_union':
      return unionProblems(issue, path, context)
    case 'invalid_type':
      if (value === undefined) return [{ path, message: `${subject(path.slice(0, -1))} needs "${path.at(-1)}"` }]
      if (!issue.message.startsWith('Invalid')) return say(issue.message)
      return say(`must be ${kindWord(issue.expected)}, not ${valueWord(value)}`)
    case 'invalid_key':
      return [{ path, message: `"${String(path.at(-1))}" cannot be a name in ${subject(path.slice(0, -1))}` }]
    case 'invalid_format':
      // An address may hold a secret: it is not said again.
      if (issue.format === 'url') return say('must be an http or https address')
      return say(
        issue.message.startsWith('Invalid') ? `must be ${issue.format}, not ${valueWord(value)}` : issue.message,
      )
    case 'invalid_value':
      if (!issue.message.startsWith('Invalid')) return say(issue.message)
      return say(`must be ${issue.values.map((word) => JSON.stringify(word)).join(' or ')}, not ${valueWord(value)}`)
    case 'too_small':
      // Zod measures what has the wrong type, too; that it has is told already.
      if (issue.origin === 'array' && !Array.isArray(value)) return []
      if (issue.origin !== 'number') return say('must not be empty')
      return say(`must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`)
    case 'too_big':
      return say(tooBig(issue.origin, Number(issue.maximum), value))
    default:
      return say(issue.message)
  }
}

/** Of several shapes, the one whose kind fits says what is wrong; if none fits, all kinds are named. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion, path: Path, context: Context): Problem[] {
  // No shape goes by that name: the schema's own words say which names there are.
  if (issue.errors.length === 0 && valueAt(context.file.value, path) !== undefined) {
    return [{ path, message: `${subject(path)} ${issue.message}` }]
  }
  const value = valueAt(context.file.value, path)
  const isKind = (inner: z.core.$ZodIssue): boolean => inner.path.length === 0 && kindsOf(inner, value).length > 0
  const fitting = issue.errors.find((branch) => !branch.some(isKind))
  if (fitting !== undefined) return fitting.flatMap((inner) => problemsOf(inner, path, context))
  if (value === undefined) return [{ path, message: `${subject(path.slice(0, -1))} needs "${path.at(-1)}"` }]
  const kinds = issue.errors.flatMap((branch) => branch.flatMap((inner) => kindsOf(inner, value)))
  return [{ path, message: `${subject(path)} must be ${[...new Set(kinds)].join(' or ')}, not ${valueWord(value)}` }]
}

/** What kind of value was wanted, if this is of another. */
function kindsOf(issue: z.core.$ZodIssue, value: unknown): string[] {
  if (issue.code === 'invalid_type') return [kindWord(issue.expected)]
  const isOther = issue.code === 'invalid_value' && issue.values.every((word) => typeof word !== typeof value)
  return isOther ? issue.values.map((word) => JSON.stringify(word)) : []
}

function keyProblem(key: string, path: Path, { file, schema, planned }: Context): string {
  if (isPlanned([...path, key], planned)) return notYet(`"${key}"`)
  const where = path.length > 0 ? ` in ${subject(path)}` : ''
  return unknownWord('key', key, keysAt(schema, path, file.value)).replace(`"${key}"`, `"${key}"${where}`)
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  const?: unknown
  enum?: unknown[]
}

/** The keys the schema knows at a path, for the value that is there. */
function keysAt(schema: ZodType, path: Path, value: unknown): string[] {
  let at = [z.toJSONSchema(schema, { io: 'input' }) as JsonSchema]
  for (const step of path) {
    at = at.flatMap(shapesOf).flatMap(({ properties, additionalProperties, items }) => {
      const below = properties?.[step] ?? items ?? additionalProperties
      return typeof below === 'object' ? [below] : []
    })
  }
  const shapes = at.flatMap(shapesOf).filter((shape) => fits(shape, valueAt(value, path)))
  return shapes.flatMap(({ properties }) => Object.keys(properties ?? {}))
}

const shapesOf = (node: JsonSchema): JsonSchema[] => node.anyOf ?? node.oneOf ?? [node]

/** Of several shapes, one key may say which it is. */
function fits({ properties = {} }: JsonSchema, value: unknown): boolean {
  return Object.entries(properties).every(([key, { const: only, enum: some }]) => {
    const given = valueAt(value, [key])
    return given === undefined || ((only === undefined || only === given) && some?.includes(given) !== false)
  })
}

function subject(path: Path): string {
  return path.length === 0 ? 'the file' : path.join('.')
}

const KIND: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
  boolean: 'true or false',
}

function kindWord(kind: string): string {
  return KIND[kind] ?? kind
}

function valueWord(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map of keys'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function tooBig(origin: string, most: number, value: unknown): string {
  if (origin === 'number') return `must be at most ${most}`
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : 'too many'
  return `has ${length} ${origin === 'string' ? 'characters' : 'entries'}; the limit is ${most}`
}

/** What the file has there; undefined: nothing. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}
