/** What Muster found out for itself about a task's result: one answer per criterion, with what is needed to replay it. */
import type { SandboxKind } from './config.ts'

/** `pending`: the checker or a person answers it. `deferred`: later, on the story's head or at landing. `waived`: a person did. */
export type CriterionStatus = 'pass' | 'fail' | 'error' | 'skipped' | 'deferred' | 'pending' | 'waived'

export interface Evidence {
  /** What was really run: package scripts and scripts are resolved to what the base has. */
  command: string
  commit: string
  tree: string
  exit: number | null
  durationMs: number
  /** Null where there is no report to count in. */
  counts: { executed: number; failed: number; skipped: number } | null
  failing: readonly string[]
  /** Failed on the attempt base already. */
  excused: readonly string[]
  flaky: readonly string[]
  /** How often it was run on this tree. */
  runs: number
  /** Of the whole output, which is in the run's folder. */
  logDigest: string | null
  /** Where among the folders of runs that is: `<run>/<folder>`. */
  log: string | null
  sandbox: SandboxKind | null
  /** Taken from an earlier run of the same command on the same tree. */
  reused: boolean
  /** What the same command said on the attempt base; null if it did not matter. */
  base: 'green' | 'red' | null
  /** A goal that was met before anybody worked on it. */
  vacuous: boolean
  at: string
}

export interface CriterionResult {
  id: string
  activity: string
  status: CriterionStatus
  error: string | null
  attempts: number
  evidence: Evidence | null
  /** What a judge said that answered it. */
  note?: string
}

export interface Results {
  overall: 'pass' | 'fail' | 'error'
  /** The contract they answer, by hash. */
  contract: string
  /** What was judged: the snapshot merged onto the target. */
  commit: string
  tree: string
  /** The target's head it was merged onto. */
  base: string
  criteria: readonly CriterionResult[]
  /** Changed files that decide how work is judged. */
  protectedPaths: readonly string[]
  completedAt: string
}

/** Stands for the protected paths among the ids of criteria that a person has waived. */
export const PROTECTED = 'protected-paths'

/** What a person took over himself: for this snapshot alone. */
export interface Waiver {
  commit: string
  criteria: readonly string[]
  reason: string
  by: string
}
