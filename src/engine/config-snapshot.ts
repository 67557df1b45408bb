/** A task's configuration snapshot: to text, to its hash, and back. */
import { createHash } from 'node:crypto'
import type { ProjectConfig } from '../domain/config.ts'
import { assert } from '../domain/errors.ts'
import { DEFAULT_LIMITS } from '../domain/limits.ts'
import { dutyByName } from '../domain/role.ts'
import { settledMap } from '../domain/task/phase-map.ts'
import type { Store } from '../ports/store.ts'

/** What a task runs under. Where notices go acts at once, and an address may hold a secret: it is not kept. */
export function snapshotText(config: ProjectConfig): string {
  return JSON.stringify({ ...config, notify: [] } satisfies ProjectConfig)
}

export function configHash(config: ProjectConfig): string {
  return createHash('sha256').update(snapshotText(config)).digest('hex')
}

/** As an older Muster may have stored it: with fewer limits, and with roles of which nothing says what they do. */
export function readSnapshot(body: string): ProjectConfig {
  const stored = JSON.parse(body) as ProjectConfig
  const agents = Object.fromEntries(
    Object.entries(stored.agents).map(([role, agent]) => [role, { ...agent, does: agent.does ?? dutyByName(role) }]),
  )
  return { ...stored, agents, phases: settledMap(stored.phases), limits: { ...DEFAULT_LIMITS, ...stored.limits } }
}

/** Those that open tasks run under, read once each. */
export class StoredConfigs {
  readonly #store: Pick<Store, 'config'>
  readonly #known = new Map<string, ProjectConfig>()

  constructor(store: Pick<Store, 'config'>) {
    this.#store = store
  }

  async of(hash: string): Promise<ProjectConfig> {
    const known = this.#known.get(hash)
    if (known !== undefined) return known
    const body = await this.#store.config(hash)
    assert(body !== null, `configuration ${hash} is stored with the tasks that use it`)
    const config = readSnapshot(body)
    this.#known.set(hash, config)
    return config
  }
}
