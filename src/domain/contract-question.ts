/** Whether a person has to say what kind of task it is before it starts (S3.19), and how they are asked. */
import type { Contract } from './contract.ts'

/** The reason to ask, or null. Whoever wrote the contract has said it. */
export function openQuestion(
  { type, couldBe, generatedFrom }: Contract,
  { story, promptForAdvisory }: { story: string | null; promptForAdvisory: boolean },
): string | null {
  if (generatedFrom === 'user') return null
  if (couldBe === 'advisory') return 'it may be advisory or not'
  if (type !== 'advisory') return null
  if (story !== null) return 'it looks advisory, and it belongs to a story'
  return promptForAdvisory ? 'it looks advisory, and muster.yaml asks about those' : null
}

const CHOICE = '--type advisory lets it go on without verification, --type verifiable with'

/** What a task is held for that waits for that answer. */
export const contractQuestion = (id: string, why: string): string => `${why}: muster contract ${id} ${CHOICE}`

/** Of what a task is held for: why it is asked; null if it is held for something else. */
export function whyAsked(held: string): string | null {
  return held.endsWith(CHOICE) ? held.slice(0, held.lastIndexOf(': muster contract ')) : null
}
