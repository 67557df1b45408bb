/** What the MCP tools for people's programs use: the same commands and views as every other surface. */
import type { ProjectConfig } from '../domain/config.ts'
import type { Commands } from '../engine/commands.ts'
import type { RunLog } from '../engine/jobs/run-log.ts'
import type { RunRecord, Store } from '../ports/store.ts'

export interface McpService {
  version: string
  now(): number
  /** Looks at what is committed. */
  look<T>(use: (store: Store) => Promise<T>): Promise<T>
  /** Asks the engine that runs or, when none does, writes down what the next one goes on from. */
  ask<T>(use: (commands: Commands) => Promise<T>): Promise<T>
  /** What muster.yaml says now, and the folder it is in. */
  project(): Promise<{ config: ProjectConfig; root: string }>
  log(store: Store, run: RunRecord): Promise<RunLog>
  /** A mistake of ours, which the one who asked is told nothing of. */
  failed(error: unknown): void
}
