/** A draft of a story: the tasks that an agent proposed for a goal, before a person approved them. */

export interface StoryDraft {
  name: string
  tasks: readonly DraftTask[]
}

export interface DraftTask {
  name: string
  instructions: string
  /** One statement per line. */
  acceptance_criteria: string
  depends_on: readonly string[]
  checks: readonly string[]
  spec_ref?: string | undefined
  subtasks?: readonly DraftTask[]
}

/** What keeps a draft from being a story. `task`: its number, such as 2 or 2.1; null: the draft as a whole. */
export interface DraftProblem {
  task: string | null
  field: string | null
  message: string
}

/** A criterion that nobody else could verify, with how to word it. */
export interface DraftLint {
  task: string
  /** Which line of the task's criteria; null: it has none. */
  line: number | null
  criterion: string
  problem: string
  rewording: string
}
