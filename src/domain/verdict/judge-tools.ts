/**
 * The tools that Muster offers a judge: one definition of what each takes, both to describe them to models and to check
 * their input. Errors are worded so that a model can act on them.
 */

import { jsonOf } from './verdict-statement.ts'

/** A use of one of them. */
export interface ToolCall {
  tool: string
  input: unknown
}

/** The part of JSON Schema that is needed here. */
type Schema =
  | { type: 'string'; enum?: readonly string[]; description?: string }
  | { type: 'integer'; minimum?: number; description?: string }
  | { type: 'array'; items: Schema; description?: string }
  | {
      type: 'object'
      properties: Readonly<Record<string, Schema>>
      required?: readonly string[]
      additionalProperties: false
    }

interface Tool {
  name: string
  description: string
  inputSchema: Extract<Schema, { type: 'object' }>
}

const FINDING = {
  type: 'object',
  properties: {
    severity: { type: 'string', enum: ['FAIL', 'WARN'], description: 'FAIL: must be fixed. WARN: a remark.' },
    message: { type: 'string', description: 'What is wrong, and how you know: what you ran and what it said.' },
    file: { type: 'string', description: 'Path in the repository.' },
    line: { type: 'integer', minimum: 1 },
    criterion: { type: 'string', description: 'Id of the criterion that is not met, such as c2.' },
    command: { type: 'string', description: 'The command that shows it.' },
  },
  required: ['severity', 'message'],
  additionalProperties: false,
} as const satisfies Schema

const ANSWER = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Id of the criterion, such as c1.' },
    status: { type: 'string', enum: ['PASS', 'FAIL'] },
    note: { type: 'string', description: 'How you know: what you ran and saw, where you looked.' },
  },
  required: ['id', 'status'],
  additionalProperties: false,
} as const satisfies Schema

export const JUDGE_TOOLS: readonly Tool[] = [
  {
    name: 'get_contract',
    description: 'The contract of the task that you judge, with its criteria.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'report_finding',
    description: 'Report one finding as soon as you have it. A FAIL names a criterion, a file or a command.',
    inputSchema: FINDING,
  },
  {
    name: 'submit_verdict',
    description:
      'Submit your verdict, once, when you have checked everything. PASS and WARN must answer every criterion.',
    inputSchema: {
      type: 'object',
      properties: {
        verdict: { type: 'string', enum: ['PASS', 'WARN', 'FAIL'] },
        nonce: { type: 'string', description: 'The nonce from your instructions.' },
        criteria: { type: 'array', items: ANSWER },
        findings: { type: 'array', items: FINDING, description: 'Findings that you have not reported yet.' },
        summary: { type: 'string' },
      },
      required: ['verdict', 'nonce'],
      additionalProperties: false,
    },
  },
]

/** The first thing that is wrong with a value; null if it is as the schema says. */
export function schemaProblem(schema: Schema, value: unknown, name: string): string | null {
  const shown = jsonOf(value).slice(0, 80)
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string' || value.trim() === '')
        return `${name} is ${shown}: it must be a text that is not empty`
      if (schema.enum === undefined || schema.enum.includes(value)) return null
      return `${name} is ${shown}: it must be one of ${schema.enum.join(', ')}`
    case 'integer':
      if (Number.isInteger(value) && Number(value) >= (schema.minimum ?? 0)) return null
      return `${name} is ${shown}: it must be a whole number from ${schema.minimum ?? 0} on`
    case 'array': {
      if (!Array.isArray(value)) return `${name} is ${shown}: it must be a list`
      const problems = value.map((item, index) => schemaProblem(schema.items, item, `${name}[${index}]`))
      return problems.find((problem) => problem !== null) ?? null
    }
    case 'object':
      return objectProblem(schema, value, name)
  }
}

function objectProblem(schema: Extract<Schema, { type: 'object' }>, value: unknown, name: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} must be an object`
  const fields = value as Readonly<Record<string, unknown>>
  const known = Object.keys(schema.properties)
  const stranger = Object.keys(fields).find((key) => !known.includes(key))
  if (stranger !== undefined)
    return `${name} has no field "${stranger.slice(0, 80)}": it has ${known.join(', ') || 'none'}`
  for (const [key, inner] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(fields, key) ? fields[key] : undefined
    const missing = given === undefined || given === null
    if (missing && schema.required?.includes(key) === true) return `${name} lacks ${key}`
    const problem = missing ? null : schemaProblem(inner, given, `${name}.${key}`)
    if (problem !== null) return problem
  }
  return null
}
