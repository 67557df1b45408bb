/** The configuration as a task keeps it: its text, its hash, and back. */
import { createHash } from 'node:crypto'
import type { ProjectConfig } from '../domain/config.ts'
import { DEFAULT_LIMITS } from '../domain/limits.ts'

/** What a task runs under. Where notices go acts at once, and an address may hold a secret: it is not kept. */
export function snapshotText(config: ProjectConfig): string {
  return JSON.stringify({ ...config, notify: [] } satisfies ProjectConfig)
}

export function configHash(config: ProjectConfig): string {
  return createHash('sha256').update(snapshotText(config)).digest('hex')
}

/** As an older Muster may have stored it, with fewer limits. */
export function readSnapshot(body: string): ProjectConfig {
  const stored = JSON.parse(body) as ProjectConfig
  return { ...stored, limits: { ...DEFAULT_LIMITS, ...stored.limits } }
}
