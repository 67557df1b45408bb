/** From how a criterion's command ended to what is told about it, and from all answers to one verdict. Pure. */
import { join } from 'node:path'
import type { Criterion } from '../domain/contract.ts'
import type { CriterionResult, CriterionStatus } from '../domain/evidence.ts'
import type { FindingText, Verdict } from '../domain/verdict.ts'
import type { Combined } from './combine.ts'
import { findingsOf } from './excerpt.ts'
import type { Command, Execution } from './execute.ts'

export interface Answer {
  result: CriterionResult
  findings: FindingText[]
  needsPerson: boolean
}

/** The runs of one command on one tree. */
export interface Runs {
  key: string
  tree: string
  executions: Execution[]
  reused: boolean
}

export function plainResult(
  { id, activity }: Pick<Criterion, 'id' | 'activity'>,
  status: CriterionStatus,
  error: string | null,
): CriterionResult {
  return { id, activity, status, error, attempts: 0, evidence: null }
}

/** `before`: on the target, if that mattered. */
export function answerOf(
  { id, activity }: Criterion,
  command: Command,
  { here, before }: { here: Runs; before: Runs | null },
  said: Combined,
  commit: string,
): Answer {
  const shown = here.executions[said.firstRed ?? 0]
  const report = shown?.end.report ?? null
  const found = findingsOf({
    command: command.shown,
    judgement: said,
    report: report !== null && 'tests' in report ? report : null,
    log: shown?.output ?? '',
    root: shown?.root ?? '/',
  }).map((finding) =>
    finding.file === undefined ? finding : { ...finding, file: join(command.resolved.cwd, finding.file) },
  )
  const [head, ...rest] = said.outcome === 'error' ? [] : found
  const baseRed = before?.executions.some(({ end }) => end.exitCode !== 0)
  return {
    needsPerson: said.needsPerson,
    findings: [
      ...(head === undefined ? [] : [{ ...head, message: `${id} ${activity}: ${head.message}` }, ...rest]),
    ].map((finding) => ({ ...finding, criterion: id })),
    result: {
      id,
      activity,
      status: said.outcome === 'pass' && said.excused.length > 0 ? 'excused' : said.outcome,
      error: said.outcome === 'pass' ? null : said.reasons.join('; '),
      attempts: here.executions.length,
      evidence: {
        command: `${command.resolved.prefix}${command.resolved.command}`,
        commit,
        tree: here.tree,
        exit: shown?.end.exitCode ?? null,
        durationMs: shown?.durationMs ?? 0,
        counts: said.counts,
        failing: said.failing,
        excused: said.excused,
        flaky: said.flaky,
        runs: here.executions.length,
        logDigest: shown?.logDigest ?? null,
        log: shown?.log ?? null,
        sandbox: shown?.sandbox ?? null,
        reused: here.reused,
        base: baseRed === undefined ? null : baseRed ? 'red' : 'green',
        vacuous: said.vacuous,
        at: shown?.at ?? '',
      },
    },
  }
}

/** `touched`: what work is judged by, as far as the change touches it and nobody has said that this is fine. */
export function outcomeOf(
  answers: readonly Answer[],
  touched: readonly string[],
): { verdict: Verdict; detail: string; findings: FindingText[]; hold: string | null } {
  const failed = answers.filter(({ result }) => result.status === 'fail')
  const broken = answers.filter(({ result }) => result.status === 'error')
  const say = (some: readonly Answer[]): string =>
    some.map(({ result }) => `${result.id} ${result.activity}: ${result.error ?? ''}`).join('\n')
  const findings = distinct(answers.flatMap((answer) => answer.findings))
  if (failed.length > 0) return { verdict: 'FAIL', detail: say(failed), findings, hold: null }
  if (broken.length > 0) {
    const unclear = broken.filter(({ needsPerson }) => needsPerson)
    return { verdict: 'ERROR', detail: say(broken), findings, hold: unclear.length === 0 ? null : say(unclear) }
  }
  const hold = touched.length === 0 ? null : `it changes what work is judged by: ${touched.join(', ')}`
  return { verdict: 'PASS', detail: '', findings, hold }
}

/** Criteria with the same command find the same. */
function distinct(findings: readonly FindingText[]): FindingText[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()]
}
