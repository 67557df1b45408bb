/** What a run came to: the result that its task hears of, and the end that its record keeps. */
import type { Contract } from '../../domain/contract/contract.ts'
import { errorWords } from '../../domain/errors.ts'
import type { RunFacts } from '../../domain/run.ts'
import type { Facts, StepResult } from '../../domain/task/event.ts'
import type { FindingText } from '../../domain/verdict/verdict.ts'
import { outcomeOf } from '../../domain/verdict/verdict.ts'
import type { RunOutcome } from '../../ports/runtime.ts'
import type { RunEnd } from '../../ports/store.ts'

export interface EndedRun {
  result: StepResult
  end: Omit<RunEnd, 'at'>
  /** In force from now on: what the run changed added criteria. */
  contract?: Contract | null
}

/** `known`, `facts`: what its task and its record learn beside what every run tells. */
export function endedRun(
  outcome: RunOutcome,
  { known = {}, facts = {} }: { known?: Facts; facts?: RunFacts },
): EndedRun {
  const { verdict, detail, findings, crashed, exit, sandbox, results, validates } = outcome
  return {
    result: { ...meaningOf(outcome), verdict, detail, findings, crashed, sandbox, validates, ...known },
    end: {
      outcome: outcomeOf(verdict),
      verdict,
      detail,
      commit: null,
      exit,
      facts: {
        ...(sandbox === undefined ? {} : { sandbox }),
        ...(results === undefined ? {} : { results }),
        ...facts,
      },
    },
  }
}

function meaningOf({ verdict, hold, interrupted, retryAt }: RunOutcome) {
  switch (outcomeOf(verdict)) {
    case 'ADVANCE':
      return { outcome: 'ADVANCE', hold } as const
    case 'RETRY':
      return { outcome: 'RETRY' } as const
    default:
      return { outcome: 'ERROR', interrupted, limited: retryAt !== undefined, hold } as const
  }
}

/** A result with these problems is none: its author has failed, whatever it says. */
export function refusedFor(problems: readonly FindingText[], outcome: RunOutcome): RunOutcome {
  if (problems.length === 0) return outcome
  const detail = ['the result cannot be accepted as it is', outcome.detail].filter(Boolean).join(': ')
  return { ...outcome, verdict: 'FAIL', detail, findings: [...problems, ...outcome.findings] }
}

/** A step that could not be carried out at all is ERROR, in the words of what went wrong. */
export function errorResult(error: unknown, facts: RunFacts = {}): EndedRun {
  const detail = errorWords(error)
  return {
    result: { outcome: 'ERROR', verdict: 'ERROR', detail, findings: [] },
    end: { outcome: 'ERROR', verdict: 'ERROR', detail, commit: null, exit: null, facts },
  }
}
