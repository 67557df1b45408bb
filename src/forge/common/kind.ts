/**
 * What is to be known of a kind of forge: its keys in muster.yaml, what it needs, and how one is opened. One folder for each
 * kind, one value of this type, one line in ../registry.ts.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { ForgeConfig } from '../../domain/config.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Store } from '../../ports/store.ts'
import type { Workspaces } from '../../ports/workspaces.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface ForgeParts {
  store: Store
  workspaces: Pick<Workspaces, 'remote'>
  env: Environment
  clock: Clock
  random: Random
}

/** What such a forge sends by itself, and how it is told from what anybody could send. */
interface ForgeWebhook<C> {
  /** The variable with the secret; null: nothing is listened to. */
  secretEnv(config: C): string | null
  /** What a delivery says of itself. */
  marks(headers: IncomingHttpHeaders): { id: string; signature: string }
  /** The signature that a body must have. */
  sign(secret: string, body: Buffer): string
}

export interface ForgeKind<C extends ForgeConfig = ForgeConfig> {
  /** Its `type` in muster.yaml. */
  type: string
  /** For people. */
  title: string
  /** Its keys in muster.yaml, `type` among them. Secrets are named, each by a key that ends in `Env`: see domain/secrets.ts. */
  keys: z.ZodObject
  /** What was written under those keys, with all that was left out. */
  read(written: unknown): C
  /** The phases of a project that names none. */
  preset: string
  /** Throws if something is missing that it will ask for; otherwise says in words what there is. Null: it needs nothing. */
  ready(config: C, env: Environment): string | null
  webhook?: ForgeWebhook<C>
  /** Asks nobody for anything yet. */
  open(config: C, parts: ForgeParts): Forge
}
