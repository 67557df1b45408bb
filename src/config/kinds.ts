/** What muster.yaml can name: the registries of the rooms that own it. Whoever tries another one passes it along. */
import { PROGRAMS } from '../agents/registry.ts'
import { CHANNELS } from '../channels/registry.ts'
import type { Program } from '../domain/program.ts'
import { FORGES } from '../forge/registry.ts'

export interface Kinds {
  programs: readonly Program[]
  forges: typeof FORGES
  channels: typeof CHANNELS
}

export const KINDS: Kinds = { programs: PROGRAMS, forges: FORGES, channels: CHANNELS }

/** For hints: how an agent is written. */
export const EXAMPLE_AGENT = `{ runtime: ${PROGRAMS[0]?.name} }`
