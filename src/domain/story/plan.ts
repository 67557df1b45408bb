/** A plan once it is read and checked: tasks with ids as the plan writes them. */
import type { WrittenContract } from '../contract/contract.ts'
import type { PhaseMap } from '../task/phase-map.ts'

/** What a plan says of the judges of its tasks' results. */
export interface PlannedValidation {
  /** null: the validator, and whom the project has beside it. */
  validators: readonly string[] | null
  /** How often they may send a task back; null: as often as the project's limits say. */
  attempts: number | null
}

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
  /** Where its specification is. */
  specRef?: string
  /** In which round it fails; absent: as the project's limits say. */
  maxRounds?: number
  /** What it may cost; absent: as much as its story. */
  budgetUsd?: number
  /** Absent: nobody validates it, unless its phases say so. */
  validation?: PlannedValidation
  /** The report of the defect that it fixes: a path of the project. */
  defect?: string
}

export interface Plan {
  key: string
  name: string
  tasks: PlannedTask[]
  /** What the story may cost; absent: as much as the project's limits say. */
  budgetUsd?: number
  /** One sentence of a person's, not a story that somebody planned. */
  adHoc?: boolean
}
