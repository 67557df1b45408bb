/** The forge that the configuration names. */
import type { ForgeConfig } from '../domain/config.ts'
import { MusterError } from '../domain/errors.ts'
import type { Forge } from '../ports/forge.ts'
import type { Environment, ForgeKind, ForgeParts } from './common/kind.ts'
import { FORGES } from './registry.ts'

/** Absent in what an older Muster stored: the first. */
type Chosen = ForgeConfig | undefined

function kindOf(config: Chosen, forges: readonly ForgeKind[]): { kind: ForgeKind; config: ForgeConfig } {
  const { type } = config ?? FORGES[0]
  const kind = forges.find((one) => one.type === type)
  if (kind !== undefined) return { kind, config: config ?? { type } }
  throw new MusterError('config', `this Muster does not know the forge "${type}"`, {
    hint: `forge.type in muster.yaml can be ${forges.map((one) => one.type).join(', ')}`,
  })
}

export function chooseForge(chosen: Chosen, parts: ForgeParts, forges: readonly ForgeKind[] = FORGES): Forge {
  const { kind, config } = kindOf(chosen, forges)
  return kind.open(config, parts)
}

/** Refuses to begin without what the forge will ask for; says what there is, in words, and null if it needs nothing. */
export function readyForge(chosen: Chosen, env: Environment, forges: readonly ForgeKind[] = FORGES): string | null {
  const { kind, config } = kindOf(chosen, forges)
  return kind.ready(config, env)
}

/** What deliveries of this type of forge are signed with; undefined: they are not listened to. */
export function webhookSecret(type: string, chosen: Chosen, env: Environment): string | undefined {
  const { kind, config } = kindOf(chosen, FORGES)
  const name = kind.webhook?.secretEnv(config) ?? null
  return name === null || kind.type !== type ? undefined : env[name]
}
