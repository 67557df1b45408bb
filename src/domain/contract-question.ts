/** Whether a person has to say what kind of task it is before it starts (S3.19), and how they are asked. */
import type { Contract } from './contract.ts'
import type { TaskState } from './task.ts'

/** The reason to ask, or null. Whoever wrote the contract has said it. */
export function openQuestion(
  { type, couldBe, generatedFrom }: Contract,
  { story, promptForAdvisory }: { story: string | null; promptForAdvisory: boolean },
): string | null {
  if (generatedFrom === 'user') return null
  if (couldBe === 'advisory') return 'This may be a question or a change.'
  if (type !== 'advisory') return null
  const looks = 'This looks like a question, not a change'
  if (story !== null) return `${looks}, and it belongs to a story.`
  return promptForAdvisory ? `${looks}, and muster.yaml asks about those.` : null
}

/** What a task is held for that waits for that answer. */
export const contractQuestion = (id: string, why: string): string =>
  `${why} Choose: muster contract ${id} --type verifiable, or --type advisory`

/** What a person must still say before the task may start; null: nothing. */
export function questionTo({ held, cause }: Pick<TaskState, 'held' | 'cause'>): string | null {
  return cause === 'question' ? held : null
}

/** The commands that answer it. */
export const answerCommands = (id: string): string[] =>
  ['verifiable', 'advisory'].map((type) => `muster contract ${id} --type ${type}`)
