/** A plan once it is read and checked: tasks with ids as the plan writes them. */
import type { WrittenContract } from './contract.ts'
import type { PhaseMap } from './phase-map.ts'

/** A task of a plan, with ids as the plan writes them. */
export interface PlannedTask {
  id: string
  title: string
  instructions: string
  acceptanceCriteria: string
  agent: string | null
  dependsOn: string[]
  checks: string[]
  expectedFiles: string[]
  parent: string | null
  /** null: the project's own. */
  phases: PhaseMap | null
  /** null: one is generated. */
  contract: WrittenContract | null
}

export interface Plan {
  key: string
  name: string
  tasks: PlannedTask[]
  /** One sentence of a person's, not a story that somebody planned. */
  adHoc?: boolean
}
