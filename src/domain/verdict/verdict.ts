/**
 * Verdicts and what they mean for a task. verdict-file.ts, verdict-text.ts and verdict-calls.ts parse them,
 * verdict-weigh.ts combines them; all of them fail closed.
 */

export const VERDICTS = ['PASS', 'WARN', 'FAIL', 'ERROR'] as const
export type Verdict = (typeof VERDICTS)[number]

/** What a step's execution means for the phase map; ERROR stays where it is, on a budget of its own. */
export type Outcome = 'ADVANCE' | 'RETRY' | 'WAIT' | 'ERROR'

export type Severity = 'FAIL' | 'WARN'

export interface FindingText {
  severity: Severity
  message: string
  file?: string | undefined
  line?: number | undefined
  /** The criterion that is not met, by its id. */
  criterion?: string | undefined
  /** The command that shows it. */
  command?: string | undefined
  /** What that command said when Muster ran it on the same tree itself. */
  replay?: Replay | undefined
}

/**
 * `same`: it fails for Muster too. `different`: it does not. `ran`: it only shows something, which is for people to read.
 * `not-run`: Muster does not run such a command.
 */
export type Replay = 'same' | 'different' | 'ran' | 'not-run'

/** What a judge says of one criterion. */
export interface CriterionAnswer {
  id: string
  met: boolean
  /** How it knows: what it ran and saw, where it looked. */
  note: string
}

/** One statement somebody must (FAIL) or may (WARN) act on, as it is stored with the task. */
export interface Finding extends FindingText {
  round: number
  /** Who says so: a role, a check, an action, a signal. */
  source: string
}

export const NO_VERDICT = 'worker completed without writing verdict'

export function outcomeOf(verdict: Verdict): Outcome {
  if (verdict === 'PASS' || verdict === 'WARN') return 'ADVANCE'
  return verdict === 'FAIL' ? 'RETRY' : 'ERROR'
}

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS[Math.max(0, ...verdicts.map((verdict) => VERDICTS.indexOf(verdict)))] ?? 'ERROR'
}

/** What a verdict must be about to count. */
export interface VerdictScope {
  taskId: string
  attempt: number
  nonce: string
  judge: boolean
  /** What is judged. */
  commit?: string | undefined
  /** The criteria without whose answers a judge's PASS or WARN is none. */
  criteria?: readonly string[] | undefined
  /** It may say PASS to all of them at once: a command of the user's has its own way to find out. */
  terse?: boolean | undefined
  /** False: this judge knows PASS and FAIL only. */
  warns?: boolean | undefined
}

export interface ParsedVerdict {
  verdict: Verdict
  detail: string
  findings: FindingText[]
  /** A judge's answers, one for each criterion it speaks of. */
  criteria?: CriterionAnswer[]
}
