/**
 * Fingerprints of a failed verification: one per failing criterion, made from the failing tests' names and messages
 * without numbers, paths and times. Two verifications that failed in the same way have the same; fewer or other
 * failures do not.
 */
import { createHash } from 'node:crypto'
import type { Results } from '../../domain/verdict/evidence.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import { normalised, withoutTimes } from '../../domain/task/recurring.ts'

export function printsOf({ criteria }: Results, findings: readonly FindingText[]): string[] {
  return criteria
    .filter(({ status }) => status === 'fail')
    .map(({ id, activity, error, evidence }) => {
      const names = (evidence?.failing ?? []).toSorted()
      // Without names, how much is wrong shows in the numbers alone: 3 errors are not 12.
      const words = names.length > 0 ? normalised : withoutTimes
      const said = findings.filter(({ criterion }) => criterion === id).map(({ message }) => words(message))
      const text = JSON.stringify([names, words(error ?? ''), said])
      const digest = createHash('sha256').update(text).digest('hex')
      return `${id} ${activity} ${digest.slice(0, 16)}`
    })
}
