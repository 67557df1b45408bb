/** What muster.yaml can name: the registries of the rooms that own it. Whoever tries another one passes it along. */
import { PROGRAMS } from '../agents/registry.ts'
import type { Program } from '../domain/program.ts'

export interface Kinds {
  programs: readonly Program[]
}

export const KINDS: Kinds = { programs: PROGRAMS }

/** For hints: how an agent is written. */
export const EXAMPLE_AGENT = `{ runtime: ${PROGRAMS[0]?.name} }`
