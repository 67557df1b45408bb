/**
 * The result of an agent program's run, and the one table that says what it means. It combines what the program
 * reported with how its process ended, because each of them alone can be wrong.
 */
import type { FinalEnd } from '../../domain/agent-event.ts'
import type { Verdict } from '../../domain/verdict/verdict.ts'
import type { Fold } from './fold.ts'

export type AgentResult = FinalEnd | 'denied' | 'stalled' | 'killed' | 'protocol-error'

/** Why Muster ended the program. `lingered`: it had told its end and did not go. */
export type Cut = 'turn-limit' | 'budget' | 'stalled' | 'lingered'

/**
 * An author that fails, or comes to a limit of its own, costs a round, and the next attempt goes on from what it left.
 * What says nothing about the work is ERROR; from a judge, everything that is no verdict is.
 */
export const VERDICTS_OF: Readonly<Record<AgentResult, { author: Verdict; judge: Verdict }>> = {
  // A judge that ends well has still to give its verdict.
  ok: { author: 'PASS', judge: 'ERROR' },
  failed: { author: 'FAIL', judge: 'ERROR' },
  denied: { author: 'FAIL', judge: 'ERROR' },
  'turn-limit': { author: 'FAIL', judge: 'ERROR' },
  budget: { author: 'FAIL', judge: 'ERROR' },
  killed: { author: 'FAIL', judge: 'ERROR' },
  'rate-limited': { author: 'ERROR', judge: 'ERROR' },
  auth: { author: 'ERROR', judge: 'ERROR' },
  'api-error': { author: 'ERROR', judge: 'ERROR' },
  stalled: { author: 'ERROR', judge: 'ERROR' },
  'protocol-error': { author: 'ERROR', judge: 'ERROR' },
}

export interface ProgramEnd {
  code: number | null
  signal: string | null
  cut?: Cut | undefined
}

/** A judge is refused tools by design, so that it was refused one says nothing. */
export function resultOf(fold: Fold, end: ProgramEnd, judge: boolean): AgentResult {
  const { final, session } = fold
  if (end.cut === 'budget' || end.cut === 'turn-limit') return end.cut
  if (final === null) {
    if (end.cut !== undefined) return 'stalled'
    if (session === null) return 'protocol-error'
    return isKilled(end) ? 'killed' : 'failed'
  }
  // It did not come as far as a session: wrong arguments, a session that is gone. No fault of the work's.
  if (final.end === 'failed' && session === null) return 'protocol-error'
  if (final.end !== 'ok') return final.end
  if (fold.denied.size > 0 && !judge) return 'denied'
  // What we ended after its final word has no exit code of its own.
  return end.code === 0 || end.cut !== undefined ? 'ok' : 'failed'
}

/** By a signal, or, seen through a shell, with 128 and the signal's number. */
function isKilled({ code, signal }: ProgramEnd): boolean {
  return signal !== null || (code !== null && code > 128 && code < 128 + 65)
}
