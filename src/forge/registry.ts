/**
 * The forges that Muster knows: the only place that names them. A new one is a folder beside this file, whose kind is one
 * line here, and passes conformance.ts.
 */
import { github } from './github/kind.ts'
import type { ForgeKind } from './common/kind.ts'
import { local } from './local/kind.ts'

/** The first is the one of a project that names none. */
export const FORGES: readonly [ForgeKind, ...ForgeKind[]] = [local, github]
