/** A draft of a story: what a goal could be broken down into, before anybody approved it. */

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
  subtasks?: readonly DraftTask[]
}
