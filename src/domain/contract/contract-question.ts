/** Whether a person must choose a task's contract type before it starts (S3.19), and how Muster asks. */
import type { Contract } from './contract.ts'
import { codeOf, type Question, type Reason } from '../task/reasons.ts'
import type { TaskState } from '../task/task.ts'

/** The reason to ask, or null. Whoever wrote the contract has said it. */
export function openQuestion(
  { type, couldBe, generatedFrom }: Contract,
  { story, promptForAdvisory }: { story: string | null; promptForAdvisory: boolean },
): Question | null {
  if (generatedFrom === 'user') return null
  if (couldBe === 'advisory') return 'ambiguous'
  if (type !== 'advisory') return null
  if (story !== null) return 'in-story'
  return promptForAdvisory ? 'always' : null
}

/** What a person must still say before the task may start; null: nothing. */
export function questionTo({ held }: Pick<TaskState, 'held'>): Reason | null {
  return codeOf(held) === 'contract-question' ? held : null
}

/** The commands that answer it. */
export const answerCommands = (id: string): string[] =>
  ['verifiable', 'advisory'].map((type) => `muster contract ${id} --type ${type}`)
