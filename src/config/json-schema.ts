/**
 * The JSON schema of muster.yaml, from the same zod types that read it. Editors get it as muster.schema.json beside
 * package.json; `node src/config/json-schema.ts > muster.schema.json` writes it anew.
 */
import { z } from 'zod'
import { configSchema } from './schema.ts'

export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'muster.yaml', description: 'The configuration of a Muster project.', ...schema }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
