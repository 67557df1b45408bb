/** The forge in muster.yaml: where pull requests are. Each kind of forge says which keys it has (src/forge/registry.ts). */
import { z } from 'zod'
import type { ForgeConfig } from '../domain/config.ts'
import { KINDS, type Kinds } from './kinds.ts'

type Written = { type: string } & Record<string, unknown>

export function forgeSchema(forges: Kinds['forges']): z.ZodType<Written> {
  const [first, ...others] = forges
  const types = forges.map(({ type }) => `"${type}"`)
  return z
    .discriminatedUnion('type', [first.keys, ...others.map(({ keys }) => keys)], {
      error: ({ code, input }) =>
        code === 'invalid_union'
          ? `must be ${types.join(' or ')}, not ${JSON.stringify((Object(input) as { type?: unknown }).type)}`
          : undefined,
    })
    .default({ type: first.type }) as unknown as z.ZodType<Written>
}

const kindOf = ({ type }: { type: string }, forges: Kinds['forges']) =>
  forges.find((one) => one.type === type) ?? forges[0]

/** As the schema of the same forges lets it through. */
export function forgeOf(written: Written, forges = KINDS.forges): ForgeConfig {
  return kindOf(written, forges).read(written)
}

/** The phases of a project that names none. */
export const presetAt = (forge: ForgeConfig, forges = KINDS.forges): string => kindOf(forge, forges).preset
