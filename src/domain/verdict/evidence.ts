/**
 * What Muster itself found out about a task's result: one answer per criterion, with everything needed to repeat it.
 */
import type { SandboxKind } from '../config.ts'

/**
 * `excused`: a guard that passes although tests fail, which failed in the same way before the change. `pending`: nobody has
 * answered it yet. `deferred`: later, on the story's head or by the parent. `waived`: a person took it over.
 */
export const CRITERION_STATUSES = [
  'pass',
  'excused',
  'waived',
  'deferred',
  'skipped',
  'pending',
  'fail',
  'error',
] as const
export type CriterionStatus = (typeof CRITERION_STATUSES)[number]

/** As people read them, everywhere the same. Only `passed` is plain green. */
export const STATUS_WORDS: Readonly<Record<CriterionStatus, string>> = {
  pass: 'passed',
  excused: 'excused',
  waived: 'waived',
  deferred: 'deferred',
  skipped: 'skipped',
  pending: 'unanswered',
  fail: 'failed',
  error: 'unclear',
}

/** How many criteria stand how; those that none does are left out. */
export type Tally = Partial<Record<CriterionStatus, number>>

export function tallyOf(criteria: readonly { status: CriterionStatus }[]): Tally {
  const counted = CRITERION_STATUSES.map((status) => [status, criteria.filter((one) => one.status === status).length])
  return Object.fromEntries(counted.filter(([, count]) => count !== 0)) as Tally
}

/** `4 passed, 1 excused, 1 unanswered`. */
export function tallyText(tally: Tally): string {
  const said = CRITERION_STATUSES.flatMap((status) =>
    tally[status] ? [`${tally[status]} ${STATUS_WORDS[status]}`] : [],
  )
  return said.join(', ') || 'nothing to verify'
}

export interface Evidence {
  /** What was really run: package scripts and scripts are resolved to what the base has. */
  command: string
  commit: string
  tree: string
  exit: number | null
  durationMs: number
  /** Null where there is nothing to count in. `estimate`: no report names the tests; the counts are those of its closing lines. */
  counts: { executed: number; failed: number; skipped: number; estimate?: true } | null
  failing: readonly string[]
  /** Failed in the same way on an attempt base where other tests pass: these do not count. */
  excused: readonly string[]
  /** Failed on the attempt base too, but in another way or where no test passes: a person has to compare. */
  unclear?: readonly string[]
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
  /** For a command that could not run its tests at all: what most likely makes it run. */
  mend?: string
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
  /** What a pass does not show: that no test which ran has to do with the file, or that nobody can tell. */
  warning?: string
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
  /** The result is what the attempt started from. */
  unchanged?: boolean
  /** Changed files that decide how work is judged. */
  protectedPaths: readonly string[]
  completedAt: string
}

/** The failed tests that did not count, each once: one command may answer several criteria. */
export function excusedTests({ criteria }: Pick<Results, 'criteria'>): string[] {
  const excused = criteria.flatMap(({ evidence }) => (evidence === null ? [] : [evidence]))
  const named = excused.flatMap(({ command, excused }) => excused.map((name) => [`${command}\0${name}`, name] as const))
  return [...new Map(named).values()]
}

/** What to say of a verification beside "passed"; null if nothing was excused. */
export function excusedWords(results: Pick<Results, 'criteria'>): string | null {
  const { length } = excusedTests(results)
  if (length === 0) return null
  return length === 1 ? '1 test failed as before and is excused' : `${length} tests failed as before and are excused`
}

/** Stand among the ids of criteria for what is none: a change of protected paths, and that nothing was changed. */
export const PROTECTED = 'protected-paths'
export const NO_CHANGE = 'no-change'

/** What a person took over himself: for this snapshot alone. */
export interface Waiver {
  commit: string
  criteria: readonly string[]
  reason: string
  by: string
}
