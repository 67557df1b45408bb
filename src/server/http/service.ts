/** What the HTTP API uses: the application's commands and views. It has no other way to change anything. */
import type { ProjectConfig } from '../../domain/config.ts'
import type { BoundChanges, Wanted } from '../../engine/views/changes.ts'
import type { DraftLint, StoryDraft } from '../../domain/story/draft.ts'
import { MusterError } from '../../domain/errors.ts'
import type { Story } from '../../domain/task/task.ts'
import type { Commands } from '../../engine/commands.ts'
import type { RunLog } from '../../engine/jobs/run-log.ts'
import type { ShipView } from '../../engine/views/shipping.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ProbeEvent } from '../../ports/probe.ts'
import type { RunRecord, Store, StoredTask } from '../../ports/store.ts'
import type { Webhook } from './webhook.ts'

export interface HttpService {
  /** Decisions among them need what shows a person. */
  commandsOf(asker: 'board' | 'token'): Commands
  /** For looking: a connection of its own, which sees what is committed and nothing else. */
  store: Store
  clock: Clock
  /** Whose decisions they are: who started the server has the token. */
  by: string
  dataDir: string
  subscribe(listener: (event: ProbeEvent) => void): () => void
  emit(event: ProbeEvent): void
  /** What muster.yaml says now, and the folder it is in. */
  project(): Promise<{ config: ProjectConfig; root: string }>
  /** What people should know of what keeps agents in; null: they are. */
  sandboxNote(config: ProjectConfig): Promise<string | null>
  changes(task: StoredTask, wanted: Wanted): Promise<BoundChanges>
  /** What Ship would do now. */
  shipping(story: Story): Promise<ShipView>
  /** Criteria of a draft that nobody else could verify. */
  lint(draft: StoryDraft): DraftLint[]
  log(run: RunRecord): Promise<RunLog>
  /** What a run's agent was told; null when it was told nothing, or it is gone. */
  prompt(runId: string): Promise<string | null>
  webhook: Webhook
}

/** What muster.yaml says now; null where it cannot be read: whoever only looks is not stopped by that. */
export async function presentConfig(service: Pick<HttpService, 'project'>): Promise<ProjectConfig | null> {
  try {
    return (await service.project()).config
  } catch (error) {
    if (error instanceof MusterError) return null
    throw error
  }
}
