/** Explains how a text was classified. */
import { oneLine } from '../domain/contract/contract-text.ts'
import type { Classification } from './classify.ts'

/** For `--explain`: every cue with its weight, and what they come to. */
export function explainText({ type, ambiguous, scores, cues }: Classification): string {
  const sums = Object.entries(scores).map(([kind, score]) => `${kind} ${score}`)
  return [
    ...cues.map(({ kind, weight, why }) => `  +${weight} ${kind}: ${why}`),
    `  ${sums.join(', ')} → ${type}${ambiguous ? ', ambiguous' : ''}`,
  ]
    .map(oneLine)
    .join('\n')
}
