/** The results of a verification for people: one line per criterion, with notes on its evidence. */
import { isTestCheck } from '../tools/checks.ts'
import { formatDuration } from '../domain/duration.ts'
import type { CriterionResult, CriterionStatus, Evidence } from '../domain/verdict/evidence.ts'
import { STATUS_WORDS, tallyText } from '../domain/verdict/evidence.ts'
import type { RunView } from '../engine/views/run-view.ts'
import type { TaskView } from '../engine/views/views.ts'
import { oneLine } from './io.ts'

const MARKS: Record<CriterionStatus, string> = {
  pass: '✓',
  excused: '~',
  fail: '✗',
  error: '!',
  skipped: '–',
  deferred: '…',
  pending: '?',
  waived: 'w',
}
const OVERALL = { fail: 'failed', error: 'unclear' }
const namesMax = 5

export function resultLines({ id, results, waiver }: TaskView, runs: readonly RunView[]): string[] {
  const waived =
    waiver === null
      ? []
      : [`  waived by ${oneLine(waiver.by)}: ${oneLine(waiver.criteria.join(', '))} (${oneLine(waiver.reason)})\n`]
  if (results === null) return waived.length === 0 ? [] : ['\nNot verified\n', ...waived]
  const { criteria, commit, protectedPaths } = results
  const ran = criteria.some(({ evidence }) => evidence !== null)
  const { tally } = results
  const passed = !ran
    ? 'nothing could run'
    : tally.pending === undefined
      ? 'passed'
      : 'some criteria have no answer yet'
  const overall = results.overall === 'pass' ? passed : OVERALL[results.overall]
  const counted = tallyText(tally)
  const run = runs.findLast((one) => one.results?.completedAt === results.completedAt)
  return [
    `\nVerified ${commit.slice(0, 12)}: ${overall} (${counted})\n`,
    ...criteria.flatMap((one) => criterionLines(one, Math.max(12, ...criteria.map(({ activity }) => activity.length)))),
    ...(protectedPaths.length === 0 ? [] : [`  changes protected paths: ${oneLine(protectedPaths.join(', '), 500)}\n`]),
    ...waived,
    ...(ran && run !== undefined ? [`  whole logs: muster logs ${id} --run ${run.id}\n`] : []),
  ]
}

function criterionLines(
  { id, activity, status, error, evidence, note, warning }: CriterionResult,
  width: number,
): string[] {
  const said = error ?? note ?? warning ?? ''
  const notes = [
    ...(said === '' ? [] : [said]),
    ...(evidence === null ? [] : evidenceNotes(evidence, status, isTestCheck(activity))),
  ]
  const head = `  ${MARKS[status]} ${id.padEnd(4)} ${activity.padEnd(width)} ${STATUS_WORDS[status]}`
  const named = (title: string, names: readonly string[]): string[] => {
    const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : ''
    return names.length === 0
      ? []
      : [`         ${title}: ${oneLine(names.slice(0, namesMax).join(', '), 500)}${more}\n`]
  }
  return [
    `${head}${notes.length === 0 ? '' : `  ${oneLine(notes.join('; '), 400)}`}\n`,
    ...named('failed', evidence?.failing ?? []),
    ...named('already failed before the change', evidence?.excused ?? []),
    ...named('failed before in another way, or in a command where nothing passes', evidence?.unclear ?? []),
    ...named('passed and failed on the same tree', evidence?.flaky ?? []),
  ]
}

const ESTIMATED = ' (estimated from the last lines of its output)'

function evidenceNotes(
  { counts, durationMs, runs, reused, base, vacuous }: Evidence,
  status: CriterionStatus,
  uncounted: boolean,
) {
  const tests =
    counts === null
      ? []
      : [
          counts.executed === 1 ? '1 test' : `${counts.executed} tests`,
          `${counts.failed} failed`,
          `${counts.skipped} skipped${counts.estimate === true ? ESTIMATED : ''}`,
        ]
  return [
    ...(counts === null ? (uncounted ? ['no report, so the number of tests is unknown'] : []) : [tests.join(', ')]),
    ...(runs > 1 ? [`${runs} runs`] : []),
    reused ? 'reused from an earlier run on this tree' : formatDuration(durationMs),
    ...(vacuous ? ['already passed before the change'] : []),
    ...(status !== 'pass' && status !== 'excused' && base === 'red' ? ['also fails on the target'] : []),
  ]
}
