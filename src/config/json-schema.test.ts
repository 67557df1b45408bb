import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { configJsonSchema } from './json-schema.ts'
import { configSchema } from './schema.ts'

interface Schema {
  properties: Record<string, { additionalProperties?: unknown; default?: unknown }>
  additionalProperties: boolean
  required?: string[]
}

describe('the JSON schema of muster.yaml', () => {
  test('muster.schema.json is up to date (npx node src/config/json-schema.ts > muster.schema.json)', () => {
    const committed: unknown = JSON.parse(readFileSync(new URL('../../muster.schema.json', import.meta.url), 'utf8'))
    expect(committed).toEqual(configJsonSchema())
  })

  test('knows every key, requires none and allows no other', () => {
    const schema = configJsonSchema() as unknown as Schema
    const keys = Object.keys(configSchema.shape)
    expect(Object.keys(schema.properties)).toEqual(keys)
    expect(schema.additionalProperties).toBe(false)
    expect(schema.required).toBeUndefined()
  })

  test('describes what a person writes, not what it is read as: a timeout is text', () => {
    expect(JSON.stringify(configJsonSchema())).toContain('"timeout":{"type":"string"}')
  })
})
