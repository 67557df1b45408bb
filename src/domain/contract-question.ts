/** Whether a person has to say what kind of task it is before it starts (S3.19). */
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
