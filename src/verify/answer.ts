/** Turns the end of a criterion's command into its answer, and all answers into one verdict. Pure. */
import { because, type Reason } from '../domain/task/reasons.ts'
import { join } from 'node:path'
import type { Criterion } from '../domain/contract/contract.ts'
import { type CriterionResult, type CriterionStatus, type Evidence, excusedWords } from '../domain/verdict/evidence.ts'
import type { FindingText, Verdict } from '../domain/verdict/verdict.ts'
import type { Combined } from './combine.ts'
import { findingsOf } from './excerpt.ts'
import type { JobResult } from '../ports/executor.ts'
import { checkEnd, type Command } from './execute.ts'
import type { NotShown } from './shown.ts'

export interface Answer {
  result: CriterionResult
  findings: FindingText[]
  needsPerson: boolean
}

/** The runs of one command on one tree. */
export interface Runs {
  key: string
  tree: string
  executions: JobResult[]
  reused: boolean
}

export function plainResult(
  { id, activity }: Pick<Criterion, 'id' | 'activity'>,
  status: CriterionStatus,
  error: string | null,
): CriterionResult {
  return { id, activity, status, error, attempts: 0, evidence: null }
}

interface Found {
  here: Runs
  /** On the target, if that mattered. */
  before: Runs | null
  /** What most likely makes a command run that cannot; null for one that does. */
  mend: string | null
  /** What a green run does not show about the file that the criterion names. */
  unshown: NotShown | null
}

export function answerOf(
  { id, activity }: Criterion,
  command: Command,
  found: Found,
  said: Combined,
  commit: string,
): Answer {
  const { here, mend, unshown } = found
  const shown = here.executions[said.firstRed ?? 0]
  return {
    needsPerson: said.needsPerson,
    // What is unclear is never the author's.
    findings: [...unshownFinding(unshown), ...(said.outcome === 'error' ? [] : findingsIn(shown, command, said))],
    result: {
      id,
      activity,
      status: statusOf(said, unshown),
      error: errorOf(said, mend, unshown),
      ...(unshown === null || unshown.fails ? {} : { warning: unshown.words }),
      attempts: here.executions.length,
      evidence: evidenceOf(shown, command, found, said, commit),
    },
  }
}

function findingsIn(shown: JobResult | undefined, { shown: words, resolved }: Command, said: Combined): FindingText[] {
  const report = shown?.report ?? null
  return findingsOf({
    command: words,
    judgement: said,
    report: report !== null && 'tests' in report ? report : null,
    log: shown?.output ?? '',
    root: shown?.root ?? '/',
  }).map((finding) => (finding.file === undefined ? finding : { ...finding, file: join(resolved.cwd, finding.file) }))
}

/** `shown`: the execution that a person is to look at. */
function evidenceOf(
  shown: JobResult | undefined,
  { resolved }: Command,
  { here, before, mend }: Found,
  { counts, failing, excused, unclear, flaky, vacuous }: Combined,
  commit: string,
): Evidence {
  const baseRed = before?.executions.some((run) => checkEnd(run).exitCode !== 0)
  return {
    command: `${resolved.prefix}${resolved.command}`,
    commit,
    tree: here.tree,
    exit: shown === undefined ? null : checkEnd(shown).exitCode,
    durationMs: shown?.durationMs ?? 0,
    counts,
    failing,
    excused,
    unclear,
    flaky,
    runs: here.executions.length,
    logDigest: shown?.logDigest ?? null,
    log: shown?.id ?? null,
    sandbox: shown?.sandbox ?? null,
    reused: here.reused,
    base: baseRed === undefined ? null : baseRed ? 'red' : 'green',
    vacuous,
    ...(mend === null ? {} : { mend }),
    at: shown?.at ?? '',
  }
}

function statusOf({ outcome, excused }: Combined, unshown: NotShown | null): CriterionStatus {
  if (unshown?.fails === true) return 'fail'
  return outcome === 'pass' && excused.length > 0 ? 'excused' : outcome
}

function errorOf({ outcome, reasons }: Combined, mend: string | null, unshown: NotShown | null): string | null {
  if (outcome === 'pass') return unshown?.fails === true ? unshown.words : null
  return [...reasons, ...(mend === null ? [] : [mend])].join('; ')
}

function unshownFinding(unshown: NotShown | null): FindingText[] {
  if (unshown?.fails !== true) return []
  const place = unshown.file === null ? {} : { file: unshown.file }
  return [{ severity: 'FAIL', message: `${unshown.words}. Add a test that uses it.`, ...place }]
}

/** `touched`: what work is judged by, as far as the change touches it and nobody has said that this is fine. */
export function outcomeOf(
  answers: readonly Answer[],
  touched: readonly string[],
): { verdict: Verdict; detail: string; findings: FindingText[]; hold: Reason | null } {
  const failed = answers.filter(({ result }) => result.status === 'fail')
  const broken = answers.filter(({ result }) => result.status === 'error')
  const told = grouped(answers, ({ findings }) => findings).flatMap(([label, { findings, result }]) => {
    const [head, ...rest] = findings
    const all = head === undefined ? [] : [{ ...head, message: `${label}: ${head.message}` }, ...rest]
    return all.map((finding) => ({ ...finding, criterion: result.id }))
  })
  const findings = [...new Map(told.map((finding) => [JSON.stringify(finding), finding])).values()]
  if (failed.length > 0) return { verdict: 'FAIL', detail: say(failed), findings, hold: null }
  if (broken.length > 0) {
    const unclear = broken.filter(({ needsPerson }) => needsPerson)
    return {
      verdict: 'ERROR',
      detail: say(broken),
      findings,
      hold: unclear.length === 0 ? null : because('unclear', { said: say(unclear) }),
    }
  }
  const hold = touched.length === 0 ? null : because('protected', { paths: touched })
  const detail = excusedWords({ criteria: answers.map(({ result }) => result) }) ?? ''
  return { verdict: 'PASS', detail, findings, hold }
}

function say(answers: readonly Answer[]): string {
  return grouped(answers, ({ result }) => result.error)
    .map(([label, { result }]) => `${label}: ${result.error ?? ''}`)
    .join('\n')
}

/** Criteria that one command answers say the same: that is told once, as `c1, c2 unit-test`. */
function grouped(answers: readonly Answer[], said: (answer: Answer) => unknown): [label: string, Answer][] {
  const groups = Map.groupBy(answers, (answer) => {
    const { id, activity, evidence } = answer.result
    return JSON.stringify([activity, evidence?.command ?? id, said(answer)])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const ids = group.map(({ result }) => result.id).join(', ')
    return first === undefined ? [] : [[`${ids} ${first.result.activity}`, first] as [string, Answer]]
  })
}
