/** What a run came to: the result that its task hears of, and the end that its record keeps. */
import type { Contract } from '../../domain/contract/contract.ts'
import { MusterError, systemFailure } from '../../domain/errors.ts'
import type { RunFacts } from '../../domain/run.ts'
import type { StepResult } from '../../domain/task/event.ts'
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

/** `result`, `facts`: what is known of it beside what every run tells. */
export function endedRun(
  outcome: RunOutcome,
  { result = {}, facts = {} }: { result?: Partial<StepResult>; facts?: RunFacts },
): EndedRun {
  const { verdict, detail, findings, crashed, interrupted, exit, sandbox, results, hold, validates, retryAt } = outcome
  return {
    result: {
      outcome: outcomeOf(verdict),
      verdict,
      detail,
      findings,
      crashed,
      interrupted,
      limited: verdict === 'ERROR' && retryAt !== undefined,
      sandbox,
      hold,
      validates,
      ...result,
    },
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

/** A result with these problems is none: its author has failed, whatever it says. */
export function refusedFor(problems: readonly FindingText[], outcome: RunOutcome): RunOutcome {
  if (problems.length === 0) return outcome
  const detail = ['the result cannot be taken as it is', outcome.detail].filter(Boolean).join(': ')
  return { ...outcome, verdict: 'FAIL', detail, findings: [...problems, ...outcome.findings] }
}

/** A step that could not be carried out at all is ERROR, in the words of what went wrong. */
export function errorResult(error: unknown, facts: RunFacts = {}): EndedRun {
  const known = error instanceof MusterError ? error : systemFailure(error)
  const detail = known?.message ?? (error instanceof Error ? error.message : String(error))
  const hint = known?.hint === undefined ? '' : ` (${known.hint})`
  return {
    result: { outcome: 'ERROR', verdict: 'ERROR', detail: detail + hint, findings: [] },
    end: { outcome: 'ERROR', verdict: 'ERROR', detail: detail + hint, commit: null, exit: null, facts },
  }
}
